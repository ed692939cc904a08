import { Schema } from "effect"
import { AccountId, DiscrepancyId, Uuid, WalletId } from "../kernel/Ids.ts"
import * as Kind from "../ports/Kind.ts"

/**
 * - `failed_but_paid`: what had failed by the PSP's word, a withdrawal or a return, was paid out all the same;
 * - `completed_but_rejected`: we booked it as paid, and the PSP says that it never was;
 * - `amount_mismatch`: the PSP paid another amount than it was told.
 */
export const discrepancyReasons = [
  "failed_but_paid",
  "completed_but_rejected",
  "amount_mismatch"
] as const
export type DiscrepancyReason = (typeof discrepancyReasons)[number]

/**
 * A PSP contradicts what was decided on its own definite answer. Nothing moves by it: what was told stands, and the
 * operator looks into it.
 */
export class Discrepancy extends Schema.Class<Discrepancy>(
  "@pagora/core/discrepancies/Discrepancy"
)({
  id: DiscrepancyId,
  account: AccountId,
  wallet: WalletId,
  /** What the PSP contradicts. */
  subject: Uuid,
  reason: Schema.Literals(discrepancyReasons),
  /** What the PSP says, as JSON text. */
  evidence: Schema.String,
  createdAt: Schema.DateTimeUtcFromString
}) {}

export const DiscrepancyKind: Kind.Kind<Discrepancy> = Kind.make({
  name: "discrepancy",
  table: "operation",
  schema: Discrepancy,
  bornField: "createdAt",
  columns: (discrepancy) => ({
    id: discrepancy.id,
    account: discrepancy.account,
    wallet: discrepancy.wallet,
    status: "open"
  })
})

/** Each contradiction is recorded once, however often the PSP repeats it. */
export const discrepancyKey = ({ id, reason, subject }: Discrepancy) => ({
  space: "discrepancy",
  key: `${subject}/${reason}`,
  holder: id
})
