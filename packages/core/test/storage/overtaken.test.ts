import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { makeDriver } from "../../src/storage-memory/StorageMemory.ts"
import { emptyState } from "../../src/storage-memory/StorageMemoryState.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { workQueues } from "../../src/units/Unit.ts"
import type { MergedUnit } from "../../src/units/MergedUnit.ts"
import { StorageError } from "../../src/units/Refused.ts"

/** Which call meets the server that takes over. */
type At = "write" | "sync" | "ledger" | undefined

/** A storage whose primary loses its place at a call: whoever asks there meets the other one. */
const losing = () => {
  const now = makeDriver(emptyState())
  const primary = { epoch: 0, losesAt: undefined as At }
  const meet = (call: At) => {
    if (primary.losesAt !== call) return
    primary.losesAt = undefined
    primary.epoch++
  }
  const isOvertaken = ({ epoch }: MergedUnit) => epoch !== undefined && epoch !== primary.epoch
  const driver = Layer.succeed(
    StorageDriver,
    StorageDriver.of({
      ...now,
      epoch: () => primary.epoch,
      write: (merged) =>
        Effect.suspend(() => {
          meet("write")
          return isOvertaken(merged)
            ? new StorageError({ reason: "Unavailable" })
            : now.write(merged)
        }),
      sync: Effect.sync(() => meet("sync")),
      audit: {
        ...now.audit,
        stretch: (...asked) => {
          meet("ledger")
          return now.audit.stretch(...asked)
        }
      }
    })
  )
  return {
    primary,
    /** The rows of everything that a queue has work for. */
    worked: Effect.flatMap(
      Effect.forEach(workQueues, (queue) => now.jobs({ queue, limit: 100 })),
      (jobs) =>
        now.rows(
          "operation",
          jobs.flat().map(({ id }) => id)
        )
    ),
    service: layerPagora(driver, RecordingTransport.layer).pipe(
      Layer.provideMerge(RecordingTransport.layer)
    )
  }
}

const suspend = ({ shop }: Journey) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("PATCH", `/accounts/${shop.id}`, { body: { status: "suspended" } })
  )

const available = ({ shop }: Journey) =>
  Effect.map(shop.call("GET", "/balance"), ({ json }) => json.available)

describe("a primary whose place is taken", () => {
  it.effect("while a request is decided: nothing of it is written, and it can come again", () => {
    const { primary, service } = losing()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const before = yield* available(story)
      const { operator } = yield* TestPagora
      const adjust = operator("POST", `/accounts/${story.shop.id}/adjustments`, {
        body: { amount: 7, reason: "kept" },
        headers: { "idempotency-key": "adjusted-once" }
      })
      primary.losesAt = "write"
      const refused = yield* adjust
      assert.deepStrictEqual(
        [refused.status, refused.json.details?.code],
        [503, "STORAGE_UNAVAILABLE"]
      )
      assert.deepStrictEqual(yield* available(story), before)
      assert.strictEqual((yield* adjust).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("while a request is told that it is made already: nobody knows", () => {
    const { primary, service } = losing()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* suspend(story)
      primary.losesAt = "sync"
      const unknown = yield* suspend(story)
      assert.deepStrictEqual([unknown.status, unknown.json.details?.code], [503, "OUTCOME_UNKNOWN"])
      assert.strictEqual((yield* suspend(story)).status, 200)
    }).pipe(Effect.provide(service))
  })

  it.effect("while a job is worked off: it is left to its lease, and comes again", () => {
    const { primary, service, worked } = losing()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const withdrawal = yield* story.withdraw()
      const before = yield* worked
      assert.lengthOf(before, 1)
      primary.losesAt = "write"
      yield* story.drain
      // No intent, so that the PSP was not told of it either.
      assert.deepStrictEqual(yield* worked, before)
      yield* story.advance("1 day")
      yield* story.settleWithdrawal(withdrawal, "completed")
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("while everything is audited: it is no audit of either", () => {
    const { primary, service } = losing()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const { audit } = yield* Storage
      primary.losesAt = "ledger"
      assert.strictEqual((yield* Effect.flip(audit)).reason, "Unavailable")
      assert.deepStrictEqual((yield* audit).violations, [])
    }).pipe(Effect.provide(service))
  })
})
