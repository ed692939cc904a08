import type { ReturnId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { max, min, minus, plus, zero } from "../kernel/Money.ts"
import type { Return } from "../returns/Return.ts"
import { Charge } from "./Charge.ts"

/**
 * The refund whose own state tells what of the charge goes back. It is the only one that can be under way: where parts were
 * asked for, the charge has their sum.
 */
export const wholeRefundOf = ({ refund, refundedInParts }: Charge): ReturnId | undefined =>
  refundedInParts === undefined ? refund : undefined

/** What refunds give back of it: all that was asked for and has not failed, so that what is unknown counts. */
const refundedOf = ({ refundedInParts }: Charge, whole: Return | undefined): Centavos => {
  if (refundedInParts !== undefined) return refundedInParts
  return whole === undefined || whole.status === "failed" ? zero : whole.amount
}

/** What was given back of it neither by a refund, nor by a balance block, nor by its PSP. */
export const leftOf = (charge: Charge, whole: Return | undefined): Centavos => {
  const { chargedBack = zero, goneBeyond = zero } = charge
  const gone = plus(plus(refundedOf(charge, whole), chargedBack), goneBeyond)
  return max(zero, minus(charge.amount, gone))
}

/** What nothing gives back or claims, beside these refunds where it counts none in parts. */
export const freeBeside = (charge: Charge, refunds: Centavos): Centavos => {
  const { blockedAmount = zero, chargedBack = zero, goneBeyond = zero } = charge
  const { refundedInParts = refunds } = charge
  const gone = plus(plus(refundedInParts, chargedBack), goneBeyond)
  return minus(minus(charge.amount, gone), blockedAmount)
}

/** So much went back of it by its PSP, without a claim that bears it: that much less is left, now or later. */
export const goneBeside = (charge: Charge, amount: Centavos): Charge => {
  const { chargedBack = zero, goneBeyond = zero } = charge
  const counted = min(amount, max(zero, freeBeside(charge, zero)))
  return new Charge({
    ...charge,
    chargedBack: plus(chargedBack, counted),
    ...(counted === amount ? {} : { goneBeyond: plus(goneBeyond, minus(amount, counted)) })
  })
}

/** Whether a refund over this amount is the only one that its charge can have at a time. */
export const isWhole = (charge: Charge, amount: Centavos): boolean =>
  charge.refundedInParts === undefined && amount === charge.amount

/** The refunds that a person called failed, and that the PSP may have done all the same. */
export const doubtedOf = (charge: Charge, whole: Return | undefined): ReadonlyArray<ReturnId> => {
  if (charge.refundedInParts !== undefined) return charge.doubtedRefunds ?? []
  const before = whole?.replaces === undefined ? [] : [whole.replaces]
  return whole?.resolution === undefined ? before : [whole.id, ...before]
}

/** A refund of it was asked for. */
export const refunding = (charge: Charge, refund: Return, whole: Return | undefined): Charge => {
  const asked = { ...charge, refund: refund.id, updatedAt: refund.createdAt }
  return isWhole(charge, refund.amount)
    ? new Charge(asked)
    : new Charge({
        ...asked,
        refundedInParts: plus(charge.refundedInParts ?? zero, refund.amount),
        doubtedRefunds: doubtedOf(charge, whole)
      })
}

/**
 * A part has ended. One that failed counts no more. One that a person called failed is in doubt from now on, if the PSP was
 * told of it; and the one that contradicted it is not any more, for the person has looked at it.
 */
export const afterPart = (charge: Charge, before: Return, ended: Return): Charge => {
  const { amount, id, resolution, sentAt, updatedAt } = ended
  const { doubtedRefunds = [], refundedInParts } = charge
  const hasFailed = ended.status === "failed"
  const seen = before.review?.by
  if (refundedInParts === undefined || (!hasFailed && seen === undefined)) return charge
  const doubted = doubtedRefunds.filter((one) => one !== seen)
  const isDoubted = hasFailed && resolution !== undefined && sentAt !== undefined
  return new Charge({
    ...charge,
    refundedInParts: hasFailed ? minus(refundedInParts, amount) : refundedInParts,
    doubtedRefunds: isDoubted ? [...doubted, id] : doubted,
    updatedAt
  })
}
