import { DateTime, Duration, Schema } from "effect"
import { AccountId, PspCredentialId, PspReturnId, ReturnId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import { present } from "../kernel/Present.ts"
import * as Kind from "../units/Kind.ts"
import type { PspRefund } from "../ports/Psp.ts"
import { Resolution } from "../reviews/Resolution.ts"

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
 * - `failed`: a refund that the PSP definitely refused, or any return that a person gave up;
 * - `replaced`: the PSP definitely refused it, and another return brings the same money back in its place (decision 0055).
 */
export const returnStatuses = [
  "requested",
  "processing",
  "confirmed",
  "failed",
  "replaced"
] as const

/**
 * Why a person has to look at a return.
 *
 * - `refused`: the PSP keeps refusing it. Nothing of it is under way;
 * - `unanswered`: it did not come to an end in time. It may still: the PSP goes on being asked;
 * - `contradicted`: one that it replaces, or that was in doubt, came to nothing, and seems to have been paid all the same;
 * - `unidentified`: nobody knows what the money is for. The PSP is not told of it unless a person says so.
 */
export const reviewReasons = ["refused", "unanswered", "contradicted", "unidentified"] as const
export type ReviewReason = (typeof reviewReasons)[number]

/**
 * Money on its way back to its payer over PIX (BACEN: devolução). Until it is confirmed the money of a refund is
 * held in the wallet, and that of any other return is in suspense (decision 0019).
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
  /** When a request was sent whose answer is not known: from then on the PSP is asked before it is sent again. */
  sentAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** When it was sent the first time that the PSP may have heard. */
  firstSentAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** How often the PSP did not find it at a time when that cannot change any more, and when last, since it was sent. */
  unfound: Schema.optionalKey(
    Schema.Struct({ times: Schema.Int, at: Schema.DateTimeUtcFromString })
  ),
  /** The id of the return on the PIX network. */
  returnId: Schema.optionalKey(Schema.String),
  settledAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  failureReason: Schema.optionalKey(Schema.String),
  /** How often the PSP definitely refused it, and what it replaces, since a person last looked. */
  rejections: Schema.optionalKey(Schema.Int),
  /** It waits for a person: since when, and why; where it is contradicted, by which return. */
  review: Schema.optionalKey(
    Schema.Struct({
      since: Schema.DateTimeUtcFromString,
      reason: Schema.Literals(reviewReasons),
      by: Schema.optionalKey(ReturnId)
    })
  ),
  /** The return in whose place it is, refused or called failed by a person; and the one that is in its place. */
  replaces: Schema.optionalKey(ReturnId),
  replacedBy: Schema.optionalKey(ReturnId),
  /** Of a part of a payment: other parts that a person had called failed when it was asked for. */
  doubted: Schema.optionalKey(Schema.Array(ReturnId)),
  /** A return that its PSP has made by itself, and that nobody has decided: it may be the same money, so nothing is sent. */
  besides: Schema.optionalKey(PspReturnId),
  /** Of a piece of a balance block that came to nothing: the wallet that has it again (decision 0111). */
  takenBackTo: Schema.optionalKey(WalletId),
  /** When it went on that was held back beside such a return. */
  heldUntil: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** The decision of a person that ended it, or began the one in its place. */
  resolution: Schema.optionalKey(Resolution)
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
  readonly now: DateTime.Utc
}

/** A return that was not sent to its PSP yet. */
export const newReturn = (request: NewReturn): Return => {
  const { feeAmount, now, promotionalAmount, reason, subAccount } = request
  const { account, amount, endToEndId, id, pspCredentialId, purpose, source, wallet } = request
  return new Return({
    id,
    account,
    wallet,
    purpose,
    source,
    amount,
    pspCredentialId,
    endToEndId,
    ...present({ subAccount, reason, feeAmount, promotionalAmount }),
    status: "requested",
    createdAt: now,
    updatedAt: now
  })
}

/** Nothing more happens to it. */
export const isOver = ({ status }: Return): boolean =>
  status === "confirmed" || status === "failed" || status === "replaced"

/**
 * Whether nothing of it is under way by what the PSP said, which it could still take back: it is looked at again. One that
 * was refused too often is among them, though a person may try it anew.
 */
export const isWatched = (money: Return): boolean =>
  isOver(money) || money.review?.reason === "refused"

/** How often the PSP may definitely refuse money that must go back, before a person has to look at it. */
const rejectionsMax = 3
/** How long a return may take before a person has to look at it. */
const unendedMax = Duration.hours(24)
/** How long a refused return rests before it is sent again: this after the first time, ten times after each. */
const firstRest = Duration.minutes(1)

/** Until when a refused return is left alone; undefined when it does not rest. */
export const restsUntil = (money: Return): DateTime.Utc | undefined => {
  const { rejections = 0, review, sentAt, status, updatedAt } = money
  const isResting = status === "requested" && sentAt === undefined && rejections > 0
  return !isResting || review?.reason === "refused"
    ? undefined
    : DateTime.addDuration(updatedAt, Duration.times(firstRest, 10 ** (rejections - 1)))
}

/** Whether the machine may still send it to the PSP. One that was refused too often, or stands in doubt, is a person's. */
export const maySend = ({ review }: Return): boolean =>
  review === undefined || review.reason === "unanswered"

/** Since when nothing but its PSP is waited for. */
export const askedSince = ({ createdAt, heldUntil = createdAt }: Return): DateTime.Utc => heldUntil

/** Whether it should have come to an end by now, and nobody was asked to look at it. */
export const isOverdue = (money: Return, now: DateTime.Utc): boolean =>
  money.review === undefined &&
  (money.status === "requested" || money.status === "processing") &&
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(askedSince(money), unendedMax))

/** From here on a person has to look at it too. What was known is still known. */
export const awaitPerson = (
  money: Return,
  reason: ReviewReason,
  now: DateTime.Utc,
  by?: ReturnId
): Return =>
  new Return({
    ...money,
    review: { since: money.review?.since ?? now, reason, ...present({ by }) }
  })

/** The returns that the PSP is asked about before it is told of this one: they came to nothing, as far as is known. */
export const formersOf = ({ doubted = [], replaces }: Return): ReadonlyArray<ReturnId> =>
  replaces === undefined ? doubted : [replaces, ...doubted]

/** Whether the PSP knows nothing of it for certain, and it is to be sent now. Otherwise it is asked first. */
export const isToBeSent = (money: Return, now: DateTime.Utc): boolean => {
  const rest = restsUntil(money)
  return (
    maySend(money) &&
    money.status === "requested" &&
    money.sentAt === undefined &&
    money.besides === undefined &&
    (rest === undefined || DateTime.isLessThanOrEqualTo(rest, now))
  )
}

/** It is about to be sent to the PSP: from here on it may know of it, whatever it answers. */
export const sending = ({ unfound: _, ...money }: Return, now: DateTime.Utc): Return =>
  new Return({
    ...money,
    sentAt: now,
    firstSentAt: money.sentAt === undefined ? now : (money.firstSentAt ?? money.sentAt),
    updatedAt: now
  })

/** The PSP did not find it once more. */
export const unfoundAgain = (money: Return, now: DateTime.Utc): Return =>
  new Return({ ...money, unfound: { times: (money.unfound?.times ?? 0) + 1, at: now } })

/** No byte of it left: the PSP knows as little as before. */
export const notSent = (
  { firstSentAt: _, sentAt: __, ...money }: Return,
  now: DateTime.Utc
): Return => new Return({ ...money, updatedAt: now })

/** requested → processing: the PSP has taken it. What it had refused before is under way all the same. */
export const take = (money: Return, now: DateTime.Utc): Return =>
  new Return({
    ...money,
    ...(money.review && { review: { since: money.review.since, reason: "unanswered" } }),
    status: "processing",
    updatedAt: now
  })

/** Nobody has to look at it any more. */
const ended = ({
  review: _,
  unfound: __,
  ...money
}: Return): Omit<Return, "review" | "unfound" | "reference"> => money

/** → confirmed: the payer has the money. */
export const confirm = (money: Return, known: PspRefund, now: DateTime.Utc): Return =>
  new Return({
    ...ended(money),
    status: "confirmed",
    settledAt: known.settledAt ?? now,
    ...present({ returnId: known.returnId }),
    updatedAt: now
  })

/**
 * The PSP definitely refused it. A refund fails at once, for whoever asked for it can ask anew; other money must
 * go back, so it is sent again after a rest, until it was refused so often that a person must look.
 */
export const refuse = (money: Return, code: string, now: DateTime.Utc): Return => {
  const { firstSentAt: _, review, sentAt: __, ...unsent } = money
  const rejections = (money.rejections ?? 0) + 1
  const refused = { ...unsent, rejections, failureReason: code, updatedAt: now }
  if (money.purpose === "refund") return new Return({ ...refused, status: "failed" })
  const isPersons =
    review !== undefined || rejections >= rejectionsMax || money.besides !== undefined
  const since = review?.since ?? now
  return new Return({
    ...refused,
    status: "requested",
    ...(isPersons ? { review: { since, reason: "refused" } } : {})
  })
}

/**
 * Whether nothing of it is under way: its PSP was not told, or has definitely refused it. What is contradicted is not at rest:
 * one before it seems to have been paid, and only a person who looks at it learns so.
 */
export const isAtRest = ({ review, sentAt, status }: Return): boolean =>
  status === "requested" && sentAt === undefined && review?.reason !== "contradicted"

/**
 * Since when the PSP's word that it does it stands against a person's: since it was known to have it. Undefined where that is news, as
 * it always is that it has done it: the next look goes by it.
 */
export const toldSince = (
  { status, updatedAt }: Return,
  says: PspRefund["status"]
): DateTime.Utc | undefined =>
  says === "processing" && status === "processing" ? updatedAt : undefined

/** A refund of which nothing is under way waits until a person has said who bears what its PSP gave back by itself. */
export const isHeldBack = (money: Return): boolean =>
  money.purpose === "refund" && money.besides !== undefined && isAtRest(money)

/** It waits for what a person says of the return beside it, which stands in line itself. */
export const heldBack = (money: Return): Return => {
  const { review, ...others } = money
  return review === undefined ? money : new Return(others)
}

/** A person has decided the return beside which it was held back; another one may be undecided yet. */
export const goesOn = (
  { besides: _, ...money }: Return,
  other: PspReturnId | undefined,
  at: DateTime.Utc
): Return =>
  new Return({ ...money, ...(other === undefined ? { heldUntil: at } : { besides: other }) })

/**
 * → failed: its PSP has given the money back by itself before it was told of it.
 *
 * @param takenBackTo The wallet to which a piece of a balance block comes back.
 */
export const forestalled = (money: Return, now: DateTime.Utc, takenBackTo?: WalletId): Return =>
  new Return({
    ...ended(money),
    ...present({ takenBackTo }),
    status: "failed",
    failureReason: "returned_by_psp",
    updatedAt: now
  })

/** → what a person says who has looked: that its payer has the money, or that it will not be tried any more. */
export const resolve = (
  money: Return,
  outcome: "completed" | "failed",
  resolution: Resolution
): Return =>
  new Return({
    ...ended(money),
    status: outcome === "completed" ? "confirmed" : "failed",
    ...(outcome === "completed" ? { settledAt: resolution.at } : {}),
    ...(outcome === "failed" && money.failureReason === undefined
      ? { failureReason: "unknown" }
      : {}),
    resolution,
    updatedAt: resolution.at
  })

/**
 * → replaced: another try. It is a return with a reference of its own, because a PSP that has refused one under a
 * reference answers so under it for ever. A person's (`resolution`) begins anew; the machine's goes on counting.
 */
export const replace = (
  money: Return,
  id: ReturnId,
  at: DateTime.Utc,
  resolution?: Resolution
): Replacement => ({
  former: new Return({
    ...ended(money),
    status: "replaced",
    replacedBy: id,
    ...present({ resolution }),
    updatedAt: at
  }),
  next: new Return({
    ...newReturn({ ...money, id, now: at }),
    replaces: money.id,
    ...(resolution === undefined && money.rejections !== undefined
      ? { rejections: money.rejections }
      : {})
  })
})

/** A refused return, and the one in its place. */
export interface Replacement {
  readonly former: Return
  readonly next: Return
}
