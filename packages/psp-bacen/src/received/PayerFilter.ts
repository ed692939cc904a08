import type { PspReceived } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { DateTime, Effect } from "effect"
import { unknown } from "../Settling.ts"
import { writeTime, writeTimeUp } from "../Words.ts"
import type { makePaymentPages } from "./PaymentPages.ts"

type Payer = Readonly<Record<string, string>>

/** Of one payer, around one payment. */
const pagesMax = 10

/**
 * Who has made a payment, by the filter of the list (`GET /pix?cpf`, `?cnpj`): no bank tells it where it is asked for the payment.
 * A bank that leaves the filter alone would confirm anybody, so the first time it must say no of somebody else.
 */
export const makePayerFilter = (page: ReturnType<typeof makePaymentPages>) => {
  /** By which kinds of document the bank has been seen to filter. */
  const filtering = new Set<string>()

  const isIn = Effect.fnUntraced(function* (
    payment: PspReceived,
    payer: Payer
  ): Effect.fn.Return<PspOutcome<boolean>> {
    const from = writeTime(DateTime.subtract(payment.paidAt, { seconds: 1 }))
    const to = writeTimeUp(DateTime.add(payment.paidAt, { seconds: 1 }))
    for (let number = 0; number < pagesMax; number++) {
      const listed = yield* page({ from, to, number, payer })
      if (listed._tag !== "Done") return listed
      const { isLast, payments } = listed.value
      if (payments.some(({ endToEndId }) => endToEndId === payment.endToEndId))
        return PspOutcome.done(true)
      if (isLast) return PspOutcome.done(false)
    }
    return unknown("too many payments of one payer")
  })

  return Effect.fnUntraced(function* (
    payment: PspReceived,
    payer: Payer
  ): Effect.fn.Return<PspOutcome<boolean>> {
    const confirmed = yield* isIn(payment, payer)
    const kind = Object.keys(payer).join()
    if (confirmed._tag !== "Done" || !confirmed.value || filtering.has(kind)) return confirmed
    const other = yield* isIn(payment, somebodyElse(payer))
    if (other._tag !== "Done") return other
    if (other.value) return unknown("the bank does not filter by payer")
    filtering.add(kind)
    return confirmed
  })
}

/** Documents of nobody, whose digits are right. */
const somebodyElse = (payer: Payer): Payer =>
  "cpf" in payer
    ? { cpf: payer["cpf"] === "12345678909" ? "98765432100" : "12345678909" }
    : { cnpj: payer["cnpj"] === "11444777000161" ? "11222333000181" : "11444777000161" }
