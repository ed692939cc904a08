import type {
  FindPspRefund,
  PspInfraction,
  PspReceived,
  PspReceivedReturn,
  PspRefund
} from "@pagora/core"
import { present, PspOutcome } from "@pagora/core"
import type { Asked, Fields, JsonApi } from "@pagora/core/psp"
import {
  failed,
  isEndToEndId,
  isReturnId,
  Misfit,
  someCalls,
  unlessThere,
  whereThere
} from "@pagora/core/psp"
import { DateTime, Effect } from "effect"
import { payerOf, saysThatNo, unexplained } from "./WooviCalls.ts"

const noPayment = PspOutcome.rejected("payment_not_found", "Woovi has received no such payment.")
/** `RefundPayload.comment` */
const commentMax = 140
/** Which of its times a period counts by is not told; what is not of the period is left out of the list. */
const slack = { minutes: 10 } as const
/** By these a payment says itself that money went back. To ask about each of a list would take longer than Pagora waits. */
const backStatuses = ["REFUNDED", "PARTIAL_REFUND"]
const openStatuses = ["CREATED", "IN_PROCESSING", "REJECTED"]
/** So few that a page on which all went back is known in time; and so many of them are asked about at once. */
const page = { limit: 25, atOnce: 5 } as const

/** Payments, and disputes about them, by their end-to-end id; returns by their `correlationID`, below their payment. */
export const makeReceived = ({ ask, find, order }: JsonApi) => {
  /** Woovi tells of returns below charges alone: a payment to the key itself shows none. */
  const withReturns = (payment: Received): Asked<PspReceived> => {
    const { reference } = payment
    if (reference === undefined) return Effect.succeed({ ...payment, returns: [] })
    const read = (answer: Fields) => answer.list("refunds").map(readReturn)
    return Effect.map(ask(read, `/charge/${encodeURIComponent(reference)}/refund`), (returns) => ({
      ...payment,
      returns
    }))
  }

  const findPayment = (endToEndId: string): Asked<PspReceived | undefined> => {
    const read = (answer: Fields) => {
      const moved = answer.at("transaction")
      if (moved.text("endToEndId") !== endToEndId) throw new Misfit({ place: "another payment" })
      return readPayment(moved)
    }
    const found = find(read, `/transaction/${endToEndId}`, saysThatNo("transaction|transaç"))
    return whereThere(found, ({ payment }) => withReturns(payment))
  }

  const findRefund = ({ endToEndId, reference }: FindPspRefund) =>
    whereThere(findPayment(endToEndId), ({ returns }): Asked<PspRefund | undefined> => {
      const listed = returns.find((one) => one.reference === reference)
      if (listed !== undefined) return Effect.succeed(refundOf(endToEndId, listed))
      // Nowhere is it written that the list of a charge has all of its returns: only what neither place has is not there.
      const read = readRefund(endToEndId, "pixTransactionRefund")
      return find(read, `/refund/${reference}`, saysThatNo("refund|reembolso"))
    })

  return someCalls({
    findPayment,
    listPayments: ({ cursor = "0", from, to }) =>
      Effect.gen(function* () {
        const start = DateTime.formatIso(DateTime.subtract(from, slack))
        const end = DateTime.formatIso(DateTime.add(to, slack))
        const path = `/transaction?type=PAYMENT&start=${start}&end=${end}&skip=${cursor}&limit=${page.limit}`
        const { next, received } = yield* ask(readPayments, path)
        const payments = yield* Effect.forEach(
          received,
          ({ payment, wentBack }) =>
            wentBack ? withReturns(payment) : Effect.succeed({ ...payment, returns: [] }),
          { concurrency: page.atOnce }
        )
        return { payments, ...present({ next }) }
      }),

    refund: ({ amount, endToEndId, reason, reference }) =>
      Effect.gen(function* () {
        if ((yield* findPayment(endToEndId)) === undefined) return yield* failed(noPayment)
        const made = order(readRefund(endToEndId, "refund"), "POST", "/refund", {
          transactionEndToEndId: endToEndId,
          correlationID: reference,
          value: Number(amount),
          comment: reason?.slice(0, commentMax)
        })
        return yield* unlessThere(made, findRefund({ endToEndId, reference }))
      }),
    findRefund,

    findInfraction: (id) =>
      whereThere(isEndToEndId(id) ? findPayment(id) : Effect.undefined, (payment) =>
        find(readDispute(payment), `/dispute/${id}`, saysThatNo("dispute|disputa"))
      )
  })
}

type Received = Omit<PspReceived, "returns">

/** A page of money that moved (docs/webhook/examples/transaction-received-payload), and what of it came in. */
export const readPayments = (answer: Fields) => {
  const next = String(answer.int("pageInfo.skip") + answer.int("pageInfo.limit"))
  return {
    received: answer.list("transactions").flatMap((one) => readPayment(one) ?? []),
    next: answer.isTrue("pageInfo.hasNextPage") ? next : undefined
  }
}

/** What came in names the charge that it pays, or who paid. Undefined for whatever else moved, and what has not yet. */
const readPayment = (
  moved: Fields
): { readonly payment: Received; readonly wentBack: boolean } | undefined => {
  const paidAt = moved.time("time")
  const endToEndId = moved.textIf("endToEndId")
  const status = moved.textIf("status") ?? ""
  const isIn = moved.textIf("type") === "PAYMENT" && (moved.has("charge") || moved.has("payer"))
  if (!isIn || moved.int("value") <= 0 || openStatuses.includes(status)) return undefined
  if (!isEndToEndId(endToEndId)) return undefined
  const payment = {
    endToEndId,
    amount: moved.centavos("value"),
    paidAt,
    payer: payerOf(moved.textIf("payer.name"), moved.textIf("payer.taxID.taxID")),
    ...present({ reference: moved.textIf("charge.correlationID") })
  }
  return { payment, wentBack: backStatuses.includes(status) }
}

const returnStatuses = {
  CONFIRMED: "confirmed",
  REFUNDED: "confirmed",
  REJECTED: "rejected",
  NOT_ACCOMPLISHED: "rejected"
} as const

/** `ChargeRefund` and `Refund` name their ends, and the network's id of a return, each in its way. */
const readReturn = (refund: Fields): PspReceivedReturn => {
  const status = refund.word<PspRefund["status"]>("status", returnStatuses, "processing")
  const ids = [refund.textIf("returnIdentification"), refund.textIf("endToEndId")]
  return {
    reference: refund.text("correlationID"),
    amount: refund.centavos("value"),
    status,
    ...present({
      returnId: ids.find(isReturnId),
      settledAt: status === "confirmed" ? refund.timeIf("time") : undefined
    })
  }
}

const refundOf = (endToEndId: string, money: PspReceivedReturn): PspRefund => ({
  ...money,
  endToEndId,
  ...(money.status === "rejected" && { rejection: unexplained })
})

const readRefund = (endToEndId: string, place: string) => (answer: Fields) =>
  refundOf(endToEndId, readReturn(answer.at(place)))

const disputeStatuses = {
  ACCEPTED: "accepted",
  REJECTED: "rejected",
  CANCELED: "cancelled"
} as const

/**
 * Of a MED neither the amount nor the time is told (docs/disputa/dispute-get-payload). Its id is MongoDB's, which begins with the
 * second in which it was made.
 */
const readDispute =
  ({ amount, paidAt }: PspReceived) =>
  (answer: Fields): PspInfraction => {
    const dispute = answer.at("dispute")
    const id = dispute.text("endToEndId")
    const [, second] = /^([0-9a-f]{8})[0-9a-f]{16}$/.exec(dispute.textIf("id") ?? "") ?? []
    return {
      id,
      endToEndId: id,
      status: dispute.word<PspInfraction["status"]>("status", disputeStatuses, "open"),
      amount: dispute.centavosIf("value") || amount,
      reportedAt: second ? DateTime.makeUnsafe(Number.parseInt(second, 16) * 1_000) : paidAt,
      ...present({ reason: dispute.textIf("disputeReason") })
    }
  }
