import type { PspPaymentsQuery, PspReceived, PspShape } from "@pagora/core"
import { present, PspOutcome } from "@pagora/core"
import { isEndToEndId } from "@pagora/core/psp"
import { DateTime, Effect, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import type { Outcome } from "../Settling.ts"
import { readFound } from "../Settling.ts"
import { documentField, writeTime, writeTimeUp } from "../Words.ts"
import { makePayerFilter } from "./PayerFilter.ts"
import { makePaymentPages } from "./PaymentPages.ts"
import { Pix, readReceived } from "./PixWire.ts"

const decodePix = Schema.decodeUnknownSync(Pix)

/** What the account has received: `GET /pix/{e2eid}` and `GET /pix`. */
export const makeReceived = (
  desk: BankDesk
): Required<Pick<PspShape, "findPayment" | "listPayments" | "confirmPayer">> => {
  const page = makePaymentPages(desk)
  const isPaidBy = makePayerFilter(page)

  const find = (endToEndId: string): Outcome<PspReceived | undefined> =>
    Effect.map(
      desk.http.call({
        kind: "findPayment",
        scope: "pix",
        method: "GET",
        path: `${desk.profile.paths.pix}/${endToEndId}`
      }),
      (heard) =>
        readFound(heard, (json) => {
          const payment = readReceived(decodePix(json))
          return payment.endToEndId === endToEndId ? payment : undefined
        })
    )

  return {
    findPayment: (endToEndId) =>
      isEndToEndId(endToEndId) ? find(endToEndId) : Effect.succeed(PspOutcome.done(undefined)),

    listPayments: ({ cursor, from, to }) =>
      Effect.gen(function* () {
        const number = Number(cursor ?? "0")
        const listed = yield* page({ from: writeTime(from), to: writeTimeUp(to), number })
        if (listed._tag !== "Done") return listed
        const { isLast, payments } = listed.value
        return PspOutcome.done({
          payments: payments.filter(isIn({ from, to })),
          ...present({ next: isLast ? undefined : String(number + 1) })
        })
      }),

    confirmPayer: ({ document, endToEndId }) =>
      Effect.gen(function* () {
        const payer = documentField(document)
        if (payer === undefined || !isEndToEndId(endToEndId)) return PspOutcome.done(false)
        const found = yield* find(endToEndId)
        if (found._tag !== "Done") return found
        return found.value === undefined
          ? PspOutcome.done(false)
          : yield* isPaidBy(found.value, payer)
      })
  }
}

/** Banks are asked by whole seconds; a payment is in the period that its own time is in. */
const isIn =
  ({ from, to }: Pick<PspPaymentsQuery, "from" | "to">) =>
  ({ paidAt }: PspReceived): boolean =>
    DateTime.isGreaterThanOrEqualTo(paidAt, from) && DateTime.isLessThan(paidAt, to)
