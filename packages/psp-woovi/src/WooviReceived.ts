import type { FindPspRefund, PspInfraction, PspReceived, PspRefund } from "@pagora/core"
import { present } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { DateTime, Effect } from "effect"
import { saysThatNo, unexplained } from "./WooviErrors.ts"

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
export const makeReceived = ({ ask, find, order }: Psp.JsonApi) => {
  /** Woovi tells of returns below charges alone, and does not name the charge: a payment to the key itself shows none. */
  const withReturns = (payment: PspReceived) => {
    const { endToEndId, reference } = payment
    const read = (answer: Psp.Fields) => answer.listIf("refunds").map(readRefund(endToEndId))
    const path = `/charge/${encodeURIComponent(reference ?? "")}/refund`
    const listed = reference === undefined ? Effect.succeed([]) : ask(read, path)
    return Effect.flatMap(listed, (returns) => Psp.withReturns(payment, returns))
  }

  const findPayment = (endToEndId: string) => {
    const read = (answer: Psp.Fields) => readPayment(answer.at("transaction").about({ endToEndId }))
    const found = find(read, `/transaction/${endToEndId}`, saysThatNo("transaction|transaç"))
    return Psp.whereThere(found, ({ payment }) => withReturns(payment))
  }

  const findRefund = ({ endToEndId, reference }: FindPspRefund) =>
    Psp.whereThere(findPayment(endToEndId), ({ returns }): Psp.Asked<PspRefund | undefined> => {
      const listed = returns.find((one) => one.reference === reference)
      if (listed !== undefined) return Effect.succeed(listed)
      // Nowhere is it written that the list of a charge has all of its returns: only what neither place has is not there.
      const read = (answer: Psp.Fields) => readRefund(endToEndId)(answer.at("pixTransactionRefund"))
      return find(read, `/refund/${reference}`, saysThatNo("refund|reembolso"))
    })

  return Psp.someCalls({
    findPayment,
    listPayments: ({ cursor = "0", from, to }) =>
      Effect.gen(function* () {
        const start = DateTime.formatIso(DateTime.subtract(from, slack))
        const end = DateTime.formatIso(DateTime.add(to, slack))
        const path = `/transaction?type=PAYMENT&start=${start}&end=${end}&skip=${cursor}&limit=${page.limit}`
        const { next, received } = yield* ask(readPayments, path)
        const payments = yield* Effect.forEach(
          received,
          ({ payment, wentBack }) => (wentBack ? withReturns(payment) : Effect.succeed(payment)),
          { concurrency: page.atOnce }
        )
        return { payments, ...present({ next }) }
      }),

    refund: ({ amount, endToEndId, reason, reference }) => {
      const read = (answer: Psp.Fields) => readRefund(endToEndId)(answer.at("refund"))
      const made = order(read, "POST", "/refund", {
        transactionEndToEndId: endToEndId,
        correlationID: reference,
        value: Number(amount),
        comment: reason?.slice(0, commentMax)
      })
      return Psp.giveBack(findPayment(endToEndId), made, findRefund({ endToEndId, reference }))
    },
    findRefund,

    findInfraction: (id) =>
      Psp.whereThere(Psp.isEndToEndId(id) ? findPayment(id) : Effect.undefined, (payment) =>
        find(readDispute(payment), `/dispute/${id}`, saysThatNo("dispute|disputa"))
      )
  })
}

/** A page of money that moved (docs/webhook/examples/transaction-received-payload), and what of it came in. */
export const readPayments = (answer: Psp.Fields) => {
  const next = String(answer.int("pageInfo.skip") + answer.int("pageInfo.limit"))
  return {
    received: answer.listIf("transactions").flatMap((one) => readPayment(one) ?? []),
    next: answer.isTrue("pageInfo.hasNextPage") ? next : undefined
  }
}

/** What came in names the charge that it pays, or who paid. Undefined for whatever else moved, and what has not yet. */
const readPayment = (moved: Psp.Fields) => {
  const paidAt = moved.time("time")
  const endToEndId = moved.textIf("endToEndId")
  const status = moved.textIf("status") ?? ""
  const isIn = moved.textIf("type") === "PAYMENT" && (moved.has("charge") || moved.has("payer"))
  if (!isIn || moved.int("value") <= 0 || openStatuses.includes(status)) return undefined
  if (!Psp.isEndToEndId(endToEndId)) return undefined
  const payment: PspReceived = {
    endToEndId,
    amount: moved.centavos("value"),
    paidAt,
    payer: Psp.payerOf(moved.textIf("payer.name"), moved.textIf("payer.taxID.taxID")),
    ...present({ reference: moved.textIf("charge.correlationID") }),
    returns: []
  }
  return { payment, wentBack: backStatuses.includes(status) }
}

const returnStatuses = {
  confirmed: ["CONFIRMED", "REFUNDED"],
  rejected: ["REJECTED", "NOT_ACCOMPLISHED"]
}

/** `ChargeRefund` and `Refund` name their ends, and the network's id of a return, each in its way. */
const readRefund =
  (endToEndId: string) =>
  (refund: Psp.Fields): PspRefund => {
    const status = refund.word("status", returnStatuses, "processing")
    const ids = [refund.textIf("returnIdentification"), refund.textIf("endToEndId")]
    return {
      reference: refund.text("correlationID"),
      endToEndId,
      amount: refund.centavos("value"),
      status,
      ...present({
        returnId: ids.find(Psp.isReturnId),
        settledAt: status === "confirmed" ? refund.timeIf("time") : undefined,
        rejection: status === "rejected" ? unexplained : undefined
      })
    }
  }

const disputeEnds = { accepted: "ACCEPTED", rejected: "REJECTED", cancelled: "CANCELED" }

/**
 * Of a MED neither the amount nor the time is told (docs/disputa/dispute-get-payload). Its id is MongoDB's, which begins with the
 * second in which it was made.
 */
const readDispute =
  ({ amount, paidAt }: PspReceived) =>
  (answer: Psp.Fields): PspInfraction => {
    const dispute = answer.at("dispute")
    const id = dispute.text("endToEndId")
    const [, second] = /^([0-9a-f]{8})[0-9a-f]{16}$/.exec(dispute.textIf("id") ?? "") ?? []
    return {
      id,
      endToEndId: id,
      status: dispute.word("status", disputeEnds, "open"),
      amount: dispute.centavosIf("value") || amount,
      reportedAt: second ? DateTime.makeUnsafe(Number.parseInt(second, 16) * 1_000) : paidAt,
      ...present({ reason: dispute.textIf("disputeReason") })
    }
  }
