import { Schema } from "effect"
import { Uuid, WalletId } from "../kernel/Ids.ts"

/** A row that the decision rests on is not what it was: load and decide again. */
export class StaleVersion extends Schema.TaggedError<StaleVersion>()("StaleVersion", {
  id: Uuid
}) {}

/** Another worker has taken the job, or it was scheduled anew: what this worker decided does not count. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  queue: Schema.String,
  id: Uuid
}) {}

/**
 * The name is taken. `space` says which kind of name: one of the callers' key spaces, or `row`, `event`,
 * `ledger`, `idempotency`, `wallet`, `attempt` for those that storage guards by itself.
 */
export class DuplicateKey extends Schema.TaggedError<DuplicateKey>()("DuplicateKey", {
  space: Schema.String,
  key: Schema.String
}) {}

/** A floor would break: the wallet does not hold enough in this bucket (`spendable`: beyond its liens). */
export class InsufficientFunds extends Schema.TaggedError<InsufficientFunds>()(
  "InsufficientFunds",
  {
    wallet: WalletId,
    bucket: Schema.Literals(["available", "held", "promotional", "spendable", "lien"])
  }
) {}

/** A counter would pass its cap; `used` is what it stood at. */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>()("LimitExceeded", {
  key: Schema.String,
  used: Schema.BigInt
}) {}

/** A wallet that had to be empty is not. */
export class NotEmpty extends Schema.TaggedError<NotEmpty>()("NotEmpty", { wallet: WalletId }) {}

/** Why a unit was not written: an expectation of it that does not hold. Nothing of the unit is in. */
export type Refused =
  | StaleVersion
  | LeaseLost
  | DuplicateKey
  | InsufficientFunds
  | LimitExceeded
  | NotEmpty

/**
 * Storage itself failed.
 *
 * - `Overloaded`: too much is waiting; nothing was written, try later.
 * - `Closed`: it is shutting down; nothing was written.
 * - `Unavailable`: the database could not be reached; nothing was written.
 * - `Contended`: neighbours kept getting in the way; nothing was written, try again.
 * - `OutcomeUnknown`: the connection broke and the outcome could not be learnt. Never read this as a refusal.
 */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  reason: Schema.Literals(["Overloaded", "Closed", "Unavailable", "Contended", "OutcomeUnknown"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return `Storage: ${this.reason}`
  }
}
