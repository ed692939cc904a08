import { DateTime, Duration, Schema } from "effect"
import {
  AccountId,
  BlockId,
  ChargeId,
  CustomerId,
  DepositId,
  ProjectId,
  PspCredentialId,
  PspReturnId,
  ReturnId,
  WalletId
} from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString, minus, zero } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import { present } from "../kernel/Present.ts"
import * as Kind from "../units/Kind.ts"
import type { PspCharge, PspPayment } from "../ports/Psp.ts"
import { SplitLeg } from "./Split.ts"

/** Who is asked to pay, as far as the caller told. */
export const Customer = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  document: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.String),
  phone: Schema.optionalKey(Schema.String)
})
export type Customer = typeof Customer.Type

/**
 * - `creating`: the intent is stored, the PSP has not definitely answered yet;
 * - `pending`: the PSP has it and it can be paid;
 * - `completed`: paid and credited;
 * - `expired`: its time ended unpaid; a payment made in time still completes it;
 * - `cancelled`: given up before the PSP answered, taken back by its owner, or its sub-account was closed;
 * - `failed`: refused by the PSP, or paid by somebody the account does not take money from.
 */
export const chargeStatuses = [
  "creating",
  "pending",
  "completed",
  "expired",
  "cancelled",
  "failed"
] as const
export type ChargeStatus = (typeof chargeStatuses)[number]

/** Why money that arrived was not credited. */
export const depositReasons = [
  "amount_mismatch",
  "charge_expired",
  "charge_already_paid",
  "payer_cnpj_not_allowed",
  "payer_unknown",
  "charge_not_payable"
] as const
export type DepositReason = (typeof depositReasons)[number]

/** The same of money that no account has asked for: nobody but the operator sees it. */
export const suspenseReasons = [...depositReasons, "unidentified"] as const

/** An Idempotency-Key that waits for its answer until it is forgotten, and the path it came by, however that spelled the id. */
const WaitingKey = Schema.Struct({
  route: Schema.String,
  key: Schema.String,
  expiresAt: Schema.DateTimeUtcFromString
})

/** A PIX charge: asks one payer for one amount, once. As a transaction it is of type payment. */
export class Charge extends Schema.Class<Charge>("@pagora/core/charges/Charge")({
  id: ChargeId,
  account: AccountId,
  wallet: WalletId,
  /** The reference of the sub-account that owns it; absent for the main account. */
  subAccount: Schema.optionalKey(Schema.String),
  status: Schema.Literals(chargeStatuses),
  amount: CentavosString,
  description: Schema.optionalKey(Schema.String),
  externalReference: Schema.optionalKey(Schema.String),
  projectId: Schema.optionalKey(ProjectId),
  customerId: Schema.optionalKey(CustomerId),
  customer: Schema.optionalKey(Customer),
  /** JSON text as the caller sent it. */
  metadata: Schema.optionalKey(Schema.String),
  /** What goes on to other wallets of the account once it is paid, in the order sent. */
  split: Schema.optionalKey(Schema.Array(SplitLeg)),
  pspCredentialId: PspCredentialId,
  expiresAt: Schema.DateTimeUtcFromString,
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
  pspPaymentId: Schema.optionalKey(Schema.String),
  pixCopyPaste: Schema.optionalKey(Schema.String),
  paidAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  e2eId: Schema.optionalKey(Schema.String),
  counterpartName: Schema.optionalKey(Schema.String),
  counterpartDocument: Schema.optionalKey(Schema.String),
  feeAmount: Schema.optionalKey(CentavosString),
  failureReason: Schema.optionalKey(Schema.String),
  /** Why the one who paid may not: the money is in suspense, on its way back. */
  blockedReason: Schema.optionalKey(Schema.Literals(depositReasons)),
  /** The return that brings the money of one who may not pay back. */
  returning: Schema.optionalKey(ReturnId),
  /** The newest refund that its owner asked for, whatever became of it. */
  refund: Schema.optionalKey(ReturnId),
  /** Since a part was asked for: what goes back by refunds, less what has failed of it (decision 0102). */
  refundedInParts: Schema.optionalKey(CentavosString),
  /** Those of them that a person called failed: the PSP is asked about them before the next one is sent. */
  doubtedRefunds: Schema.optionalKey(Schema.Array(ReturnId)),
  /** How many balance blocks still claim money of it, and how much. */
  openBlocks: Schema.optionalKey(Schema.Int),
  blockedAmount: Schema.optionalKey(CentavosString),
  /** What went back of it for balance blocks, or by its PSP otherwise once somebody has said who bears that. */
  chargedBack: Schema.optionalKey(CentavosString),
  /** What its PSP gave back beyond what was left of it then: that much less is left once anything of it is free again. */
  goneBeyond: Schema.optionalKey(CentavosString),
  /** The balance blocks that still claim money of it. */
  claims: Schema.optionalKey(Schema.Array(BlockId)),
  /** Returns that its PSP has made by itself, and of which nobody has said yet who bears them. */
  undecidedReturns: Schema.optionalKey(Schema.Array(PspReturnId)),
  /** While it is `creating`: the Idempotency-Key that can go on with it. */
  idempotencyKey: Schema.optionalKey(Schema.String),
  /** While it is `creating`: until then the PSP is being asked, and nobody else asks it. */
  askedUntil: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** While it is `pending`: since when its owner wants it cancelled. The PSP has not told yet that it is. */
  cancelRequestedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** The Idempotency-Keys of that wish, which all wait for one answer. */
  cancelKeys: Schema.optionalKey(Schema.Array(WaitingKey)),
  /** The code with which the PSP refused the last wish. */
  cancelRefusal: Schema.optionalKey(Schema.String),
  /** Since when the PSP gives notice of a payment that it does not show. */
  announcedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** Who has paid, as notices of the PSP claim where it does not tell; believed once the PSP confirms it. */
  payerClaims: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        endToEndId: Schema.String,
        name: Schema.optionalKey(Schema.String),
        document: Schema.String
      })
    )
  ),
  /** End-to-end ids of payments that were booked as deposits of their own. */
  strayPayments: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  /** Our reference at the PSP, the same for the charge's whole life. */
  get reference(): string {
    return TxId.fromUuid(this.id)
  }
}

export const ChargeKind: Kind.Kind<Charge> = Kind.make({
  name: "charge",
  table: "operation",
  schema: Charge,
  refField: "externalReference",
  bornField: "createdAt",
  columns: (charge) => ({
    id: charge.id,
    account: charge.account,
    wallet: charge.wallet,
    status: charge.status,
    amount: charge.amount,
    ref: charge.externalReference
  })
})

/**
 * Money that arrived for a charge and was not credited: a wrong amount, a second payment, one after the end.
 * It is in suspense until it is back with its payer, and shows as a failed transaction of its own. What arrived for no charge
 * is in the suspense of the PSP that it arrived at, and has its id for an account.
 */
export class Deposit extends Schema.Class<Deposit>("@pagora/core/charges/Deposit")({
  id: DepositId,
  account: AccountId,
  wallet: WalletId,
  subAccount: Schema.optionalKey(Schema.String),
  /** What it was paid for; absent where nothing of ours was named. */
  charge: Schema.optionalKey(ChargeId),
  pspCredentialId: PspCredentialId,
  amount: CentavosString,
  reason: Schema.Literals(suspenseReasons),
  /** The return that brings it back. */
  returning: Schema.optionalKey(ReturnId),
  paidAt: Schema.DateTimeUtcFromString,
  e2eId: Schema.String,
  counterpartName: Schema.optionalKey(Schema.String),
  counterpartDocument: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString
}) {}

export const DepositKind: Kind.Kind<Deposit> = Kind.make({
  name: "deposit",
  table: "operation",
  schema: Deposit,
  bornField: "createdAt",
  columns: (deposit) => ({
    id: deposit.id,
    account: deposit.account,
    wallet: deposit.wallet,
    status: "returning",
    amount: deposit.amount
  })
})

/** The clock of a PSP is taken for right while it is behind by no more. */
const behindMax = Duration.seconds(5)

/**
 * When a charge ends, as its PSP tells. A PSP that made it before we asked has a clock that is behind, by so much at least:
 * it takes payments until its clock tells that end, so the charge ends later by as much, but not later than was asked for.
 */
const endToldBy = ({ createdAt, expiresAt: asked }: Charge, psp: PspCharge): DateTime.Utc => {
  const behind = DateTime.distance(psp.createdAt, createdAt)
  if (Duration.isLessThanOrEqualTo(behind, behindMax)) return psp.expiresAt
  const end = DateTime.min(DateTime.addDuration(psp.expiresAt, behind), asked)
  return DateTime.max(psp.expiresAt, end)
}

/** creating → pending: the PSP has the charge. Its clock decides when the charge ends (decision 0006). */
export const register = (charge: Charge, psp: PspCharge, now: DateTime.Utc): Charge =>
  new Charge({
    ...answered(charge),
    status: "pending",
    pspPaymentId: psp.pspPaymentId,
    pixCopyPaste: psp.pixCopyPaste,
    expiresAt: endToldBy(charge, psp),
    updatedAt: now
  })

/** Whether the PSP would not have it. What has failed otherwise was registered, and paid by somebody who may not. */
export const wasRefused = ({ pspPaymentId, status }: Charge): boolean =>
  status === "failed" && pspPaymentId === undefined

/** creating → failed: the PSP will not have it. */
export const reject = (charge: Charge, code: string, now: DateTime.Utc): Charge =>
  new Charge({ ...answered(charge), status: "failed", failureReason: code, updatedAt: now })

/** Somebody asks the PSP about an intent until `until`; without it nobody does. */
export const asking = (
  { askedUntil: _, ...charge }: Charge,
  until: DateTime.Utc | undefined
): Charge => new Charge({ ...charge, ...present({ askedUntil: until }) })

const answered = ({
  askedUntil: _,
  idempotencyKey: __,
  ...charge
}: Charge): Omit<Charge, "askedUntil" | "idempotencyKey" | "reference"> => charge

/** A pending charge whose time ends at `end`, if it does not end before. */
export const endAt = (charge: Charge, end: DateTime.Utc): Charge =>
  new Charge({ ...charge, expiresAt: DateTime.min(charge.expiresAt, end), updatedAt: end })

/** creating → cancelled: nobody was ever told about it. */
export const giveUp = (charge: Charge, now: DateTime.Utc): Charge =>
  new Charge({ ...answered(charge), status: "cancelled", updatedAt: now })

/** pending → cancelled: nobody is to pay it any more. */
export const cancel = (charge: Charge, now: DateTime.Utc): Charge =>
  new Charge({ ...unpayable(charge), status: "cancelled", updatedAt: now })

/** pending → expired, never before `expiresAt`. */
export const isDue = (charge: Charge, now: DateTime.Utc): boolean =>
  charge.status === "pending" && DateTime.isLessThanOrEqualTo(charge.expiresAt, now)

/** Whether it has ended without the money that was asked for, so that somebody may still pay: it is looked at again. */
export const isWatched = ({ status }: Charge): boolean =>
  status === "failed" || status === "cancelled" || status === "expired"

export const expire = (charge: Charge, now: DateTime.Utc): Charge =>
  new Charge({ ...unpayable(charge), status: "expired", updatedAt: now })

/** What is known of a charge without what counts only while it can be paid. */
type Unpayable = Omit<
  Charge,
  "pixCopyPaste" | "cancelRequestedAt" | "cancelKeys" | "cancelRefusal" | "reference"
>

/** The code goes when nobody is to pay it any more: it shows on pending charges only (spec, Transaction). */
export const unpayable = ({
  cancelKeys: _,
  cancelRefusal: __,
  cancelRequestedAt: ___,
  pixCopyPaste: ____,
  ...charge
}: Charge): Unpayable => charge

export const netOf = (charge: Charge): Centavos => minus(charge.amount, charge.feeAmount ?? zero)

/** Whether a payment of this end-to-end id is booked, for this charge or as a deposit. */
export const isBooked = (charge: Charge, endToEndId: string): boolean =>
  charge.e2eId === endToEndId || (charge.strayPayments ?? []).includes(endToEndId)

/** Notes since when the PSP is asked about a notice of a payment which it does not show. */
export const announcedSince = (charge: Charge, since: DateTime.Utc): Charge =>
  charge.announcedAt !== undefined && DateTime.Equivalence(charge.announcedAt, since)
    ? charge
    : new Charge({ ...charge, announcedAt: since })

/** Notes that the PSP gave notice of a payment which it does not show. Within `during` of the first it is the same notice. */
export const announce = (charge: Charge, now: DateTime.Utc, during: Duration.Duration): Charge => {
  const { announcedAt } = charge
  const isSame =
    announcedAt !== undefined && DateTime.isLessThan(now, DateTime.addDuration(announcedAt, during))
  return isSame ? charge : announcedSince(charge, now)
}

/** Notes a payment that is not this charge's, so that it is looked at once. */
export const withStray = (charge: Charge, payment: PspPayment, now: DateTime.Utc): Charge =>
  new Charge({
    ...charge,
    strayPayments: [...(charge.strayPayments ?? []), payment.endToEndId],
    updatedAt: now
  })
