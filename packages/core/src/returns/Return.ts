import { Schema } from "effect"
import { AccountId, PspCredentialId, ReturnId, Uuid, WalletId } from "../kernel/Ids.ts"
import { CentavosString } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import * as Kind from "../ports/Kind.ts"

/**
 * Why money goes back to its payer.
 *
 * - `deposit`: it was never credited; `source` is the deposit, or the charge whose payer the account refuses;
 * - `refund`: its receiver asked for it; `source` is the charge;
 * - `chargeback`: a balance block was approved; `source` is the block.
 */
export const returnPurposes = ["deposit", "refund", "chargeback"] as const

/**
 * - `requested`: the intent is stored, the PSP has not definitely answered yet;
 * - `processing`: the PSP has taken it;
 * - `confirmed`: the payer has the money;
 * - `failed`: the PSP definitely refused it.
 */
export const returnStatuses = ["requested", "processing", "confirmed", "failed"] as const

/**
 * Money on its way back to its payer over PIX (BACEN: devolução). Until it is confirmed the money of a refund is
 * held in the wallet, and that of any other return is in suspense.
 */
export class Return extends Schema.Class<Return>("@pagora/core/returns/Return")({
  id: ReturnId,
  account: AccountId,
  wallet: WalletId,
  /** The reference of the sub-account whose wallet it is; absent for the main account. */
  subAccount: Schema.optionalKey(Schema.String),
  purpose: Schema.Literals(returnPurposes),
  source: Uuid,
  status: Schema.Literals(returnStatuses),
  amount: CentavosString,
  /** What the wallet is charged beside the amount, for a refund. */
  feeAmount: Schema.optionalKey(CentavosString),
  /** The part of the fee that promotional balance pays. */
  promotionalAmount: Schema.optionalKey(CentavosString),
  pspCredentialId: PspCredentialId,
  /** The end-to-end id of the payment that goes back. */
  endToEndId: Schema.String,
  reason: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
  /** When a request was sent whose answer is not known: from then on the PSP is asked before it is told again. */
  sentAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** The id of the return on the PIX network. */
  returnId: Schema.optionalKey(Schema.String),
  settledAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  failureReason: Schema.optionalKey(Schema.String),
  /** How often the PSP definitely refused it. */
  rejections: Schema.optionalKey(Schema.Int)
}) {
  /** Our reference at the PSP, the same for the return's whole life. */
  get reference(): string {
    return TxId.fromUuid(this.id)
  }
}

export const ReturnKind: Kind.Kind<Return> = Kind.make({
  name: "return",
  table: "operation",
  schema: Return,
  bornField: "createdAt",
  columns: (money) => ({
    id: money.id,
    account: money.account,
    wallet: money.wallet,
    status: money.status,
    amount: money.amount
  })
})
