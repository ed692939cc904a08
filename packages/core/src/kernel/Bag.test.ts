import { assert, it } from "@effect/vitest"
import { Bag } from "./Bag.ts"

const named = (name: string) => ({ name, index: -1 })
const names = (bag: Bag<ReturnType<typeof named>>) => [...bag].map(({ name }) => name).toSorted()

it("a bag lets everybody come once and go once, whoever goes first", () => {
  const bag = new Bag<ReturnType<typeof named>>()
  const [a, b, c] = [named("a"), named("b"), named("c")] as const
  for (const one of [a, b, c]) bag.add(one)
  assert.isTrue(bag.remove(a))
  assert.isFalse(bag.remove(a))
  assert.deepStrictEqual(names(bag), ["b", "c"])
  assert.isTrue(bag.remove(b))
  bag.add(a)
  assert.deepStrictEqual(names(bag), ["a", "c"])
  assert.isTrue(bag.remove(c))
  assert.isTrue(bag.remove(a))
  assert.strictEqual(bag.size, 0)
})

it("who leaves while all are looked through disturbs nobody", () => {
  const bag = new Bag<ReturnType<typeof named>>()
  const all = ["a", "b", "c"].map(named)
  for (const one of all) bag.add(one)
  const seen: Array<string> = []
  for (const one of bag) {
    seen.push(one.name)
    bag.remove(one)
  }
  assert.deepStrictEqual(seen.toSorted(), ["a", "b", "c"])
})
