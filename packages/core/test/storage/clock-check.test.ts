import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Clock, Duration, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StorageError } from "../../src/units/Refused.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ServiceClock } from "../../src/workers/ServiceClock.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

/** What a start on this storage says about the clock. */
const told = Effect.gen(function* () {
  const lines: Array<string> = []
  const logger = Logger.make((options) => void lines.push(Logger.formatJson.log(options)))
  const { start } = yield* Effect.provide(ServiceClock, ServiceClock.layer, { local: true })
  yield* start.pipe(Effect.scoped, Effect.provide(Logger.layer([logger])))
  return lines
})

/** The clock as it stands after a step back. */
const setBack = (by: Duration.Duration) =>
  Effect.flatMap(Clock.currentTimeMillis, (millis) =>
    TestClock.setTime(millis - Duration.toMillis(by))
  )

describe("the clock of the storage at a start", () => {
  it.effect("is told to be behind the ledger only when it is, and stops nothing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* told, [])
      yield* TestClock.adjust("30 days")
      const story = yield* journey()
      yield* story.adjust({ amount: 10, reason: "opening" })
      assert.deepStrictEqual(yield* told, [])
      yield* setBack(Duration.minutes(4))
      assert.deepStrictEqual(yield* told, [])
      yield* setBack(Duration.hours(3))
      const [line = "", ...more] = yield* told
      assert.isEmpty(more)
      assert.include(line, "The clock of the storage is behind the newest entry of the ledger")
      assert.include(line, '"behindSeconds":11040')
      yield* story.adjust({ amount: 10, reason: "closing" })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not waited for where the storage does not say", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const broken = {
        ...storage,
        movements: () => Effect.fail(new StorageError({ reason: "Unavailable", cause: "x" }))
      }
      const [line = ""] = yield* Effect.provideService(told, Storage, broken)
      assert.include(line, "could not be held against the ledger")
    }).pipe(Effect.provide(world))
  )
})
