import { assert, it } from "@effect/vitest"
import { Crowd } from "./Crowd.ts"

const named = (name: string) => ({ name, place: -1 })
const names = (crowd: Crowd<ReturnType<typeof named>>) =>
  [...crowd].map(({ name }) => name).toSorted()

it("a crowd lets everybody come once and go once, whoever goes first", () => {
  const crowd = new Crowd<ReturnType<typeof named>>()
  const [a, b, c] = [named("a"), named("b"), named("c")] as const
  for (const one of [a, b, c]) crowd.add(one)
  assert.isTrue(crowd.remove(a))
  assert.isFalse(crowd.remove(a))
  assert.deepStrictEqual(names(crowd), ["b", "c"])
  assert.isTrue(crowd.remove(b))
  crowd.add(a)
  assert.deepStrictEqual(names(crowd), ["a", "c"])
  assert.isTrue(crowd.remove(c))
  assert.isTrue(crowd.remove(a))
  assert.strictEqual(crowd.size, 0)
})

it("who leaves while all are looked through disturbs nobody", () => {
  const crowd = new Crowd<ReturnType<typeof named>>()
  const all = ["a", "b", "c"].map(named)
  for (const one of all) crowd.add(one)
  const seen: Array<string> = []
  for (const one of crowd) {
    seen.push(one.name)
    crowd.remove(one)
  }
  assert.deepStrictEqual(seen.toSorted(), ["a", "b", "c"])
})
