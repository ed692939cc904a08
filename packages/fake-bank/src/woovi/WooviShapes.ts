import type {
  WooviBook,
  WooviCharge,
  WooviDispute,
  WooviEvent,
  WooviPayment,
  WooviPayout,
  WooviPerson,
  WooviRefund
} from "./WooviBook.ts"
import { chargeStatus, returnedOf } from "./WooviBook.ts"

// What Woovi shows of what it knows: the JSON of its openapi and of its callbacks (docs/webhook/examples).

const customer = ({ name, taxID }: WooviPerson) => ({
  name,
  taxID: { taxID, type: taxID.length === 11 ? "BR:CPF" : "BR:CNPJ" }
})

export const chargeShape = (book: WooviBook, charge: WooviCharge) => {
  const lasts = charge.expiresDate.getTime() - charge.createdAt.getTime()
  const { payment } = charge
  return {
    customer: charge.customer === undefined ? null : customer(charge.customer),
    value: charge.value,
    comment: charge.comment ?? "",
    identifier: charge.transactionID,
    transactionID: charge.transactionID,
    paymentLinkID: charge.paymentLinkID,
    correlationID: charge.correlationID,
    status: chargeStatus(book, charge),
    type: "DYNAMIC",
    additionalInfo: charge.additionalInfo,
    discount: 0,
    valueWithDiscount: charge.value,
    expiresIn: Math.max(0, Math.floor(lasts / 1_000)),
    expiresDate: charge.expiresDate.toISOString(),
    createdAt: charge.createdAt.toISOString(),
    updatedAt: (payment?.time ?? charge.createdAt).toISOString(),
    brCode: charge.brCode,
    ...(payment === undefined
      ? {}
      : { paidAt: payment.time.toISOString(), payer: customer(payment.payer) })
  }
}

const paymentStatus = (payment: WooviPayment): string => {
  const confirmed = payment.refunds.filter(({ status }) => status === "CONFIRMED")
  const back = returnedOf({ ...payment, refunds: confirmed })
  return back === 0 ? "CONFIRMED" : back < payment.value ? "PARTIAL_REFUND" : "REFUNDED"
}

export const paymentShape = (book: WooviBook, payment: WooviPayment) => ({
  type: "PAYMENT",
  status: paymentStatus(payment),
  endToEndId: payment.endToEndId,
  value: payment.value,
  time: payment.time.toISOString(),
  createdAt: payment.time.toISOString(),
  payer: customer(payment.payer),
  customer: null,
  charge: payment.charge === undefined ? null : chargeShape(book, payment.charge),
  ...(payment.charge === undefined ? {} : { transactionID: payment.charge.transactionID })
})

export const refundShape = ({
  comment,
  correlationID,
  endToEndId,
  status,
  time,
  value
}: WooviRefund) => ({
  status,
  value,
  correlationID,
  endToEndId,
  time: time.toISOString(),
  ...(comment === undefined ? {} : { comment })
})

const refundEnds = {
  IN_PROCESSING: "IN_PROCESSING",
  CONFIRMED: "REFUNDED",
  REJECTED: "NOT_ACCOMPLISHED"
}

/** `Refund` of the openapi, which names the ends in another way than `ChargeRefund`. */
export const singleRefundShape = (refund: WooviRefund) => ({
  status: refundEnds[refund.status],
  value: refund.value,
  correlationID: refund.correlationID,
  refundId: refund.endToEndId.slice(-11),
  returnIdentification: refund.endToEndId,
  time: refund.time.toISOString()
})

/** A return as money that moved: of a payment, or of a payout that came back. */
export const returnShape = (
  back: { readonly endToEndId: string; readonly time: Date },
  value: number,
  status: string
) => ({
  type: "REFUND",
  status,
  endToEndId: back.endToEndId,
  value,
  time: back.time.toISOString()
})

export const payoutShape = (payout: WooviPayout) => {
  const { failure, time } = payout
  const network = failure?.network
  return {
    payment: {
      type: "PIX_KEY",
      value: payout.value,
      status: payout.status,
      destinationAlias: payout.destinationAlias,
      destinationAliasType: payout.destinationAliasType,
      correlationID: payout.correlationID,
      comment: ""
    },
    ...(time === undefined && failure === undefined
      ? {}
      : {
          transaction: {
            value: payout.value,
            endToEndId: payout.endToEndId,
            ...(time === undefined ? {} : { time: time.toISOString() }),
            ...(network === undefined
              ? {}
              : {
                  providerErrorCode: network,
                  providerRejectedReason: `${network} - ${failure?.description}`
                })
          }
        }),
    ...(payout.status === "CONFIRMED"
      ? {
          destination: {
            name: "João Souza",
            taxID: "11144477735",
            pixKey: payout.destinationAlias,
            bank: "Banco de Testes",
            branch: "0001",
            account: "123456"
          }
        }
      : {}),
    ...(failure === undefined
      ? {}
      : { error: { code: failure.code, description: failure.description } })
  }
}

/** docs/disputa/dispute-get-payload */
export const disputeShape = ({ endToEndId, id, status, type }: WooviDispute) => ({
  type,
  status,
  endToEndId,
  id
})

const company = { id: "624f46f9e93f9f521c8308d7", name: "Loja Azul", taxID: "04252011000110" }
const account = { clientId: "ZOJ64B9B-ZM1W-89MI-4UCI-OP2LVIU6NY75" }

/** The events by their names, and their bodies. */
export const eventShapes = (
  book: WooviBook,
  told: WooviEvent
): ReadonlyArray<{ readonly event: string } & Record<string, unknown>> => {
  switch (told.event) {
    case "charge":
    case "charge_expired": {
      const charge = chargeShape(book, told.charge)
      const { payment } = told.charge
      return told.event === "charge_expired" || payment === undefined
        ? [{ event: "OPENPIX:CHARGE_EXPIRED", charge, company }]
        : [
            {
              event: "OPENPIX:CHARGE_COMPLETED",
              charge,
              pix: paymentShape(book, payment),
              company,
              account
            }
          ]
    }
    case "received": {
      const pix = paymentShape(book, told.payment)
      const { charge } = pix
      return [
        {
          event: "OPENPIX:TRANSACTION_RECEIVED",
          charge,
          pixQrCode: null,
          pix,
          company,
          account,
          refunds: []
        }
      ]
    }
    case "refund": {
      const { payment, refund } = told
      const end = refund.status === "CONFIRMED" ? "CONFIRMED" : "REJECTED"
      const refundTransaction = returnShape(refund, refund.value, refund.status)
      const originalTransaction = { ...paymentShape(book, payment), charge: undefined }
      const error =
        end === "REJECTED" ? { error: "ED05 - Pagamento rejeitado pelo PSP do recebedor" } : {}
      const event = `PIX_TRANSACTION_REFUND_SENT_${end}`
      return [{ event, refundTransaction, originalTransaction, company, account, ...error }]
    }
    case "returned": {
      const { back, endToEndId, value } = told.payout
      if (back === undefined) return []
      const refundTransaction = returnShape(back, value, "CONFIRMED")
      const originalTransaction = { type: "PAYMENT", status: "CONFIRMED", endToEndId, value }
      const event = "PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED"
      return [{ event, refundTransaction, originalTransaction, company, account }]
    }
    case "movement": {
      const { error, payment, transaction } = payoutShape(told.payout)
      const event = error === undefined ? "OPENPIX:MOVEMENT_CONFIRMED" : "OPENPIX:MOVEMENT_FAILED"
      return [{ event, payment, transaction, ...(error === undefined ? {} : { error }) }]
    }
    case "dispute": {
      const event = `OPENPIX:DISPUTE_${told.isNew ? "CREATED" : told.dispute.status}`
      return [{ event, dispute: disputeShape(told.dispute) }]
    }
  }
}
