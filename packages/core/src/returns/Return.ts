import { DateTime, Duration, Schema } from "effect"
import { AccountId, instantOf, PspCredentialId, ReturnId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import * as Kind from "../ports/Kind.ts"
import type { PspRefund } from "../ports/Psp.ts"

/**
 * Why money goes back to its payer.
 *
 * - `deposit`: it was never credited; `source` is the deposit, or the charge whose payer the account refuses;
 * - `refund`: its receiver asked for it; `source` is the charge;
 * - `chargeback`: a balance block was approved; `source` is the block.
 */
const returnPurposes = ["deposit", "refund", "chargeback"] as const

/**
 * - `requested`: the intent is stored, the PSP has not definitely answered yet;
 * - `processing`: the PSP has taken it;
 * - `confirmed`: the payer has the money;
 * - `failed`: the PSP definitely refused it.
 */
const returnStatuses = ["requested", "processing", "confirmed", "failed"] as const

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

/** What a return begins with. */
export interface NewReturn
  extends
    Pick<Return, "id" | "account" | "wallet" | "purpose" | "source" | "amount">,
    Pick<Return, "pspCredentialId" | "endToEndId"> {
  readonly subAccount?: string | undefined
  readonly reason?: string | undefined
  readonly feeAmount?: Centavos
  readonly promotionalAmount?: Centavos
}

/** A return whose PSP has not been told of it yet. */
export const open = ({ reason, subAccount, ...fields }: NewReturn): Return => {
  const createdAt = instantOf(fields.id)
  return new Return({
    ...fields,
    ...(subAccount === undefined ? {} : { subAccount }),
    ...(reason === undefined ? {} : { reason }),
    status: "requested",
    createdAt,
    updatedAt: createdAt
  })
}

/** Nothing more happens to it. */
export const isOver = ({ status }: Return): boolean => status === "confirmed" || status === "failed"

/** How often the PSP may definitely refuse money that must go back, before a person has to look at it. */
const rejectionsMax = 3
/** How long a refused return rests before the PSP is told again: this after the first time, ten times after each. */
const firstRest = Duration.minutes(1)

/** Until when a refused return is left alone; undefined when it does not rest. */
export const restsUntil = (money: Return): DateTime.Utc | undefined => {
  const { rejections = 0, sentAt, status, updatedAt } = money
  return status !== "requested" || sentAt !== undefined || rejections === 0
    ? undefined
    : DateTime.addDuration(updatedAt, Duration.times(firstRest, 10 ** (rejections - 1)))
}

/** Whether the PSP knows nothing of it for certain, and is to be told now. Otherwise it is asked first. */
export const isUntold = (money: Return, now: DateTime.Utc): boolean => {
  const rest = restsUntil(money)
  return (
    money.status === "requested" &&
    money.sentAt === undefined &&
    (rest === undefined || DateTime.isLessThanOrEqualTo(rest, now))
  )
}

/** The PSP is about to be told: from here on it may know of it, whatever it answers. */
export const telling = (money: Return, now: DateTime.Utc): Return =>
  new Return({ ...money, sentAt: now, updatedAt: now })

/** No byte of it left: the PSP knows as little as before. */
export const untold = ({ sentAt: _, ...money }: Return, now: DateTime.Utc): Return =>
  new Return({ ...money, updatedAt: now })

/** requested → processing: the PSP has taken it. */
export const take = (money: Return, now: DateTime.Utc): Return =>
  new Return({ ...money, status: "processing", updatedAt: now })

/** → confirmed: the payer has the money. */
export const confirm = (money: Return, known: PspRefund, now: DateTime.Utc): Return =>
  new Return({
    ...money,
    status: "confirmed",
    settledAt: known.settledAt ?? now,
    ...(known.returnId === undefined ? {} : { returnId: known.returnId }),
    updatedAt: now
  })

/**
 * The PSP definitely refused it. A refund fails at once, for whoever asked for it can ask anew; other money must
 * go back, so the same return is told again after a rest, until it was refused so often that a person must look.
 */
export const refuse = (money: Return, code: string, now: DateTime.Utc): Return => {
  const { sentAt: _, ...untold } = money
  const rejections = (money.rejections ?? 0) + 1
  const isFinal = money.purpose === "refund" || rejections >= rejectionsMax
  return new Return({
    ...untold,
    status: isFinal ? "failed" : "requested",
    rejections,
    failureReason: code,
    updatedAt: now
  })
}

/** Whether what the PSP says now cannot be, after what it said when the return ended. */
export const contradicts = (money: Return, known: PspRefund | undefined): boolean =>
  money.status === "confirmed"
    ? known?.status !== "confirmed"
    : known !== undefined && known.status !== "rejected"

/** Whether the PSP speaks of this return. What moves another amount, or another payment, is not it. */
export const isSame = (money: Return, known: PspRefund): boolean =>
  known.reference === money.reference &&
  known.endToEndId === money.endToEndId &&
  known.amount === money.amount
