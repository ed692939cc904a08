import { Effect } from "effect"
import type { AccountId, DiscrepancyId, Uuid, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { Ids } from "../ports/Ids.ts"
import type { DuplicateKey, Refused, StorageError } from "../ports/Refused.ts"
import type { Unit } from "../ports/Unit.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import type { DiscrepancyReason } from "./Discrepancy.ts"
import { Discrepancy, DiscrepancyKind, discrepancyKey } from "./Discrepancy.ts"

/** What a PSP contradicts, and how. */
export interface Contradiction {
  readonly subject: {
    readonly id: Uuid
    readonly account: AccountId
    readonly wallet: WalletId
  }
  readonly subjectType: Discrepancy["subjectType"]
  readonly reason: DiscrepancyReason
  /** What the PSP says, as JSON text. */
  readonly evidence: string
}

/**
 * Commits a unit and, in it, the record of a contradiction, which then waits for a person. The record of one that is
 * known already is left as it is, so that a PSP which repeats itself fills no list; the rest of the unit is written
 * all the same.
 */
export const recordOnce = Effect.fn("recordOnce")(function* (
  ids: Ids["Service"],
  commit: (unit: Omit<Unit, "id">) => Effect.Effect<void, Refused | StorageError>,
  { evidence, reason, subject, subjectType }: Contradiction,
  unit: Omit<Unit, "id">
) {
  const id = yield* ids.next<DiscrepancyId>()
  const { account, wallet } = subject
  const createdAt = instantOf(id)
  const discrepancy = new Discrepancy({
    id,
    account,
    wallet,
    subject: subject.id,
    subjectType,
    reason,
    evidence,
    status: "open",
    createdAt
  })
  yield* commit({
    ...unit,
    inserts: [...(unit.inserts ?? []), DiscrepancyKind.row(discrepancy)],
    keys: [...(unit.keys ?? []), discrepancyKey(discrepancy)],
    jobs: [...(unit.jobs ?? []), ...reviewJobs(undefined, { id, account, since: createdAt })]
  }).pipe(Effect.catchIf(isKnown, () => commit(unit)))
})

const isKnown = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "discrepancy"
