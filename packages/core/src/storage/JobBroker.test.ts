import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { LeaseToken, UnitId, Uuid } from "../kernel/Ids.ts"
import type { Claim, Claimed } from "../ports/StorageDriver.ts"
import { makeBroker } from "./JobBroker.ts"

const now = DateTime.makeUnsafe("2026-11-25T12:00:00Z")

const claimOf = (name: string): Claim => ({
  queue: "charge",
  now,
  lease: Duration.minutes(1),
  max: 1,
  perGroup: 1,
  token: name as LeaseToken
})

/** A storage whose claims are answered when the test says so: by one job for each of them. */
const slowStorage = () => {
  const calls: Array<{
    readonly names: ReadonlyArray<string>
    readonly go: Deferred.Deferred<void>
  }> = []
  const jobOf = ({ queue, token }: Claim): Claimed => ({
    queue,
    token,
    id: `job of ${token}` as Uuid,
    group: token as string as Uuid,
    due: now
  })
  return {
    calls,
    answer: (call: number) =>
      Effect.suspend(() => {
        const { go } = calls[call] ?? assert.fail(`no call ${call}`)
        return Effect.andThen(Deferred.succeed(go, undefined), settled)
      }),
    driver: {
      claim: (claims: ReadonlyArray<Claim>) =>
        Effect.gen(function* () {
          const go = yield* Deferred.make<void>()
          calls.push({ names: claims.map(({ token }) => token), go })
          yield* Deferred.await(go)
          return claims.map(jobOf)
        }),
      nextDue: () => Effect.succeed(now)
    }
  }
}

/** Everybody has done what he can. */
const settled = Effect.forEach(Array.from({ length: 20 }), () => Effect.yieldNow, { discard: true })

const begun = Effect.fnUntraced(function* ({ claim }: ReturnType<typeof makeBroker>, name: string) {
  const fiber = yield* Effect.forkDetach(
    Effect.map(claim(claimOf(name)), (jobs) => jobs.map(({ id }) => id as string))
  )
  yield* settled
  return fiber
})

describe("claims of one process", () => {
  it.effect(
    "go out together while one is under way, and whoever asked first waits for none of them",
    () =>
      Effect.gen(function* () {
        const { answer, calls, driver } = slowStorage()
        const broker = makeBroker(driver, Effect.succeed(true))
        const first = yield* begun(broker, "a")
        const [second, third] = [yield* begun(broker, "b"), yield* begun(broker, "c")]
        assert.deepStrictEqual(
          calls.map(({ names }) => names),
          [["a"]]
        )
        yield* answer(0)
        assert.deepStrictEqual(yield* Fiber.join(first), ["job of a"])
        const fourth = yield* begun(broker, "d")
        assert.deepStrictEqual(
          calls.map(({ names }) => names),
          [["a"], ["b", "c"]]
        )
        yield* answer(1)
        assert.deepStrictEqual(yield* Fiber.join(second), ["job of b"])
        assert.deepStrictEqual(yield* Fiber.join(third), ["job of c"])
        assert.deepStrictEqual(
          calls.map(({ names }) => names),
          [["a"], ["b", "c"], ["d"]]
        )
        yield* answer(2)
        assert.deepStrictEqual(yield* Fiber.join(fourth), ["job of d"])
      })
  )

  it.effect("are answered before whoever asked is cut off, and hold nobody up", () =>
    Effect.gen(function* () {
      const { answer, calls, driver } = slowStorage()
      const broker = makeBroker(driver, Effect.succeed(true))
      const asked = [yield* begun(broker, "a"), yield* begun(broker, "b")]
      const stopped: Array<number> = []
      yield* Effect.forEach(asked, (fiber, nth) =>
        Effect.forkDetach(
          Effect.andThen(
            Fiber.interrupt(fiber),
            Effect.sync(() => stopped.push(nth))
          )
        )
      )
      const third = yield* begun(broker, "c")
      assert.deepStrictEqual(stopped, [])
      yield* answer(0)
      assert.deepStrictEqual(stopped, [0])
      yield* answer(1)
      assert.deepStrictEqual(stopped, [0, 1])
      assert.deepStrictEqual(yield* Fiber.join(third), ["job of c"])
      assert.strictEqual(calls.length, 2)
    })
  )

  it.effect("are not held up by a last consumer who leaves while they are under way", () =>
    Effect.gen(function* () {
      const { answer, calls, driver } = slowStorage()
      const broker = makeBroker(driver, Effect.succeed(true))
      const scope = yield* Scope.make()
      yield* broker
        .onWork({
          queues: ["charge"],
          now: Effect.succeed(now),
          wake: () => Effect.asVoid(begun(broker, "a"))
        })
        .pipe(Scope.provide(scope))
      yield* TestClock.adjust("1 second")
      yield* settled
      assert.strictEqual(calls.length, 1)
      const left = yield* Effect.forkDetach(Scope.close(scope, Exit.void))
      yield* settled
      yield* answer(0)
      yield* Fiber.join(left)
      const next = yield* begun(broker, "b")
      yield* answer(1)
      assert.deepStrictEqual(yield* Fiber.join(next), ["job of b"])
    })
  )

  it.effect("are not held up by one of which the storage broke", () =>
    Effect.gen(function* () {
      const broker = makeBroker(
        {
          claim: ([first]) =>
            first?.token === "a" ? Effect.die(new Error("broken")) : Effect.succeed([]),
          nextDue: () => Effect.undefined
        },
        Effect.succeed(true)
      )
      const first = yield* begun(broker, "a")
      assert.isTrue(Exit.hasDies(yield* Fiber.await(first)))
      assert.deepStrictEqual(yield* Fiber.join(yield* begun(broker, "b")), [])
    })
  )

  it.effect("are not held up by a consumer that breaks when it is woken", () =>
    Effect.gen(function* () {
      let isWoken = false
      const broker = makeBroker(
        { claim: () => Effect.succeed([]), nextDue: () => Effect.succeed(now) },
        Effect.succeed(true)
      )
      yield* broker.onWork({
        queues: ["charge"],
        now: Effect.succeed(now),
        wake: () =>
          Effect.suspend(() => {
            isWoken = true
            return Effect.die(new Error("broken"))
          })
      })
      yield* TestClock.adjust("1 second")
      assert.isTrue(isWoken)
      assert.deepStrictEqual(yield* Fiber.join(yield* begun(broker, "a")), [])
    })
  )
})

type Step = "look" | "wake" | "claim"

/** A broker whose consumer claims when it is woken, and what was done, second by second or in shorter times. */
const watched = Effect.fnUntraced(function* (nextDue: Effect.Effect<DateTime.Utc | undefined>) {
  const done: Array<Step> = []
  const did = (step: Step) => Effect.sync(() => void done.push(step))
  const broker = makeBroker(
    {
      claim: () => Effect.as(did("claim"), []),
      nextDue: () => Effect.andThen(did("look"), nextDue)
    },
    Effect.succeed(true)
  )
  yield* broker.onWork({
    queues: ["charge"],
    now: DateTime.now,
    wake: () =>
      Effect.andThen(
        did("wake"),
        Effect.asVoid(Effect.forkDetach(Effect.flatMap(claimNow, broker.claim)))
      )
  })
  // As on a start: whoever comes claims, and the broker looks ahead.
  yield* Effect.flatMap(claimNow, broker.claim)
  yield* settled
  const within = (time: Duration.Input) =>
    Effect.andThen(
      Effect.andThen(TestClock.adjust(time), settled),
      Effect.sync(() => done.splice(0))
    )
  return { broker, start: done.splice(0), within }
})

const claimNow = Effect.map(DateTime.now, (instant) => ({ ...claimOf("a"), now: instant }))

const ring: ReadonlyArray<Step> = ["wake", "claim", "look"]

describe("whoever looks for work", () => {
  it.effect("is let alone while none is due, but claims every five seconds what others lost", () =>
    Effect.gen(function* () {
      const { start, within } = yield* watched(Effect.undefined)
      assert.deepStrictEqual(start, ["claim", "look"])
      for (let round = 0; round < 2; round++) {
        for (let second = 1; second < 5; second++)
          assert.deepStrictEqual(yield* within("1 second"), ["look"])
        assert.deepStrictEqual(yield* within("1 second"), ring)
      }
    })
  )

  it.effect(
    "is woken by a look that finds work of others, every second as long as it is not given out",
    () =>
      Effect.gen(function* () {
        const start = yield* DateTime.now
        let due = DateTime.addDuration(start, "1 hour")
        const { within } = yield* watched(Effect.sync(() => due))
        due = start
        assert.deepStrictEqual(yield* within("1 second"), ["look", ...ring])
        assert.deepStrictEqual(yield* within("900 millis"), [])
        assert.deepStrictEqual(yield* within("100 millis"), ["look", ...ring])
      })
  )

  it.effect("is woken when what was seen is due, without another look before", () =>
    Effect.gen(function* () {
      let due: DateTime.Utc | undefined
      const { within } = yield* watched(Effect.sync(() => due))
      due = DateTime.addDuration(yield* DateTime.now, "1400 millis")
      assert.deepStrictEqual(yield* within("1 second"), ["look"])
      assert.deepStrictEqual(yield* within("399 millis"), [])
      due = undefined
      assert.deepStrictEqual(yield* within("1 millis"), ring)
      // A claim is as good as five looks.
      for (let second = 1; second < 5; second++)
        assert.deepStrictEqual(yield* within("1 second"), ["look"])
      assert.deepStrictEqual(yield* within("1 second"), ring)
    })
  )

  it.effect("is woken when what was put in line here is due, without another look before", () =>
    Effect.gen(function* () {
      const { broker, within } = yield* watched(Effect.undefined)
      const at = yield* DateTime.now
      yield* broker.writing(
        {
          at,
          id: "unit" as UnitId,
          jobs: [
            {
              _tag: "Schedule",
              queue: "charge",
              id: "one" as Uuid,
              group: "one" as Uuid,
              due: DateTime.addDuration(at, "300 millis")
            }
          ]
        },
        () => Effect.void
      )
      assert.deepStrictEqual(yield* within("299 millis"), [])
      assert.deepStrictEqual(yield* within("1 millis"), ring)
    })
  )

  it.effect("still claims every five seconds where no look is answered", () =>
    Effect.gen(function* () {
      const { within } = yield* watched(Effect.die(new Error("broken")))
      for (let second = 1; second < 5; second++)
        assert.deepStrictEqual(yield* within("1 second"), ["look"])
      assert.deepStrictEqual(yield* within("1 second"), ring)
    })
  )
})
