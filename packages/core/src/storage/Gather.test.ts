import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { gather } from "./Gather.ts"
import { StorageError } from "../units/Refused.ts"

class Asker extends Context.Service<Asker, string>()("test/Asker") {}

/** Asks through a door that answers every question with itself, once `before` has gone by, and keeps what went out. */
const aDoor = Effect.fnUntraced(function* (
  before: (questions: ReadonlyArray<string>) => Effect.Effect<unknown, StorageError> = () =>
    Effect.void
) {
  const sent: Array<ReadonlyArray<string>> = []
  const begin = yield* gather(
    (questions: ReadonlyArray<string>) =>
      Effect.suspend(() => {
        sent.push(questions)
        return Effect.as(before(questions), questions)
      }),
    String
  )
  return { sent, begin, ask: (question: string) => Effect.flatten(begin(question)) }
})

const all = <A, E>(effects: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

describe("questions of one turn", () => {
  it.effect("go out together, and each has its own answer", () =>
    Effect.gen(function* () {
      const { ask, sent } = yield* aDoor()
      assert.deepStrictEqual(yield* all(["a", "b", "c"].map(ask)), ["a", "b", "c"])
      assert.deepStrictEqual(sent, [["a", "b", "c"]])
    })
  )

  it.effect("go out together where one caller begins them one after the other", () =>
    Effect.gen(function* () {
      const { begin, sent } = yield* aDoor()
      const [one, other] = [yield* begin("a"), yield* begin("b")]
      assert.deepStrictEqual([yield* other, yield* one], ["b", "a"])
      assert.deepStrictEqual(sent, [["a", "b"]])
    })
  )

  it.effect("go out once where they are the same", () =>
    Effect.gen(function* () {
      const { ask, sent } = yield* aDoor()
      assert.deepStrictEqual(yield* all(["a", "a", "b"].map(ask)), ["a", "a", "b"])
      assert.deepStrictEqual(sent, [["a", "b"]])
    })
  )

  it.effect("go out in the context of the door, and not of who asks first", () =>
    Effect.gen(function* () {
      const seen: Array<Option.Option<string>> = []
      const { ask } = yield* aDoor(() =>
        Effect.map(Effect.serviceOption(Asker), (who) => void seen.push(who))
      )
      yield* Effect.provideService(ask("a"), Asker, "a tenant")
      assert.deepStrictEqual(seen, [Option.none()])
    })
  )

  it.effect("go out in parts of five hundred", () =>
    Effect.gen(function* () {
      const { ask, sent } = yield* aDoor()
      const names = Array.from({ length: 1_001 }, (_, index) => String(index))
      assert.deepStrictEqual(yield* all(names.map(ask)), names)
      assert.deepStrictEqual(
        sent.map(({ length }) => length),
        [500, 500, 1]
      )
    })
  )
})

describe("a question that comes while an answer is on its way", () => {
  it.effect("never joins it, even where it is the same", () =>
    Effect.gen(function* () {
      const isHeld = yield* Deferred.make<void>()
      const { ask, sent } = yield* aDoor(() => Deferred.await(isHeld))
      const first = yield* Effect.forkChild(ask("a"), { startImmediately: true })
      yield* Effect.repeat(Effect.yieldNow, { until: () => sent.length === 1 })
      const second = yield* Effect.forkChild(ask("a"), { startImmediately: true })
      yield* Deferred.succeed(isHeld, undefined)
      assert.deepStrictEqual([yield* Fiber.join(first), yield* Fiber.join(second)], ["a", "a"])
      assert.deepStrictEqual(sent, [["a"], ["a"]])
    })
  )

  it.effect("goes out beside it when it is slow, and three of them do", () =>
    Effect.gen(function* () {
      const { ask, sent } = yield* aDoor(([question]) =>
        question?.startsWith("slow") === true ? Effect.never : Effect.void
      )
      for (const slow of ["slow 1", "slow 2", "slow 3"]) {
        yield* Effect.forkChild(ask(slow), { startImmediately: true })
        yield* Effect.yieldNow
        yield* TestClock.adjust("50 millis")
      }
      const quick = yield* Effect.forkChild(ask("quick"), { startImmediately: true })
      yield* TestClock.adjust("50 millis")
      assert.strictEqual(yield* Fiber.join(quick), "quick")
      assert.deepStrictEqual(sent, [["slow 1"], ["slow 2"], ["slow 3"], ["quick"]])
    })
  )
})

describe("questions that are many while an answer is on its way", () => {
  const flown = Effect.fnUntraced(function* (many: number) {
    const isHeld = yield* Deferred.make<void>()
    const { ask, sent } = yield* aDoor(() => Deferred.await(isHeld))
    const names = ["first", ...Array.from({ length: 3 * many }, (_, index) => String(index))]
    const asking = yield* Effect.forkChild(
      Effect.forEach(
        names,
        (name, index) =>
          Effect.andThen(
            Effect.repeat(Effect.yieldNow, { times: index === 0 ? 1 : index <= many ? 4 : 9 }),
            ask(name)
          ),
        { concurrency: "unbounded" }
      )
    )
    yield* Effect.repeat(Effect.yieldNow, { times: 20 })
    const before = sent.map(({ length }) => length)
    yield* Deferred.succeed(isHeld, undefined)
    assert.deepStrictEqual(yield* Fiber.join(asking), names)
    return before
  })

  it.effect("go out beside it, and what comes after them waits for one of the two", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* flown(8), [1, 8])
    })
  )

  it.effect("wait for it where they are few", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* flown(2), [1])
    })
  )
})

describe("a question that fails", () => {
  it.effect(
    "fails for all that went out with it when the storage is away, and not for later ones",
    () =>
      Effect.gen(function* () {
        const away = new StorageError({ reason: "Unavailable" })
        let isAway = true
        const { ask } = yield* aDoor(() => (isAway ? Effect.fail(away) : Effect.void))
        const exits = yield* all([Effect.exit(ask("a")), Effect.exit(ask("b"))])
        assert.deepStrictEqual(exits, [Exit.fail(away), Exit.fail(away)])
        isAway = false
        assert.strictEqual(yield* ask("a"), "a")
      })
  )

  it.effect("is alone with a defect of its own", () =>
    Effect.gen(function* () {
      const { ask, sent } = yield* aDoor((questions) =>
        questions.includes("bad") ? Effect.die("bad") : Effect.void
      )
      const exits = yield* all(["a", "bad", "b"].map((question) => Effect.exit(ask(question))))
      assert.deepStrictEqual(exits, [Exit.succeed("a"), Exit.die("bad"), Exit.succeed("b")])
      assert.deepStrictEqual(sent, [["a", "bad", "b"], ["a"], ["bad"], ["b"]])
    })
  )

  it.effect("whose caller is gone holds up nobody", () =>
    Effect.gen(function* () {
      const isHeld = yield* Deferred.make<void>()
      const { ask, sent } = yield* aDoor(() => Deferred.await(isHeld))
      const gone = yield* Effect.forkChild(ask("a"), { startImmediately: true })
      yield* Effect.repeat(Effect.yieldNow, { until: () => sent.length === 1 })
      yield* Fiber.interrupt(gone)
      const other = yield* Effect.forkChild(ask("b"), { startImmediately: true })
      yield* Deferred.succeed(isHeld, undefined)
      assert.strictEqual(yield* Fiber.join(other), "b")
    })
  )
})
