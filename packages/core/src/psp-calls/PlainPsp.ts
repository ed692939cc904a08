import { DateTime } from "effect"
import type {
  PspBalance,
  PspCharge,
  PspInfraction,
  PspInfractionsPage,
  PspPayment,
  PspPaymentsPage,
  PspPaymentsQuery,
  PspPayout,
  PspReceived,
  PspRefund
} from "../ports/Psp.ts"

/** The same value with times as RFC 3339 texts and amounts as `bigint` centavos. */
export type PlainPsp<A> = A extends DateTime.Utc
  ? string
  : A extends bigint
    ? bigint
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<PlainPsp<Item>>
      : A extends object
        ? { readonly [Name in keyof A]: PlainPsp<A[Name]> }
        : A

export const instant = (name: string, text: unknown): DateTime.Utc => {
  const at = typeof text === "string" ? DateTime.make(text) : undefined
  if (at?._tag !== "Some")
    throw new TypeError(`The PSP answered no time as ${name}: give a text of RFC 3339.`)
  return DateTime.toUtc(at.value)
}

const money = <A extends bigint>(amount: bigint): A => {
  if (typeof amount !== "bigint")
    throw new TypeError("The PSP answered no amount: give centavos as a bigint.")
  return amount as A
}

const settled = (settledAt: string | undefined) =>
  settledAt === undefined ? {} : { settledAt: instant("settledAt", settledAt) }

const paymentOf = ({ amount, paidAt, ...payment }: PlainPsp<PspPayment>): PspPayment => ({
  ...payment,
  amount: money(amount),
  paidAt: instant("paidAt", paidAt)
})

export const receivedOf = ({ returns, ...payment }: PlainPsp<PspReceived>): PspReceived => ({
  ...payment,
  ...paymentOf(payment),
  returns: returns.map(({ amount, settledAt, ...back }) => ({
    ...back,
    amount: money(amount),
    ...settled(settledAt)
  }))
})

export const paymentsOf = ({ payments, ...page }: PlainPsp<PspPaymentsPage>): PspPaymentsPage => ({
  ...page,
  payments: payments.map(receivedOf)
})

export const infractionOf = ({
  amount,
  answerUntil,
  reportedAt,
  ...infraction
}: PlainPsp<PspInfraction>): PspInfraction => ({
  ...infraction,
  amount: money(amount),
  reportedAt: instant("reportedAt", reportedAt),
  ...(answerUntil === undefined ? {} : { answerUntil: instant("answerUntil", answerUntil) })
})

export const infractionsOf = ({
  infractions,
  ...page
}: PlainPsp<PspInfractionsPage>): PspInfractionsPage => ({
  ...page,
  infractions: infractions.map(infractionOf)
})

export const balanceOf = ({ available, blocked }: PlainPsp<PspBalance>): PspBalance => ({
  available: money(available),
  blocked: money(blocked)
})

/** What a plain function is asked about a period. */
export const plainPeriod = ({
  from,
  to,
  ...query
}: PspPaymentsQuery): PlainPsp<PspPaymentsQuery> => ({
  ...query,
  from: DateTime.formatIso(from),
  to: DateTime.formatIso(to)
})

export const chargeOf = (charge: PlainPsp<PspCharge>): PspCharge => ({
  ...charge,
  amount: money(charge.amount),
  createdAt: instant("createdAt", charge.createdAt),
  expiresAt: instant("expiresAt", charge.expiresAt),
  payments: charge.payments.map(paymentOf)
})

export const payoutOf = ({
  amount,
  reversal,
  settledAt,
  ...payout
}: PlainPsp<PspPayout>): PspPayout => ({
  ...payout,
  amount: money(amount),
  ...settled(settledAt),
  ...(reversal === undefined
    ? {}
    : { reversal: { ...reversal, at: instant("reversal.at", reversal.at) } })
})

export const refundOf = ({ amount, settledAt, ...refund }: PlainPsp<PspRefund>): PspRefund => ({
  ...refund,
  amount: money(amount),
  ...settled(settledAt)
})
