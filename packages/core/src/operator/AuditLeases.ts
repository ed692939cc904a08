import { DateTime, Effect } from "effect"
import { refusedFor } from "../storage/DecideAgain.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { AuditCheckpoint } from "./AuditCheckpoint.ts"
import { auditSchedule, checkpointId, CheckpointKind } from "./AuditCheckpoint.ts"

type Checkpoint = Kind.Versioned<AuditCheckpoint>

/** The checkpoint in the hands of the one process that audits in the background. */
export interface AuditLease {
  /** Renews it where that is time. `lost`: it is another process's by now. */
  readonly goOn: Effect.Effect<"held" | "renewed" | "lost", StorageError>
  /** Gives it back, with how far the audit came; false where it was another's. */
  readonly end: (value: AuditCheckpoint) => Effect.Effect<boolean, StorageError>
}

/** Takes the checkpoint in hand as it was read; undefined where another process was faster. */
export const takeAuditLease = Effect.gen(function* () {
  const storage = yield* Storage
  const time = yield* ServiceTime

  /** Undefined where it is not what it was. */
  const write = Effect.fnUntraced(function* (from: Checkpoint | undefined, value: AuditCheckpoint) {
    const at = yield* time.now
    return yield* storage
      .commit(
        from === undefined
          ? { at, inserts: [CheckpointKind.row(value)] }
          : { at, updates: [Kind.update(CheckpointKind, from, value)] }
      )
      .pipe(
        refusedFor("StaleVersion", "DuplicateKey"),
        Effect.as<Checkpoint | undefined>({ value, version: (from?.version ?? 0) + 1 }),
        Effect.catchTag(["StaleVersion", "DuplicateKey"], () => Effect.succeed(undefined))
      )
  })

  return Effect.fnUntraced(function* (
    stored: Checkpoint | undefined
  ): Effect.fn.Return<AuditLease | undefined, StorageError> {
    const before = stored?.value ?? { known: [] }
    const asked = new Set<string>()
    const leased = Effect.map(time.now, (now): AuditCheckpoint => {
      const runningUntil = DateTime.addDuration(now, auditSchedule.lease)
      asked.add(DateTime.formatIso(runningUntil))
      return { ...before, runningUntil }
    })
    const taken = yield* write(stored, yield* leased)
    if (taken === undefined) return undefined
    let current = taken
    let renewAt = DateTime.addDuration(yield* time.now, auditSchedule.renewAfter)

    /** Where an answer was lost, the row is newer than we know and all the same ours. */
    const writeOurs = Effect.fnUntraced(function* (value: AuditCheckpoint) {
      const written = yield* write(current, value)
      if (written !== undefined) return written
      const found = yield* storage.find(CheckpointKind, checkpointId)
      const until = found?.value.runningUntil
      const isOurs = until !== undefined && asked.has(DateTime.formatIso(until))
      return isOurs ? yield* write(found, value) : undefined
    })

    const goOn = Effect.gen(function* () {
      const now = yield* time.now
      if (DateTime.isLessThan(now, renewAt)) return "held"
      // Two that read at once ask once, and so does one that is not answered.
      renewAt = DateTime.addDuration(now, auditSchedule.askAgain)
      const written = yield* writeOurs(yield* leased)
      if (written === undefined) return "lost"
      current = written
      renewAt = DateTime.addDuration(now, auditSchedule.renewAfter)
      return "renewed"
    })
    const end = (value: AuditCheckpoint) =>
      Effect.map(writeOurs(value), (written) => written !== undefined)
    return { goOn, end }
  })
})
