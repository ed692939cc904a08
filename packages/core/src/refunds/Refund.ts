import { DateTime, Duration, Result, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import { feeOn } from "../accounts/Fees.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import type { Charge } from "../charges/Charge.ts"
import { doubtedOf, isWhole, leftOf } from "../charges/ChargeRefunds.ts"
import type { ReturnId } from "../kernel/Ids.ts"
import { Uuid } from "../kernel/Ids.ts"
import { Centavos, min } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { newReturn, Return } from "../returns/Return.ts"

/** How long after its payment a Pix can be sent back (BACEN, Regulamento do Pix: devolução). */
const window = Duration.days(90)

/** Only a payment that was completed can be refunded. */
export class NotRefundable extends Schema.TaggedError<NotRefundable>()("NotRefundable", {
  id: Uuid
}) {}

/** It was paid too long ago. */
export class RefundWindowExpired extends Schema.TaggedError<RefundWindowExpired>()(
  "RefundWindowExpired",
  { until: Schema.DateTimeUtc }
) {}

/** All of its money went back already, or is on its way. */
export class AlreadyRefunded extends Schema.TaggedError<AlreadyRefunded>()("AlreadyRefunded", {
  id: Uuid
}) {}

/** More than what is left of it. */
export class MoreThanLeft extends Schema.TaggedError<MoreThanLeft>()("MoreThanLeft", {
  left: Centavos
}) {}

/** A balance block on it is open, or a return of its PSP: what becomes of the money is decided there. */
export class RefundInfractionOpen extends Schema.TaggedError<RefundInfractionOpen>()(
  "RefundInfractionOpen",
  { id: Uuid }
) {}

/** The wallet cannot pay the amount and the fee. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()(
  "InsufficientBalance",
  {}
) {}

/** What a refund is decided on. */
export interface RefundContext {
  readonly account: Account
  /** The sub-account that owns the charge, when one does. */
  readonly subAccount: SubAccount | undefined
  /** The refund that was asked for last, where it was for the whole payment. */
  readonly former: Return | undefined
  /** All that is left when it is not told. */
  readonly amount?: Centavos | undefined
  /** What the owner's promotional bucket holds: it pays fees first. */
  readonly promotional: Centavos
  readonly reason: string | undefined
  readonly now: DateTime.Utc
  readonly id: ReturnId
}

/** A refund of a charge, or why there is none. Whether the wallet can pay it shows when it is written. */
export const decide = (
  charge: Charge,
  context: RefundContext
): Result.Result<
  Return,
  NotRefundable | RefundWindowExpired | AlreadyRefunded | MoreThanLeft | RefundInfractionOpen
> => {
  const { account, former, id, now, reason, subAccount } = context
  const { e2eId, paidAt } = charge
  if (charge.status !== "completed" || paidAt === undefined || e2eId === undefined)
    return Result.fail(new NotRefundable({ id: charge.id }))
  const until = DateTime.addDuration(paidAt, window)
  if (DateTime.isGreaterThan(now, until)) return Result.fail(new RefundWindowExpired({ until }))
  const left = leftOf(charge, former)
  if (left <= 0n) return Result.fail(new AlreadyRefunded({ id: charge.id }))
  if ((charge.openBlocks ?? 0) > 0) return Result.fail(new RefundInfractionOpen({ id: charge.id }))
  // What the PSP gave back by itself is not counted as gone before a person has said who bears it.
  if ((charge.undecidedReturns ?? []).length > 0)
    return Result.fail(new RefundInfractionOpen({ id: charge.id }))
  const { amount = left } = context
  if (amount > left) return Result.fail(new MoreThanLeft({ left }))
  const feeAmount = feeOn(subAccount?.fees.refund ?? account.fees.refund, amount)
  const refund = newReturn({
    id,
    account: charge.account,
    wallet: charge.wallet,
    subAccount: charge.subAccount,
    purpose: "refund",
    source: charge.id,
    amount,
    feeAmount,
    promotionalAmount: min(feeAmount, context.promotional),
    pspCredentialId: charge.pspCredentialId,
    endToEndId: e2eId,
    reason,
    now
  })
  return Result.succeed(new Return({ ...refund, ...before(charge, refund, former) }))
}

/** What came to nothing before it, as far as is known: the PSP may have done it all the same, and is asked about it first. */
const before = (
  charge: Charge,
  { amount }: Return,
  former: Return | undefined
): Pick<Return, "replaces" | "doubted"> => {
  if (isWhole(charge, amount)) return present({ replaces: inDoubt(former) })
  const doubted = doubtedOf(charge, former)
  return doubted.length === 0 ? {} : { doubted }
}

/** The last one that a person called failed. */
const inDoubt = (former: Return | undefined): ReturnId | undefined =>
  former?.resolution === undefined ? former?.replaces : former.id
