import { DateTime, Duration, Effect } from "effect"
import type { PspPaymentsQuery, PspPayout, PspShape } from "../ports/Psp.ts"
import { PspOutcome } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"
import { another, failed, outcomeOf } from "./Asked.ts"
import { isEndToEndId, isPayable, isReference } from "./Words.ts"

type Called<Method> = Method extends (...args: infer Args) => Effect.Effect<PspOutcome<infer A>>
  ? (...args: Args) => Asked<A>
  : Method

/** The members of a PSP whose calls fail with what is no answer. */
export type PspCalls = { readonly [Name in keyof PspShape]: Called<PspShape[Name]> }

/** Some of the calls of a PSP, which another file has. */
export const someCalls = <const Some extends Partial<PspCalls>>(calls: Some): Some => calls

/**
 * A PSP of calls, with what is right for every PSP around each of them: what cannot be a name or an amount is not sent; an answer
 * about another reference, payment or amount is none; a list has what is of its period (decision 0112).
 */
export const pspFromCalls = (calls: PspCalls): PspShape => {
  const { balance, confirmPayer, defendInfraction, findInfraction } = calls
  const { findPayment, listInfractions, listPayments } = calls
  return {
    ...calls,

    createCharge: (charge) => {
      const { amount, expiresInSeconds: seconds, reference } = charge
      const isLife = Number.isSafeInteger(seconds) && seconds > 0
      const can = isReference(reference) && isPayable(amount) && isLife
      return ordered(can, () => calls.createCharge(charge), { reference, amount })
    },
    findCharge: (reference) =>
      asked(isReference(reference), () => calls.findCharge(reference), { reference }),
    cancelCharge: (reference) =>
      ordered(isReference(reference), () => calls.cancelCharge(reference), { reference }),

    sendPayout: (payout) => {
      const { amount, reference } = payout
      const can = isReference(reference) && isPayable(amount)
      const sent = ordered(can, () => calls.sendPayout(payout), { reference, amount })
      return Effect.map(sent, waitingForMoney)
    },
    findPayout: (payout) => {
      const { reference } = payout
      return asked(isReference(reference), () => calls.findPayout(payout), { reference })
    },

    refund: (refund) => {
      const { amount, endToEndId, reference } = refund
      const can = isReference(reference) && isEndToEndId(endToEndId) && isPayable(amount)
      return ordered(can, () => calls.refund(refund), { reference, endToEndId, amount })
    },
    findRefund: ({ endToEndId, reference }) => {
      const about = { endToEndId, reference }
      const can = isReference(reference) && isEndToEndId(endToEndId)
      return asked(can, () => calls.findRefund(about), about)
    },

    findPayment:
      findPayment &&
      ((endToEndId) =>
        asked(isEndToEndId(endToEndId), () => findPayment(endToEndId), { endToEndId })),
    listPayments:
      listPayments &&
      ((query) =>
        outcomeOf(
          Effect.map(listPayments(query), ({ payments, ...page }) => ({
            ...page,
            payments: payments.filter(({ paidAt }) => isIn(query, paidAt))
          }))
        )),
    confirmPayer: confirmPayer && ((claim) => outcomeOf(confirmPayer(claim))),

    findInfraction:
      findInfraction && ((id, now) => asked(true, () => findInfraction(id, now), { id })),
    listInfractions:
      listInfractions &&
      ((query) =>
        outcomeOf(
          Effect.map(listInfractions(query), ({ infractions, ...page }) => ({
            ...page,
            infractions: infractions.filter(({ reportedAt }) => isIn(query, reportedAt))
          }))
        )),
    defendInfraction:
      defendInfraction &&
      ((defence) => ordered(true, () => defendInfraction(defence), { id: defence.id })),
    balance: balance && (() => outcomeOf(balance()))
  }
}

/** How long a payout waits that the PSP refused for want of money. */
const moneyWithin = Duration.minutes(1)

/** The account there holds too little, which money brought there mends: the withdrawal waits (decision 0106). */
const waitingForMoney = (outcome: PspOutcome<PspPayout>): PspOutcome<PspPayout> =>
  outcome._tag === "Rejected" && outcome.code === "insufficient_psp_balance"
    ? PspOutcome.needsMoney(outcome.message, moneyWithin)
    : outcome

const badOrder = PspOutcome.rejected(
  "invalid_order",
  "No such reference, amount or time can be sent."
)

/** An order that can be one, and an answer to it. */
const ordered = <A extends object>(can: boolean, call: () => Asked<A>, about: Partial<A>) =>
  outcomeOf(
    Effect.filterOrElse(can ? call() : failed(badOrder), isAbout(about), () => failed(another))
  )

/** Nothing is there under what cannot be a name. */
const asked = <A extends object>(
  can: boolean,
  call: () => Asked<A | undefined>,
  about: Partial<A>
) =>
  outcomeOf(
    Effect.filterOrElse(
      can ? call() : Effect.undefined,
      (told) => told === undefined || isAbout(about)(told),
      () => failed(another)
    )
  )

const isAbout =
  <A extends object>(about: Partial<A>) =>
  (told: A): boolean => {
    for (const name in about) if (told[name] !== about[name]) return false
    return true
  }

const isIn = ({ from, to }: PspPaymentsQuery, time: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(time, from) && DateTime.isLessThan(time, to)
