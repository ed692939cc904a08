import { present } from "@pagora/core"
import type { NewPspRefund, PspCharge, PspPayout, PspRefund } from "@pagora/core"
import { payerOf, reasonsBy } from "@pagora/core/psp"
import type { Fields } from "@pagora/core/psp"

// The bank's JSON. What does not fit throws, and the call that it answers counts as unknown. Amounts are written as `12.34`.

const chargeStatuses = { active: "OPEN", paid: "PAID", removed: "REMOVED" }

export const readCharge = (charge: Fields): PspCharge => ({
  reference: charge.text("txid"),
  pspPaymentId: charge.text("id"),
  status: charge.word("status", chargeStatuses),
  amount: charge.reais("amount"),
  pixCopyPaste: charge.text("copyPaste"),
  createdAt: charge.time("createdAt"),
  expiresAt: charge.time("expiresAt"),
  payments: charge.listIf("payments").map((payment) => ({
    endToEndId: payment.text("endToEndId"),
    amount: payment.reais("amount"),
    paidAt: payment.time("at"),
    payer: payerOf(payment.text("payer.name"), payment.text("payer.document"))
  }))
})

const payoutStatuses = {
  processing: "RUNNING",
  completed: "SETTLED",
  rejected: "REFUSED",
  reversed: "RETURNED"
}

export const readPayout = (payout: Fields): PspPayout => ({
  reference: payout.text("reference"),
  pspReference: payout.text("id"),
  status: payout.word("status", payoutStatuses),
  amount: payout.reais("amount"),
  ...present({
    endToEndId: payout.textIf("endToEndId"),
    settledAt: payout.timeIf("settledAt"),
    rejection: readRefusal(payout),
    reversal: payout.has("returned")
      ? {
          returnId: payout.text("returned.id"),
          at: payout.time("returned.at"),
          code: payout.text("returned.code")
        }
      : undefined
  })
})

const refundStatuses = { processing: "RUNNING", confirmed: "SETTLED", rejected: "REFUSED" }

export const readRefund = (refund: Fields): PspRefund => ({
  reference: refund.text("reference"),
  endToEndId: refund.text("endToEndId"),
  status: refund.word("status", refundStatuses),
  amount: refund.reais("amount"),
  ...present({
    returnId: refund.textIf("returnId"),
    settledAt: refund.timeIf("settledAt"),
    rejection: readRefusal(refund)
  })
})

const readRefusal = (order: Fields) =>
  order.has("refusal")
    ? {
        code: reasonOf(order.text("refusal.code")),
        message: order.text("refusal.message")
      }
    : undefined

/** The bank's reasons in the words that Pagora's customers read. */
export const reasonOf = reasonsBy({
  NO_SUCH_KEY: "pix_key_not_found",
  NO_FUNDS: "insufficient_psp_balance",
  ACCOUNT_CLOSED: "account_closed"
})

/** Where a return lies at the bank: below the payment that goes back. */
export const refundPath = ({ endToEndId, reference }: NewPspRefund): string =>
  `/v1/payments/${encodeURIComponent(endToEndId)}/refunds/${reference}`
