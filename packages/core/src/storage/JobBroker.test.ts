import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
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
      nextDue: () => Effect.undefined
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

  it.effect("are not held up by one that was cut off, nor by what broke", () =>
    Effect.gen(function* () {
      const { answer, calls, driver } = slowStorage()
      let breaks = true
      const broker = makeBroker(
        { ...driver, nextDue: () => (breaks ? Effect.die(new Error("broken")) : Effect.undefined) },
        Effect.succeed(true)
      )
      const first = yield* begun(broker, "a")
      const second = yield* begun(broker, "b")
      const stop = yield* Effect.forkDetach(Fiber.interrupt(first))
      yield* settled
      yield* answer(0)
      yield* Fiber.join(stop)
      breaks = false
      yield* answer(1)
      assert.deepStrictEqual(yield* Fiber.join(second), ["job of b"])
      assert.strictEqual(calls.length, 2)
      const third = yield* begun(broker, "c")
      yield* answer(2)
      assert.deepStrictEqual(yield* Fiber.join(third), ["job of c"])
    })
  )
})
