import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { PspCredentialId } from "../kernel/Ids.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import { makeNewCharges } from "./NewCharges.ts"

const id = PspCredentialId.make("00000000-0000-7000-8000-0000000000ba")
const down = PspOutcome.notSent("connection refused")

const setUp = () => {
  const { isOneTaken, noted } = makeNewCharges(id)
  const takes = Effect.map(Clock.monotonicTimeNanos, isOneTaken)
  const answers = (outcome: PspOutcome<string>) => noted(Effect.succeed(outcome))
  const fails = answers(down)
  return { takes, noted, answers, fails, goesDown: Effect.replicateEffect(fails, 3) }
}

describe("whether a PSP takes new charges", () => {
  it.effect("it does until it did not take three on end", () =>
    Effect.gen(function* () {
      const { answers, fails, takes } = setUp()
      yield* fails
      yield* fails
      yield* answers(PspOutcome.rejected("no", "It will not."))
      yield* fails
      yield* fails
      assert.isTrue(yield* takes)
      yield* answers(PspOutcome.unknown("an error 500"))
      assert.isFalse(yield* takes)
    })
  )

  it.effect.each([
    ["an unknown outcome", PspOutcome.unknown("lost")],
    ["that it was not reached", down],
    ["that it takes it later", PspOutcome.notNow("busy", "1 second")]
  ] as const)("%s is a charge that it did not take", ([, outcome]) =>
    Effect.gen(function* () {
      const { answers, takes } = setUp()
      yield* Effect.replicateEffect(answers(outcome), 3)
      assert.isFalse(yield* takes)
    })
  )

  it.effect(
    "then one at a time tries it, at last once a minute, and the first that it takes ends this",
    () =>
      Effect.gen(function* () {
        const { answers, goesDown, fails, takes } = setUp()
        yield* goesDown
        for (const seconds of [5, 10, 20, 40, 60, 60]) {
          yield* TestClock.adjust(Duration.seconds(seconds - 1))
          assert.isFalse(yield* takes)
          yield* TestClock.adjust("1 second")
          assert.isTrue(yield* takes)
          assert.isFalse(yield* takes)
          yield* fails
        }
        yield* answers(done("here"))
        assert.isTrue(yield* takes)
        assert.isTrue(yield* takes)
        // And it begins anew, with five seconds.
        yield* goesDown
        yield* TestClock.adjust("5 seconds")
        assert.isTrue(yield* takes)
      })
  )

  it.effect(
    "the next rest begins when the one that tried it has failed, not when it was drawn",
    () =>
      Effect.gen(function* () {
        const { goesDown, noted, takes } = setUp()
        yield* goesDown
        yield* TestClock.adjust("5 seconds")
        assert.isTrue(yield* takes)
        const silent = noted(Effect.delay(Effect.succeed(down), "15 seconds"))
        const trying = yield* Effect.forkChild(silent, { startImmediately: true })
        // Nobody else finds out beside it, however long it takes.
        yield* TestClock.adjust("14 seconds")
        assert.isFalse(yield* takes)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(trying)
        yield* TestClock.adjust("9 seconds")
        assert.isFalse(yield* takes)
        yield* TestClock.adjust("1 second")
        assert.isTrue(yield* takes)
      })
  )

  it.effect("one that was drawn and is never asked makes room for the next, at once", () =>
    Effect.gen(function* () {
      const { answers, goesDown, takes } = setUp()
      yield* goesDown
      yield* TestClock.adjust("5 seconds")
      for (let refusedElsewhere = 0; refusedElsewhere < 5; refusedElsewhere++) {
        assert.isTrue(yield* takes)
        assert.isFalse(yield* takes)
        yield* TestClock.adjust("1 second")
      }
      assert.isTrue(yield* takes)
      yield* answers(done("here"))
      assert.isTrue(yield* takes)
      assert.isTrue(yield* takes)
    })
  )

  it.effect("one whose caller goes away while it tries makes room for the next", () =>
    Effect.gen(function* () {
      const { goesDown, noted, takes } = setUp()
      yield* goesDown
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* takes)
      const asking = yield* Effect.forkChild(noted(Effect.never), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      assert.isFalse(yield* takes)
      yield* Fiber.interrupt(asking)
      assert.isTrue(yield* takes)
    })
  )

  it.effect("what was under way when it went down, and fails later, says nothing new", () =>
    Effect.gen(function* () {
      const { goesDown, noted, takes } = setUp()
      const slow = Effect.forkChild(noted(Effect.delay(Effect.succeed(down), "6 seconds")), {
        startImmediately: true
      })
      const before = yield* Effect.replicateEffect(slow, 4)
      yield* goesDown
      yield* TestClock.adjust("6 seconds")
      yield* Fiber.joinAll(before)
      assert.isTrue(yield* takes)
    })
  )

  it.effect(
    "who goes away at once has learnt nothing; who waited in vain, and one that dies, count",
    () =>
      Effect.gen(function* () {
        const { noted, takes } = setUp()
        const leaves = Effect.fnUntraced(function* (after: Duration.Input) {
          const asking = yield* Effect.forkChild(noted(Effect.never), { startImmediately: true })
          yield* TestClock.adjust(after)
          yield* Fiber.interrupt(asking)
        })
        for (let times = 0; times < 5; times++) yield* leaves("1 second")
        assert.isTrue(yield* takes)
        yield* leaves("15 seconds")
        yield* leaves("15 seconds")
        assert.isTrue(yield* takes)
        yield* Effect.exit(noted(Effect.die(new Error("a bug of the layer"))))
        assert.isFalse(yield* takes)
      })
  )
})
