import type { PspReceived, PspRefund, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { DateTime, Effect } from "effect"
import type { Ask, Asked, Order } from "./WooviCalls.ts"
import { another, fail, outcomeOf, writeCents } from "./WooviCalls.ts"
import * as Wire from "./WooviWire.ts"

type Names = "refund" | "findRefund" | "findPayment" | "listPayments" | "findInfraction"
type Received = Required<Pick<PspShape, Names>>

const noPayment = PspOutcome.rejected("payment_not_found", "Woovi has received no such payment.")
/** `RefundPayload.comment` */
const commentMax = 140
/** Which of its times a period counts by is not told; what is not of the period is left out here. */
const slack = { minutes: 10 } as const
/** By these a payment says itself that money went back. To ask about each of a list would take longer than Pagora waits. */
const wentBack = new Set(["REFUNDED", "PARTIAL_REFUND"])
/** So few that a page on which all went back is known in time; and so many of them are asked about at once. */
const page = { limit: 25, atOnce: 5 } as const

/** Payments, and disputes about them, by their end-to-end id; returns by their `correlationID`, below their payment. */
export const makeReceived = (order: Order, ask: Ask): Received => {
  /** Woovi tells of returns below charges alone: a payment to the key itself shows none. */
  const withReturns = (payment: Omit<PspReceived, "returns">): Asked<PspReceived> =>
    Effect.gen(function* () {
      if (payment.reference === undefined) return { ...payment, returns: [] }
      const path = `/charge/${encodeURIComponent(payment.reference)}/refund`
      const found = (yield* ask("charge", Wire.Refunds, path)) ?? (yield* fail(another))
      return { ...payment, returns: found.refunds.map(Wire.returnOf) }
    })

  const find = (endToEndId: string): Asked<PspReceived | undefined> =>
    Effect.gen(function* () {
      if (!Wire.isEndToEndId(endToEndId)) return undefined
      const path = `/transaction/${endToEndId}`
      const found = yield* ask("transaction", Wire.OneTransaction, path)
      const payment = found && Wire.paymentOf(found.transaction)
      if (payment !== undefined && payment.endToEndId !== endToEndId) return yield* fail(another)
      return payment && (yield* withReturns(payment))
    })

  const list: Received["listPayments"] = ({ cursor = "0", from, to }) =>
    Effect.gen(function* () {
      const start = DateTime.formatIso(DateTime.subtract(from, slack))
      const end = DateTime.formatIso(DateTime.add(to, slack))
      const path = `/transaction?type=PAYMENT&start=${start}&end=${end}&skip=${cursor}&limit=${page.limit}`
      const found = yield* ask("transaction", Wire.Transactions, path)
      const { pageInfo, transactions } = found ?? (yield* fail(another))
      const listed = transactions.flatMap((one) => {
        const payment = Wire.paymentOf(one)
        const isBefore = DateTime.isLessThan(one.time, from)
        const isOfPeriod = !isBefore && DateTime.isLessThan(one.time, to)
        return payment !== undefined && isOfPeriod ? [{ payment, status: one.status ?? "" }] : []
      })
      const payments = yield* Effect.forEach(
        listed,
        ({ payment, status }): Asked<PspReceived> =>
          wentBack.has(status) ? withReturns(payment) : Effect.succeed({ ...payment, returns: [] }),
        { concurrency: page.atOnce }
      )
      const next = String(pageInfo.skip + pageInfo.limit)
      return { payments, ...(pageInfo.hasNextPage && { next }) }
    }).pipe(outcomeOf)

  return {
    ...makeReturns(order, ask, find),
    findPayment: (endToEndId) => outcomeOf(find(endToEndId)),
    listPayments: list,
    findInfraction: (id) =>
      Effect.gen(function* () {
        const payment = yield* find(id)
        const found = payment && (yield* ask("dispute", Wire.Dispute, `/dispute/${id}`))
        if (found !== undefined && found.dispute.endToEndId !== id) return yield* fail(another)
        return payment && found && Wire.infractionOf(found, payment)
      }).pipe(outcomeOf)
  }
}

type Find = (endToEndId: string) => Asked<PspReceived | undefined>

const makeReturns = (
  order: Order,
  ask: Ask,
  find: Find
): Pick<Received, "refund" | "findRefund"> => {
  const findReturn = (endToEndId: string, reference: string): Asked<PspRefund | undefined> =>
    Effect.gen(function* () {
      const payment = yield* find(endToEndId)
      if (payment === undefined || !Wire.isReference(reference)) return undefined
      const listed = payment.returns.find((one) => one.reference === reference)
      if (listed !== undefined) return refundOf(endToEndId, listed)
      // Nowhere is it written that the list of a charge has all of its returns: only what neither place has is not there.
      const single = yield* ask("refund", Wire.FoundRefund, `/refund/${reference}`)
      if (single === undefined) return undefined
      const found = refundOf(endToEndId, Wire.returnOf(single.pixTransactionRefund))
      return found.reference === reference ? found : yield* fail(another)
    })

  const refund: Received["refund"] = ({ amount, endToEndId, reason, reference }) =>
    Effect.gen(function* () {
      const value = yield* writeCents(reference, amount)
      if ((yield* find(endToEndId)) === undefined) return yield* fail(noPayment)
      const made = yield* order(Wire.MadeRefund, "POST", "/refund", {
        transactionEndToEndId: endToEndId,
        correlationID: reference,
        value,
        comment: reason?.slice(0, commentMax)
      }).pipe(
        Effect.map((answer) => refundOf(endToEndId, Wire.returnOf(answer.refund))),
        // It may be a repeat. What is there under the reference tells.
        Effect.catchTag("Rejected", (refused) =>
          Effect.flatMap(findReturn(endToEndId, reference), (there) =>
            there === undefined ? fail(refused) : Effect.succeed(there)
          )
        )
      )
      const isAsked = made.reference === reference && made.amount === amount
      return isAsked ? made : yield* fail(another)
    }).pipe(outcomeOf)

  return {
    refund,
    findRefund: ({ endToEndId, reference }) => outcomeOf(findReturn(endToEndId, reference))
  }
}

const unexplained = { code: "psp_rejected", message: "Woovi does not say why." }

const refundOf = (endToEndId: string, money: PspReceived["returns"][number]): PspRefund => ({
  ...money,
  endToEndId,
  ...(money.status === "rejected" && { rejection: unexplained })
})
