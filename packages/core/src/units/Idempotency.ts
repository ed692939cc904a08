import type { DateTime } from "effect"
import { Effect, Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { DuplicateKey, Refused, StorageError } from "./Refused.ts"
import type { IdempotencyScope, Unit } from "./Unit.ts"

/** An Idempotency-Key that nobody has used yet, with the request that wants to use it (decision 0029). */
export interface IdempotencyKey {
  readonly scope: IdempotencyScope
  /** Digest of the request, to tell a repeat from a misuse. */
  readonly fingerprint: string
  readonly expiresAt: DateTime.Utc
  /** When it was nobody's. */
  readonly asOf?: DateTime.Utc
}

/** Somebody else was faster, by another request with the same key or for this one: its record tells what came of it. */
export class IdempotencyKeyTaken extends Schema.TaggedError<IdempotencyKeyTaken>()(
  "IdempotencyKeyTaken",
  { key: Schema.String }
) {}

/**
 * What a unit carries that begins to do what the request asks for. `snapshot` is the outcome, where it is known
 * by this unit already; otherwise the record stays open until `completed`.
 */
export const begun = (
  key: IdempotencyKey | undefined,
  entity: Uuid,
  snapshot: string | null
): Pick<Unit, "idempotency"> =>
  key === undefined ? {} : { idempotency: { _tag: "Begin", ...key, entity, snapshot } }

/** What a unit carries that learns the outcome: from here on a repeat of any of the requests is answered with it. */
export const completed = (
  scopes: ReadonlyArray<IdempotencyScope>,
  entity: Uuid,
  snapshot: () => string
): Pick<Unit, "idempotency"> =>
  scopes.length === 0
    ? {}
    : { idempotency: { _tag: "Complete", scopes, entity, snapshot: snapshot() } }

/** Names the refusal that means: the key is taken. To be put before `refusedFor`. */
export const keyTaken = <A, R>(
  commit: Effect.Effect<A, Refused | StorageError, R>
): Effect.Effect<A, Refused | StorageError | IdempotencyKeyTaken, R> =>
  Effect.catchIf(commit, isTaken, ({ key }) => new IdempotencyKeyTaken({ key }))

const isTaken = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "idempotency"
