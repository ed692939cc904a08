import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { DateTime, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { BlockId, UnitId, WalletId } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import { auditSchedule, CheckpointKind } from "../../src/operator/AuditCheckpoint.ts"
import { Auditor } from "../../src/operator/Auditor.ts"
import { Ids } from "../../src/time/Ids.ts"
import * as Kind from "../../src/units/Kind.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { checkpoint, passing, plantLien } from "./AuditProcesses.test-data.ts"
import { aClaim } from "../world/Claims.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

/** A turn, through its pauses. */
const turn = Effect.flatMap(Auditor, (auditor) => Effect.raceFirst(auditor.turn, passing))

describe("the audit in the background", () => {
  it.effect("is of everything first, then of what is new every hour, and of everything again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.pay(yield* story.charge())
      const first = yield* turn
      assert.deepStrictEqual(
        [first?.ok, first?.complete, first?.since, first?.entries],
        [true, true, null, 2]
      )
      assert.strictEqual(yield* turn, undefined)
      yield* TestClock.adjust("2 hours")
      const quiet = yield* turn
      // What may have been written late is looked at once more.
      assert.deepStrictEqual([quiet?.ok, quiet?.complete, quiet?.entries], [true, false, 2])
      yield* story.pay(yield* story.charge())
      yield* TestClock.adjust("1 hour")
      const recent = yield* turn
      assert.deepStrictEqual([recent?.ok, recent?.complete, recent?.entries], [true, false, 2])
      yield* TestClock.adjust("7 days")
      const again = yield* turn
      assert.deepStrictEqual([again?.ok, again?.complete, again?.entries], [true, true, 4])
    }).pipe(Effect.provide(world))
  )

  it.effect("tells a violation again until it is gone", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.pay(yield* story.charge())
      yield* turn
      const wallet = story.shop.id as WalletId
      yield* plantLien(wallet, 5n)
      // Nothing moved the wallet, so that only the audit of everything sees it, or one that looks for it.
      const { violations } = yield* (yield* Auditor).run
      assert.deepStrictEqual(
        violations.map(({ rule, subject }) => [rule, subject]),
        [["lien_unclaimed", wallet]]
      )
      yield* story.pay(yield* story.charge())
      for (const _ of [1, 2, 3]) {
        yield* TestClock.adjust("2 hours")
        const found = yield* turn
        assert.isFalse(found?.complete)
        assert.deepStrictEqual(
          found?.violations.map(({ rule }) => rule),
          ["lien_unclaimed"]
        )
      }
      const [storage, ids] = [yield* Storage, yield* Ids]
      const claim = aClaim(yield* ids.next<BlockId>(), { wallet, amount: 5n as Centavos })
      yield* storage.commit({
        id: yield* ids.next<UnitId>(),
        at: yield* (yield* ServiceTime).now,
        inserts: claim.inserts ?? []
      })
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual((yield* turn)?.violations, [])
    }).pipe(Effect.provide(world))
  )

  it.effect("is one process's at a time, and another's when that is gone", () =>
    Effect.gen(function* () {
      yield* journey()
      const auditor = yield* Auditor
      const both = yield* Effect.raceFirst(
        Effect.all([auditor.turn, auditor.turn], { concurrency: 2 }),
        passing
      )
      const reports = both.filter((report) => report !== undefined)
      assert.strictEqual(reports.length, 1)

      // Somebody began the next one, and was never heard of again.
      yield* TestClock.adjust("2 hours")
      const [storage, ids, time] = [yield* Storage, yield* Ids, yield* ServiceTime]
      const stored = (yield* checkpoint) ?? assert.fail("Nothing is kept.")
      const now = yield* time.now
      const runningUntil = DateTime.addDuration(now, auditSchedule.lease)
      yield* storage.commit({
        id: yield* ids.next<UnitId>(),
        at: now,
        updates: [Kind.update(CheckpointKind, stored, { ...stored.value, runningUntil })]
      })
      assert.strictEqual(yield* turn, undefined)
      yield* TestClock.adjust(auditSchedule.lease)
      assert.isTrue((yield* turn)?.ok)
      assert.strictEqual((yield* checkpoint)?.value.runningUntil, undefined)
    }).pipe(Effect.provide(world))
  )

  it.effect("begins by itself, and asking for one keeps nothing", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const auditor = yield* Auditor
      yield* story.audit
      assert.isTrue((yield* auditor.recent).complete)
      assert.strictEqual(yield* checkpoint, undefined)
      const working = yield* Effect.forkChild(
        Effect.scoped(Effect.andThen(auditor.start, Effect.never))
      )
      yield* TestClock.adjust(Duration.times(auditSchedule.lookEvery, 2))
      const kept = (yield* checkpoint)?.value
      assert.isDefined(kept?.completeAt)
      const asked = yield* auditor.recent
      assert.deepStrictEqual([asked.ok, asked.complete], [true, false])
      assert.deepStrictEqual((yield* checkpoint)?.value, kept)
      yield* Fiber.interrupt(working)
    }).pipe(Effect.provide(world))
  )
})
