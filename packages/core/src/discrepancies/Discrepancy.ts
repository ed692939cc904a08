import { Schema } from "effect"
import { AccountId, DiscrepancyId, Uuid, WalletId } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { Resolution } from "../reviews/Resolution.ts"

/**
 * - `failed_but_paid`: what had failed, a withdrawal or a return, was paid out all the same;
 * - `completed_but_rejected`: we booked it as paid, and the PSP says that it never was;
 * - `amount_mismatch`: the PSP moved another amount than it was told, or than it told us;
 * - `payment_gone`: a payment was booked by the PSP's word, and the PSP does not know it any more;
 * - `payment_claimed_twice`: the PSP shows one payment under two charges, or one payout under two withdrawals. Its money
 *   counts for the first;
 * - `reference_mismatch`: asked for one payout or return, the PSP answers with another: of another reference, or, for a payout
 *   after the end, of another end-to-end id;
 * - `infraction_reported`: somebody has reported fraud about a payment, and the PSP may give it back (MED).
 */
export const discrepancyReasons = [
  "failed_but_paid",
  "completed_but_rejected",
  "amount_mismatch",
  "payment_gone",
  "payment_claimed_twice",
  "reference_mismatch",
  "infraction_reported"
] as const
export type DiscrepancyReason = (typeof discrepancyReasons)[number]

/** What a PSP can contradict. */
export const discrepancySubjects = ["charge", "withdrawal", "return", "deposit"] as const

export const discrepancyStatuses = ["open", "resolved"] as const

/**
 * A PSP contradicts what was decided, on its own definite answer or by a person. Nothing moves by it: what was told
 * stands, and the operator looks into it and closes it.
 */
export class Discrepancy extends Schema.Class<Discrepancy>(
  "@pagora/core/discrepancies/Discrepancy"
)({
  id: DiscrepancyId,
  account: AccountId,
  wallet: WalletId,
  /** What the PSP contradicts. */
  subject: Uuid,
  subjectType: Schema.Literals(discrepancySubjects),
  reason: Schema.Literals(discrepancyReasons),
  /** What the PSP says, as JSON text. */
  evidence: Schema.String,
  /** What was booked by then, as JSON text. Those of before it was kept have none. */
  booked: Schema.optionalKey(Schema.String),
  status: Schema.Literals(discrepancyStatuses),
  createdAt: Schema.DateTimeUtcFromString,
  resolution: Schema.optionalKey(Resolution)
}) {}

/** In the registry: there are few of them, and the operator reads them over all accounts. */
export const DiscrepancyKind: Kind.Kind<Discrepancy> = Kind.make({
  name: "discrepancy",
  table: "registry",
  schema: Discrepancy,
  bornField: "createdAt",
  columns: (discrepancy) => ({
    id: discrepancy.id,
    account: discrepancy.account,
    wallet: discrepancy.wallet,
    status: discrepancy.status
  })
})

/**
 * Each contradiction is recorded once, however often the PSP repeats it; what it says otherwise (`digest` of the evidence)
 * is another one, also after the first was resolved (decision 0068).
 */
export const discrepancyKey = ({ id, reason, subject }: Discrepancy, digest: string) => ({
  space: "discrepancy",
  key: `${subject}/${reason}/${digest}`,
  holder: id
})

/** Somebody has looked into it. */
export const resolve = (discrepancy: Discrepancy, resolution: Resolution): Discrepancy =>
  new Discrepancy({ ...discrepancy, status: "resolved", resolution })
