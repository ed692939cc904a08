import { createHash } from "node:crypto"
import { brCode } from "../bacen/BrCode.ts"
import type { Person } from "../world/BankAccount.ts"
import { toReais } from "../world/Centavos.ts"
import type { Charge } from "../world/Charge.ts"
import { expiresAt } from "../world/Charge.ts"
import { isPayable } from "../world/Charges.ts"
import type { Infraction } from "../world/Infraction.ts"
import type { Payment, PaymentReturn } from "../world/Payment.ts"
import type { Payout, PayoutReturn } from "../world/Payout.ts"
import type { World } from "../world/World.ts"

// What Woovi shows of what is so: the JSON of its openapi and of its callbacks (docs/webhook/examples).

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** An id as MongoDB makes them: it begins with the second in which it was made. */
export const mongoId = (of: string, at: Date): string => {
  const second = Math.floor(at.getTime() / 1_000)
  return second.toString(16).padStart(8, "0") + hashOf(of).slice(0, 16)
}

const transactionIdOf = ({ txid }: Charge): string => hashOf(txid).slice(0, 32)

export const brCodeOf = (charge: Charge): string => {
  const { account, terms } = charge
  return brCode(
    `qr.woovi.test/v2/${transactionIdOf(charge)}`,
    account.name,
    toReais(terms.centavos)
  )
}

const customer = ({ document, name }: Person) => ({
  name,
  taxID: { taxID: document, type: document.length === 11 ? "BR:CPF" : "BR:CNPJ" }
})

/** What is deleted is not there. */
export const isRemoved = ({ status }: Charge): boolean => status.startsWith("REMOVIDA")

const chargeStatus = (world: World, charge: Charge): string =>
  charge.payments.length > 0 ? "COMPLETED" : isPayable(world, charge) ? "ACTIVE" : "EXPIRED"

/** Its documents show an end that is counted from a little before. */
const beforeMillis = 190

export const chargeShape = (world: World, charge: Charge) => {
  const { createdAt, endedAt, terms, txid } = charge
  const [payment] = charge.payments
  const ends = expiresAt(charge)
  return {
    customer: terms.debtor === undefined ? null : customer(terms.debtor),
    value: terms.centavos,
    comment: terms.message ?? "",
    identifier: transactionIdOf(charge),
    transactionID: transactionIdOf(charge),
    paymentLinkID: hashOf(`link ${txid}`).replace(
      /^(.{8})(.{4})(.{4})(.{4})(.{12}).*/,
      "$1-$2-$3-$4-$5"
    ),
    correlationID: txid,
    status: chargeStatus(world, charge),
    type: "DYNAMIC",
    additionalInfo: (terms.notes ?? []).map(({ nome, valor }) => ({ key: nome, value: valor })),
    discount: 0,
    valueWithDiscount: terms.centavos,
    expiresIn: Math.max(0, Math.floor((ends.getTime() - createdAt.getTime()) / 1_000)),
    expiresDate: new Date(
      ends.getTime() - (endedAt === undefined ? beforeMillis : 0)
    ).toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: (payment?.at ?? createdAt).toISOString(),
    brCode: brCodeOf(charge),
    ...(payment === undefined
      ? {}
      : { paidAt: payment.at.toISOString(), payer: customer(payment.payer) })
  }
}

const paymentStatus = ({ centavos, returns }: Payment): string => {
  const back = returns
    .filter(({ status }) => status === "DEVOLVIDO")
    .reduce((sum, one) => sum + one.centavos, 0)
  return back === 0 ? "CONFIRMED" : back < centavos ? "PARTIAL_REFUND" : "REFUNDED"
}

export const paymentShape = (world: World, payment: Payment) => {
  const charge = world.charges.find(({ payments }) => payments.includes(payment))
  return {
    type: "PAYMENT",
    status: paymentStatus(payment),
    endToEndId: payment.endToEndId,
    value: payment.centavos,
    time: payment.at.toISOString(),
    createdAt: payment.at.toISOString(),
    payer: customer(payment.payer),
    customer: null,
    charge: charge === undefined ? null : chargeShape(world, charge),
    ...(charge === undefined ? {} : { transactionID: transactionIdOf(charge) })
  }
}

/** `ChargeRefund` of the openapi. */
const ofCharge = {
  EM_PROCESSAMENTO: "IN_PROCESSING",
  DEVOLVIDO: "CONFIRMED",
  NAO_REALIZADO: "REJECTED"
} as const

/** `Refund` of the openapi, which names the ends in another way. */
const ofItself = {
  EM_PROCESSAMENTO: "IN_PROCESSING",
  DEVOLVIDO: "REFUNDED",
  NAO_REALIZADO: "NOT_ACCOMPLISHED"
} as const

const timeOf = ({ requestedAt, settledAt }: PaymentReturn): string =>
  (settledAt ?? requestedAt).toISOString()

export const refundShape = (back: PaymentReturn) => ({
  status: ofCharge[back.status],
  value: back.centavos,
  correlationID: back.id,
  endToEndId: back.returnId,
  time: timeOf(back),
  ...(back.description === undefined ? {} : { comment: back.description })
})

export const singleRefundShape = (back: PaymentReturn) => ({
  status: ofItself[back.status],
  value: back.centavos,
  correlationID: back.id,
  refundId: back.returnId.slice(-11),
  returnIdentification: back.returnId,
  time: timeOf(back)
})

/** A return as money that moved. */
export const returnShape = (back: PaymentReturn) => ({
  type: "REFUND",
  status: ofCharge[back.status],
  endToEndId: back.returnId,
  value: back.centavos,
  time: timeOf(back)
})

/** Money of a payout that came back. */
export const payoutReturnShape = (payout: Payout, { at, centavos, returnId }: PayoutReturn) => ({
  type: "REFUND",
  status: "CONFIRMED",
  endToEndId: returnId,
  value: centavos,
  time: at.toISOString(),
  withdraw: { endToEndId: payout.endToEndId, value: payout.centavos }
})

const payoutStatuses = {
  awaiting_approval: "CREATED",
  processing: "APPROVED",
  completed: "CONFIRMED",
  failed: "FAILED",
  reversed: "FAILED"
} as const

const aliasTypes: ReadonlyArray<readonly [type: string, form: RegExp]> = [
  ["EMAIL", /@/],
  ["PHONE", /^\+/],
  ["CPF", /^\d{11}$/],
  ["CNPJ", /^[0-9A-Z]{12}\d{2}$/]
]

export const payoutShape = (payout: Payout) => {
  const { centavos, endToEndId, recipient, recipientKey, reference, settledAt, status } = payout
  return {
    payment: {
      type: "PIX_KEY",
      value: centavos,
      status: payoutStatuses[status],
      destinationAlias: recipientKey,
      destinationAliasType: aliasTypes.find(([, form]) => form.test(recipientKey))?.[0] ?? "RANDOM",
      correlationID: reference,
      comment: ""
    },
    ...(settledAt === undefined && payout.failure === undefined
      ? {}
      : {
          transaction: {
            value: centavos,
            endToEndId,
            ...(settledAt === undefined ? {} : { time: settledAt.toISOString() }),
            ...ofNetwork(payout)
          }
        }),
    ...(status === "completed"
      ? {
          destination: {
            name: recipient.name,
            taxID: recipient.document,
            pixKey: recipientKey,
            bank: "Banco de Testes",
            branch: "0001",
            account: "123456"
          }
        }
      : {}),
    ...failureShape(payout)
  }
}

/** The network's codes have four letters and digits (docs/flows/error-codes-payment), Woovi's own are words. */
const isOfNetwork = (code: string): boolean => /^[A-Z0-9]{4}$/.test(code)

const ofNetwork = ({ failure }: Payout) =>
  failure === undefined || !isOfNetwork(failure.code)
    ? {}
    : {
        providerErrorCode: failure.code,
        providerRejectedReason: `${failure.code} - ${failure.message}`
      }

/** docs/payment/payment-failed-errors */
const failureShape = ({ failure }: Payout) =>
  failure === undefined
    ? {}
    : {
        error: {
          code: isOfNetwork(failure.code) ? "PAY_PIX_KEY_ERROR" : failure.code,
          description: failure.message
        }
      }

const disputeStatuses = {
  open: "IN_REVIEW",
  defended: "IN_REVIEW",
  accepted: "ACCEPTED",
  rejected: "REJECTED",
  cancelled: "CANCELED"
} as const

/** docs/disputa/dispute-get-payload */
export const disputeShape = ({ payment, reason, reportedAt, status }: Infraction) => ({
  type: "MED",
  status: disputeStatuses[status],
  endToEndId: payment.endToEndId,
  disputeReason: reason,
  id: mongoId(payment.endToEndId, reportedAt)
})
