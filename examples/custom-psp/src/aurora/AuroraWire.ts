import { Money } from "@pagora/core"
import type { NewPspRefund, PspCharge, PspPayout, PspRefund } from "@pagora/core"
import type { Centavos } from "@pagora/core"
import { Result, Schema } from "effect"

// The bank's JSON. What does not fit throws, and the call that it answers counts as unknown.

const Time = Schema.DateTimeUtcFromString
const Rejection = Schema.Struct({ code: Schema.String, message: Schema.String })

const Charge = Schema.Struct({
  txid: Schema.String,
  id: Schema.String,
  status: Schema.Literals(["OPEN", "PAID", "REMOVED"]),
  amount: Schema.String,
  copyPaste: Schema.String,
  createdAt: Time,
  expiresAt: Time,
  payments: Schema.Array(
    Schema.Struct({
      endToEndId: Schema.String,
      amount: Schema.String,
      at: Time,
      payer: Schema.Struct({ name: Schema.String, document: Schema.String })
    })
  )
})

const Payout = Schema.Struct({
  reference: Schema.String,
  id: Schema.String,
  status: Schema.Literals(["RUNNING", "SETTLED", "REFUSED", "RETURNED"]),
  amount: Schema.String,
  endToEndId: Schema.optionalKey(Schema.String),
  settledAt: Schema.optionalKey(Time),
  refusal: Schema.optionalKey(Rejection),
  returned: Schema.optionalKey(Schema.Struct({ id: Schema.String, at: Time, code: Schema.String }))
})

const Refund = Schema.Struct({
  reference: Schema.String,
  endToEndId: Schema.String,
  status: Schema.Literals(["RUNNING", "SETTLED", "REFUSED"]),
  amount: Schema.String,
  returnId: Schema.optionalKey(Schema.String),
  settledAt: Schema.optionalKey(Time),
  refusal: Schema.optionalKey(Rejection)
})

/** The bank writes amounts as `12.34`. */
export const writeAmount = Money.toBrlString

const readAmount = (text: string): Centavos => Result.getOrThrow(Money.parseBacenAmount(text))

const chargeStatuses = { OPEN: "active", PAID: "paid", REMOVED: "removed" } as const

export const readCharge = (json: unknown): PspCharge => {
  const charge = Schema.decodeUnknownSync(Charge)(json)
  return {
    reference: charge.txid,
    pspPaymentId: charge.id,
    status: chargeStatuses[charge.status],
    amount: readAmount(charge.amount),
    pixCopyPaste: charge.copyPaste,
    createdAt: charge.createdAt,
    expiresAt: charge.expiresAt,
    payments: charge.payments.map(({ at, amount, ...payment }) => ({
      ...payment,
      amount: readAmount(amount),
      paidAt: at
    }))
  }
}

const payoutStatuses = {
  RUNNING: "processing",
  SETTLED: "completed",
  REFUSED: "rejected",
  RETURNED: "reversed"
} as const

/** The bank's reasons in the words that Pagora's customers read; one that is not here is passed on as it is. */
const reasons: Readonly<Record<string, string>> = {
  NO_SUCH_KEY: "pix_key_not_found",
  NO_FUNDS: "insufficient_psp_balance",
  ACCOUNT_CLOSED: "account_closed"
}
export const reasonOf = (code: string): string => reasons[code] ?? code

export const readPayout = (json: unknown): PspPayout => {
  const { id, refusal, returned, ...payout } = Schema.decodeUnknownSync(Payout)(json)
  return {
    ...payout,
    pspReference: id,
    status: payoutStatuses[payout.status],
    amount: readAmount(payout.amount),
    ...(refusal === undefined
      ? {}
      : { rejection: { code: reasonOf(refusal.code), message: refusal.message } }),
    ...(returned === undefined
      ? {}
      : { reversal: { returnId: returned.id, at: returned.at, code: returned.code } })
  }
}

const refundStatuses = { RUNNING: "processing", SETTLED: "confirmed", REFUSED: "rejected" } as const

export const readRefund = (json: unknown): PspRefund => {
  const { refusal, ...refund } = Schema.decodeUnknownSync(Refund)(json)
  return {
    ...refund,
    status: refundStatuses[refund.status],
    amount: readAmount(refund.amount),
    ...(refusal === undefined ? {} : { rejection: refusal })
  }
}

/** Where a return lies at the bank: below the payment that goes back. */
export const refundPath = ({ endToEndId, reference }: NewPspRefund): string =>
  `/v1/payments/${encodeURIComponent(endToEndId)}/refunds/${reference}`
