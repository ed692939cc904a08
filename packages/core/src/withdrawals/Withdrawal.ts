import type { DateTime } from "effect"
import { Schema } from "effect"
import { AccountId, ProjectId, PspCredentialId, WalletId, WithdrawalId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString, minus } from "../kernel/Money.ts"
import type { PixKey } from "../kernel/PixKey.ts"
import { PixKeyType } from "../kernel/PixKey.ts"
import * as TxId from "../kernel/TxId.ts"
import { present } from "../kernel/Present.ts"
import * as Kind from "../units/Kind.ts"
import type { PspPayout, PspRejection } from "../ports/Psp.ts"
import { Resolution } from "../reviews/Resolution.ts"

/**
 * - `pending`: accepted, its money is held, nothing was sent to the PSP;
 * - `processing`: it may have been sent to the PSP, and the outcome is not known;
 * - `manual_review`: nobody could learn the outcome; the operator decides. To its owner it is processing;
 * - `completed`: the recipient has the money;
 * - `failed`: nothing was paid, and the money is back in the wallet;
 * - `reversed`: it was completed, and the money came back.
 */
const withdrawalStatuses = [
  "pending",
  "processing",
  "manual_review",
  "completed",
  "failed",
  "reversed"
] as const

/** Money on its way out over PIX, to whoever owns a key. As a transaction it is of type withdrawal. */
export class Withdrawal extends Schema.Class<Withdrawal>("@pagora/core/withdrawals/Withdrawal")({
  id: WithdrawalId,
  account: AccountId,
  wallet: WalletId,
  /** The reference of the sub-account whose wallet it is; absent for the main account. */
  subAccount: Schema.optionalKey(Schema.String),
  status: Schema.Literals(withdrawalStatuses),
  /** Gross: what the wallet is charged. */
  amount: CentavosString,
  feeAmount: CentavosString,
  /** The part of the fee that promotional balance pays. */
  promotionalAmount: CentavosString,
  /** The key in the form of the DICT, as it was asked for. */
  pixKey: Schema.String,
  pixKeyType: PixKeyType,
  holderName: Schema.optionalKey(Schema.String),
  holderDocument: Schema.optionalKey(Schema.String),
  projectId: Schema.optionalKey(ProjectId),
  pspCredentialId: PspCredentialId,
  externalReference: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
  /** When it was last sent to the PSP, as far as that may have arrived: from then on the PSP is asked before it is sent again. */
  sentAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** When it was sent the first time that the PSP may have heard. */
  firstSentAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** Since when the PSP has answered nothing about it. */
  unknownSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** Since when the operator is shown that it could not be sent for a day. It goes on being sent (decision 0041). */
  unsentSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** The PSP has certainly heard of no request before that of `sentAt`; where there is none, of none at all. */
  unheard: Schema.optionalKey(Schema.Literal(true)),
  /** How often the PSP did not find it at a time when that cannot change any more. */
  timesNotFound: Schema.optionalKey(Schema.Int),
  /** Since when its PSP holds too little for it: it waits there, and stands in the operator's line (decision 0106). */
  shortSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** Since when it has waited for money there, and how often the PSP refused it for want of some. Kept while it is sent. */
  waitedForMoney: Schema.optionalKey(
    Schema.Struct({ since: Schema.DateTimeUtcFromString, refusals: Schema.Int })
  ),
  /** The PSP refused a repeat, while an earlier request may still arrive there. */
  refusedRepeat: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
  /** The PSP's own id of the payout. */
  pspReference: Schema.optionalKey(Schema.String),
  e2eId: Schema.optionalKey(Schema.String),
  counterpartName: Schema.optionalKey(Schema.String),
  counterpartDocument: Schema.optionalKey(Schema.String),
  failureReason: Schema.optionalKey(Schema.String),
  failureMessage: Schema.optionalKey(Schema.String),
  /** Why it is as it is, and who decided so. Its merchant is told the reason of a failure, and no more of this. */
  resolution: Schema.optionalKey(Resolution),
  /** When it came to its outcome. */
  processedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  reversal: Schema.optionalKey(
    Schema.Struct({
      at: Schema.DateTimeUtcFromString,
      returnId: Schema.optionalKey(Schema.String),
      code: Schema.optionalKey(Schema.String)
    })
  )
}) {
  /** Our reference at the PSP, the same for every try. */
  get reference(): string {
    return TxId.fromUuid(this.id)
  }

  /** What the recipient gets. */
  get netAmount(): Centavos {
    return minus(this.amount, this.feeAmount)
  }

  get recipient(): PixKey {
    return { type: this.pixKeyType, value: this.pixKey } as PixKey
  }
}

export const WithdrawalKind: Kind.Kind<Withdrawal> = Kind.make({
  name: "withdrawal",
  table: "operation",
  schema: Withdrawal,
  refField: "externalReference",
  bornField: "createdAt",
  columns: (withdrawal) => ({
    id: withdrawal.id,
    account: withdrawal.account,
    wallet: withdrawal.wallet,
    status: withdrawal.status,
    amount: withdrawal.amount,
    ref: withdrawal.externalReference
  })
})

type Fields = Omit<Withdrawal, "reference" | "netAmount" | "recipient">

/** What is only of use while the outcome is not known. */
type Passing =
  | "sentAt"
  | "firstSentAt"
  | "unknownSince"
  | "unheard"
  | "timesNotFound"
  | "refusedRepeat"
  | "shortSince"
  | "unsentSince"
  | "waitedForMoney"

const ended = ({
  sentAt: _,
  firstSentAt: __,
  unknownSince: ___,
  timesNotFound: ____,
  refusedRepeat: _____,
  shortSince: ______,
  unsentSince: _______,
  waitedForMoney: ________,
  unheard: _________,
  ...fields
}: Withdrawal): Omit<Fields, Passing> => fields

/** What the PSP tells beside the state. */
const shownBy = ({ endToEndId: e2eId, pspReference, recipient }: PspPayout) =>
  present({
    pspReference,
    e2eId,
    counterpartName: recipient?.name,
    counterpartDocument: recipient?.document
  })

/** When it was first sent; of what was under way before that was kept, since when nothing was answered. */
export const firstSentOf = (
  { firstSentAt, unknownSince }: Pick<Withdrawal, "firstSentAt" | "unknownSince">,
  sentAt: DateTime.Utc
): DateTime.Utc => firstSentAt ?? unknownSince ?? sentAt

/** pending or processing → processing: it is about to be sent to the PSP. */
export const sending = (withdrawal: Withdrawal, now: DateTime.Utc): Withdrawal => {
  const { sentAt, shortSince, unheard: _, unknownSince = now, ...fields } = withdrawal
  return new Withdrawal({
    ...(shortSince && { waitedForMoney: { since: shortSince, refusals: 0 } }),
    ...(isUnheard(withdrawal) && { unheard: true }),
    ...fields,
    status: "processing",
    sentAt: now,
    firstSentAt: sentAt === undefined ? now : firstSentOf(withdrawal, sentAt),
    unknownSince,
    updatedAt: now
  })
}

/** Whether its PSP has certainly not heard of it, where it is to be sent. */
export const isUnheard = ({ sentAt, unheard, unknownSince }: Withdrawal): boolean =>
  sentAt === undefined && (unknownSince === undefined || unheard === true)

/** A request of which nothing is under way: only those before it may have been heard. */
export const notSent = (
  { firstSentAt, sentAt: _, unheard: __, ...withdrawal }: Withdrawal,
  before: DateTime.Utc | undefined
): Withdrawal =>
  new Withdrawal({
    ...withdrawal,
    ...(before === undefined ? {} : { sentAt: before, ...present({ firstSentAt }) })
  })

/** The same of one that nobody has even made. */
export const notMade = (withdrawal: Withdrawal, before: DateTime.Utc | undefined): Withdrawal => {
  const next = notSent(withdrawal, before)
  return before === undefined && withdrawal.unheard === true
    ? new Withdrawal({ ...next, unheard: true })
    : next
}

/** To be sent, and its PSP holds too little for it. Nothing about it is unknown. */
export const short = (withdrawal: Withdrawal, now: DateTime.Utc): Withdrawal => {
  const { unknownSince, ...fields } = withdrawal
  const shortSince = withdrawal.shortSince ?? withdrawal.waitedForMoney?.since ?? now
  return withdrawal.shortSince !== undefined && unknownSince === undefined
    ? withdrawal
    : new Withdrawal({ ...fields, shortSince })
}

/** It was sent, and its PSP says that it holds too little for it, whatever its balance says. */
export const refusedAsShort = (withdrawal: Withdrawal, now: DateTime.Utc): Withdrawal => {
  const { refusals, since } = withdrawal.waitedForMoney ?? { since: now, refusals: 0 }
  const waitedForMoney = { since, refusals: refusals + 1 }
  return short(new Withdrawal({ ...withdrawal, waitedForMoney }), now)
}

/** To be sent, and its PSP could not be told of it, or took it not now, for so long that the operator is shown that it waits. */
export const shownUnsent = (withdrawal: Withdrawal, now: DateTime.Utc): Withdrawal =>
  withdrawal.unsentSince === undefined
    ? new Withdrawal({ ...withdrawal, unsentSince: now })
    : withdrawal

/** Still processing, and the PSP has answered nothing. */
export const stillUnknown = (withdrawal: Withdrawal, now: DateTime.Utc): Withdrawal =>
  withdrawal.unknownSince === undefined
    ? new Withdrawal({ ...withdrawal, unknownSince: now })
    : withdrawal

export const notFoundAgain = (withdrawal: Withdrawal, now: DateTime.Utc): Withdrawal =>
  new Withdrawal({
    ...stillUnknown(withdrawal, now),
    timesNotFound: (withdrawal.timesNotFound ?? 0) + 1
  })

/** A repeat was refused. It was not taken, so what may be under way is what was sent `before`. */
export const repeatRefused = (
  withdrawal: Withdrawal,
  before: DateTime.Utc,
  { code, message }: PspRejection
): Withdrawal => new Withdrawal({ ...withdrawal, sentAt: before, refusedRepeat: { code, message } })

/** Whether the PSP is known to have it, and was so when it was asked last. */
export const isTaken = ({ pspReference, unknownSince }: Withdrawal): boolean =>
  pspReference !== undefined && unknownSince === undefined

/** Still processing, as the PSP says, or processing again: what the operator was asked about is not unknown any more. */
export const taken = (withdrawal: Withdrawal, payout: PspPayout, now: DateTime.Utc): Withdrawal => {
  const { e2eId, pspReference, sentAt, status } = withdrawal
  const isNews = pspReference !== payout.pspReference || e2eId !== payout.endToEndId
  if (!isNews && isTaken(withdrawal)) return withdrawal
  return new Withdrawal({
    ...ended(withdrawal),
    ...present({ sentAt }),
    ...shownBy(payout),
    status: "processing",
    updatedAt: isNews || status === "manual_review" ? now : withdrawal.updatedAt
  })
}

/** → manual_review, unless it is there already. */
export const awaitOperator = (withdrawal: Withdrawal, now: DateTime.Utc): Withdrawal =>
  withdrawal.status === "manual_review"
    ? withdrawal
    : new Withdrawal({ ...withdrawal, status: "manual_review", updatedAt: now })

/** → completed, as the PSP says. */
export const complete = (
  withdrawal: Withdrawal,
  payout: PspPayout,
  now: DateTime.Utc
): Withdrawal =>
  new Withdrawal({
    ...ended(withdrawal),
    ...shownBy(payout),
    status: "completed",
    processedAt: payout.settledAt ?? now,
    updatedAt: now
  })

/** → failed, as the PSP says; `payout` is there when it had taken it first. */
export const fail = (
  withdrawal: Withdrawal,
  { code, message }: PspRejection,
  payout: PspPayout | undefined,
  now: DateTime.Utc
): Withdrawal =>
  new Withdrawal({
    ...ended(withdrawal),
    ...(payout && shownBy(payout)),
    status: "failed",
    failureReason: code,
    failureMessage: message,
    processedAt: now,
    updatedAt: now
  })

/** completed → reversed: the money came back. */
export const reverse = (
  withdrawal: Withdrawal,
  reversal: PspPayout["reversal"],
  now: DateTime.Utc
): Withdrawal =>
  new Withdrawal({
    ...withdrawal,
    status: "reversed",
    reversal:
      reversal === undefined
        ? { at: now }
        : { at: reversal.at, returnId: reversal.returnId, code: reversal.code },
    updatedAt: now
  })

/** Whether it is to be sent to the PSP now. While it may have heard of the payout it is asked first. */
export const isToBeSent = ({ pspReference, sentAt, status }: Withdrawal): boolean =>
  status === "pending" ||
  (status === "processing" && sentAt === undefined && pspReference === undefined)

/**
 * Since when the operator may decide it: nobody could learn its outcome, or it was not sent for want of money at its PSP, or
 * because that could not be told for a day. While it is sent again it is nobody's to decide.
 */
export const operatorsSince = (withdrawal: Withdrawal): DateTime.Utc | undefined => {
  if (withdrawal.status === "manual_review") return withdrawal.updatedAt
  return isToBeSent(withdrawal) ? (withdrawal.shortSince ?? withdrawal.unsentSince) : undefined
}

export const isOperators = (withdrawal: Withdrawal): boolean =>
  operatorsSince(withdrawal) !== undefined

/**
 * Since when the PSP's word that it pays it stands against the operator's: since it was sent, where the operator was asked because that
 * is what it goes on saying. Undefined where that is news, as it always is that it has paid it: the next look goes by it.
 */
export const toldSince = (
  withdrawal: Withdrawal,
  says: PspPayout["status"]
): DateTime.Utc | undefined =>
  says === "processing" && isTaken(withdrawal)
    ? (withdrawal.sentAt ?? operatorsSince(withdrawal))
    : undefined

/** Whether it waits for money at its PSP. */
export const isShort = (withdrawal: Withdrawal): boolean =>
  withdrawal.shortSince !== undefined && isToBeSent(withdrawal)

/** Whether it has ended in a way that the PSP could still change: it is looked at again. */
export const isWatched = ({ status }: Withdrawal): boolean =>
  status === "completed" || status === "failed"

/** manual_review, short of money or not sent for a day → what the operator says. */
export const resolve = (
  withdrawal: Withdrawal,
  outcome: "completed" | "failed",
  resolution: Resolution
): Withdrawal =>
  new Withdrawal({
    ...ended(withdrawal),
    status: outcome,
    resolution,
    ...(outcome === "failed"
      ? { failureReason: "unknown", failureMessage: resolution.reason }
      : {}),
    processedAt: resolution.at,
    updatedAt: resolution.at
  })
