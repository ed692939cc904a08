import { Duration, Schema } from "effect"
import { Uuid } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"

/** When the audits in the background run, and what they go on from. */
export const auditSchedule = {
  /** A process looks first after this, and then so often, whether one is due. */
  lookEvery: Duration.minutes(5),
  /** What is new is audited so often. */
  every: Duration.hours(1),
  /** Everything is audited so often. */
  completeEvery: Duration.days(7),
  /** Ids are made before they are written. What is older than this is there, but for what overlaps. */
  youngFor: Duration.minutes(10),
  /** What an audit looked at is looked at once more by the next, so far back: something may have been written late. */
  overlap: Duration.hours(1),
  /** A process that has not come on for so long is taken for dead, and another one begins anew. */
  lease: Duration.minutes(15),
  /** It is renewed so often, and asked for again so soon where that was not answered. */
  renewAfter: Duration.seconds(450),
  askAgain: Duration.minutes(1),
  /** What is later than now by more was written by a clock that was ahead, and counts for nothing (decision 0067). */
  aheadMax: Duration.minutes(5),
  /** Between two reads the database is everybody's for this long. */
  pause: Duration.millis(50)
} as const

/** So many violations are looked at again until they are gone. */
export const knownMax = 200

/** There is one ledger in a deployment, so its row has a fixed id. */
export const checkpointId = Uuid.make("00000000-0000-7000-8000-000000000006")

/** How far the audits in the background have come. */
const AuditCheckpoint = Schema.Struct({
  /** The instant up to which all that was written is proved, but for `known`; absent before the first audit. */
  through: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** When the last audit began, and the last that looked at everything. */
  at: Schema.optionalKey(Schema.DateTimeUtcFromString),
  completeAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  known: Schema.Array(
    Schema.Struct({ rule: Schema.String, subject: Schema.String, detail: Schema.String })
  ),
  /** Until then a process is at it, unless it says that it goes on. */
  runningUntil: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type AuditCheckpoint = typeof AuditCheckpoint.Type

export const CheckpointKind: Kind.Kind<AuditCheckpoint> = Kind.make({
  name: "audit",
  table: "registry",
  schema: AuditCheckpoint,
  columns: () => ({ id: checkpointId, account: checkpointId, wallet: null, status: "kept" })
})
