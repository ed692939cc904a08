import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { UnitId, WalletId } from "../../src/kernel/Ids.ts"
import { checkpointId, CheckpointKind } from "../../src/operator/AuditCheckpoint.ts"
import { Ids } from "../../src/time/Ids.ts"
import * as Kind from "../../src/units/Kind.ts"
import { StorageError } from "../../src/units/Refused.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { aProcess, checkpoint, plantLien } from "./AuditProcesses.test-data.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

describe("the gauge of known violations", () => {
  it.effect("is the same in every process within a turn, and goes down with what was mended", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const [one, other] = [yield* aProcess(), yield* aProcess()]
      const wallet = story.shop.id as WalletId
      yield* plantLien(wallet, 5n)
      yield* one.turn
      assert.strictEqual(yield* one.shown, 1)
      assert.isUndefined(yield* other.turn)
      assert.strictEqual(yield* other.shown, 1)

      yield* plantLien(wallet, -5n)
      yield* TestClock.adjust("1 hour")
      assert.isTrue((yield* other.turn)?.ok)
      assert.strictEqual(yield* other.shown, 0)
      assert.isUndefined(yield* one.turn)
      assert.strictEqual(yield* one.shown, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not touched by audits that somebody asks for", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { auditor, shown, within } = yield* aProcess()
      yield* plantLien(story.shop.id as WalletId, 5n)
      assert.isFalse((yield* within(auditor.run)).ok)
      assert.isFalse((yield* within(auditor.recent)).ok)
      assert.isUndefined(yield* shown)
    }).pipe(Effect.provide(world))
  )
})

type Commit = Storage["Service"]["commit"]

/**
 * A process whose audit reads for an hour, once in each minute. `after` is done after each of them; `commit` stands before
 * the write door.
 */
const aSlowProcess = Effect.fnUntraced(function* (
  after: (minute: number) => Effect.Effect<unknown, unknown>,
  commit: (door: Commit) => Commit = (door) => door
) {
  const counted = { reads: 0, writes: 0 }
  const process = yield* aProcess((storage) => {
    const door = commit(storage.commit)
    return {
      commit: (unit) => {
        counted.writes++
        return door(unit)
      },
      prove: (options) =>
        Effect.gen(function* () {
          for (let minute = 1; minute <= 60; minute++) {
            yield* Effect.sleep("1 minute")
            counted.reads++
            yield* Effect.orDie(after(minute))
            yield* options.onProgress?.("wallets", minute) ?? Effect.void
          }
          return yield* storage.prove(options)
        })
    }
  })
  return { ...process, counted }
})

/** Another process begins an audit, whoever is at one. */
const anotherBegins = Effect.gen(function* () {
  const [storage, ids, time] = [yield* Storage, yield* Ids, yield* ServiceTime]
  return Effect.gen(function* () {
    const stored = yield* storage.find(CheckpointKind, checkpointId)
    const now = yield* time.now
    const runningUntil = DateTime.addDuration(now, "3 hours")
    yield* storage.commit({
      id: yield* ids.next<UnitId>(),
      at: now,
      updates: [
        Kind.update(CheckpointKind, stored ?? assert.fail(), {
          ...(stored?.value ?? assert.fail()),
          runningUntil
        })
      ]
    })
  })
})

describe("the lease of an audit", () => {
  it.effect("goes on where the answer to its renewal was lost", () =>
    Effect.gen(function* () {
      yield* journey()
      let writes = 0
      const { counted, turn, warnings } = yield* aSlowProcess(
        () => Effect.void,
        (door) => (unit) => {
          const isLost = ++writes === 2
          const lost = new StorageError({ reason: "OutcomeUnknown" })
          return isLost ? Effect.andThen(door(unit), Effect.fail(lost)) : door(unit)
        }
      )
      assert.isTrue((yield* turn)?.ok)
      assert.strictEqual(counted.reads, 60)
      const kept = (yield* checkpoint)?.value
      assert.isDefined(kept?.completeAt)
      assert.isUndefined(kept?.runningUntil)
      // It began, went on every eight minutes, and once more after the answer that was lost, and ended.
      assert.isAtMost(counted.writes, 11)
      assert.deepStrictEqual(warnings, [])
    }).pipe(Effect.provide(world))
  )

  it.effect("ends the audit where another process has taken it over", () =>
    Effect.gen(function* () {
      yield* journey()
      const begins = yield* anotherBegins
      const { counted, turn, warnings } = yield* aSlowProcess((minute) =>
        minute === 10 ? begins : Effect.void
      )
      assert.isUndefined(yield* turn)
      assert.isAtMost(counted.reads, 20)
      assert.isAtMost(counted.writes, 4)
      assert.strictEqual(warnings.length, 1)
      assert.isDefined((yield* checkpoint)?.value.runningUntil)
    }).pipe(Effect.provide(world))
  )

  it.effect("warns where it was lost right before the end, and what was found is not kept", () =>
    Effect.gen(function* () {
      yield* journey()
      const begins = yield* anotherBegins
      const { turn, warnings } = yield* aSlowProcess((minute) =>
        minute === 60 ? begins : Effect.void
      )
      yield* turn
      assert.strictEqual(warnings.length, 1)
      const kept = (yield* checkpoint)?.value
      assert.isDefined(kept?.runningUntil)
      assert.isUndefined(kept?.completeAt)
    }).pipe(Effect.provide(world))
  )
})
