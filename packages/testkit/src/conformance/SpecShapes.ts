// The response tables of the specification, as data.
import {
  allOf,
  anObject,
  anyText,
  base64,
  brl,
  exactly,
  instant,
  listOf,
  orNull,
  record,
  signedBrl,
  someText,
  uuid,
  whole
} from "./Shape.ts"
import type { Shape } from "./Shape.ts"
import type { Json } from "./Wire.ts"
import { at } from "./Wire.ts"

export const tokenShape = record({
  required: { access_token: someText, token_type: exactly("Bearer"), expires_in: exactly(300) }
})

const returnShape = record({
  required: {
    status: exactly("pending", "confirmed", "failed"),
    e2eId: orNull(someText),
    settledAt: orNull(instant)
  }
})

export const blockedDepositShape = record({
  required: { reason: someText, refund: orNull(returnShape) }
})

/** Fields that a transaction has in one of its states only. */
const onlyIn =
  (field: string, status: string): Shape =>
  (value, path) =>
    at(value, field) === undefined || at(value, "status") === status
      ? []
      : [`${path}${field}: only while status is ${status}, got ${JSON.stringify(value)}`]

const transactionTypes = [
  "payment",
  "fee",
  "refund",
  "chargeback",
  "withdrawal",
  "adjustment",
  "referral_commission",
  "internal_transfer"
] as const

export const transactionShape = allOf(
  record({
    required: {
      id: uuid,
      status: exactly("pending", "completed", "failed", "cancelled"),
      type: exactly(...transactionTypes),
      paymentMethod: exactly("pix", "credit_card", "boleto"),
      amount: signedBrl,
      currency: exactly("BRL"),
      createdAt: instant
    },
    optional: {
      description: anyText,
      externalReference: someText,
      customerId: uuid,
      projectId: uuid,
      metadata: anObject,
      pixCopyPaste: someText,
      expiresAt: instant,
      paidAt: instant,
      e2eId: someText,
      counterpartName: someText,
      counterpartDocument: someText,
      failureReason: someText,
      blockedDeposit: orNull(blockedDepositShape),
      updatedAt: instant
    }
  }),
  onlyIn("pixCopyPaste", "pending"),
  onlyIn("expiresAt", "pending"),
  onlyIn("failureReason", "failed")
)

const legsShape = listOf(record({ required: { subAccount: someText, amount: brl } }))

export const chargeShape = record({
  required: {
    id: uuid,
    status: exactly("pending"),
    amount: brl,
    currency: exactly("BRL"),
    pixCopyPaste: someText,
    expiresAt: instant,
    createdAt: instant,
    qrCodeBase64: base64,
    pspPaymentId: someText,
    pspCredentialId: uuid
  },
  optional: { externalReference: someText, split: legsShape }
})

export const withdrawalShape = record({
  required: {
    id: uuid,
    amount: brl,
    feeAmount: brl,
    netAmount: brl,
    status: exactly("pending", "processing", "completed", "failed", "reversed"),
    snapshotPixKey: someText,
    snapshotPixKeyType: exactly("cpf", "cnpj", "email", "phone", "random"),
    createdAt: instant,
    failureReason: orNull(someText),
    pspReference: orNull(someText)
  },
  optional: {
    snapshotHolderName: someText,
    snapshotHolderDocument: someText,
    processedAt: instant,
    projectId: uuid,
    externalReference: someText
  }
})

export const refundShape = record({
  required: {
    originalTransactionId: uuid,
    pspProvider: someText,
    pspRefundTransactionId: someText,
    status: exactly("PENDING", "CONFIRMED", "ERROR")
  }
})

export const projectShape = record({
  required: { id: uuid, name: someText, createdAt: instant },
  optional: { color: anyText, description: anyText, logoUrl: someText }
})

export const projectsShape = record({
  required: {
    items: listOf(projectShape),
    total: whole,
    page: whole,
    limit: whole,
    totalPages: whole
  }
})

export const subAccountShape = record({
  required: {
    id: uuid,
    reference: someText,
    name: anyText,
    status: someText,
    createdAt: instant
  }
})

export const subAccountsShape = record({ required: { data: listOf(subAccountShape) } })

/** Minor units beside the decimal figure of the same value. */
const figureShape: Shape = allOf(
  record({ required: { amount: whole, amountFormatted: signedBrl } }),
  (value, path) => {
    const [minor, decimal] = [at(value, "amount"), at(value, "amountFormatted")]
    return typeof minor === "number" && typeof decimal === "number" && minor / 100 === decimal
      ? []
      : [`${path}: amount in centavos and amountFormatted in BRL differ: ${JSON.stringify(value)}`]
  }
)

export const accountShape = record({
  required: {
    // The account's other data is not shown by the specification.
    account: record({ required: { id: uuid, status: someText }, open: true }),
    balance: record({
      required: {
        available: figureShape,
        promotional: figureShape,
        held: figureShape,
        total: figureShape,
        currency: exactly("BRL"),
        updatedAt: instant
      }
    })
  }
})

const blockShape = record({
  required: {
    id: uuid,
    transactionId: uuid,
    amount: brl,
    status: exactly("awaiting_response", "defended", "approved", "rejected"),
    blockType: exactly("med", "judicial", "administrative"),
    createdAt: instant
  },
  optional: {
    referenceNumber: someText,
    reason: someText,
    externalReference: someText,
    e2eId: someText,
    resolutionReason: someText,
    resolvedAt: instant
  }
})

export const blocksShape = record({ required: { items: listOf(blockShape), total: whole } })

/** The `error` value of each status (specification, Errors). */
const errorNames: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "RequestTimeout",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableEntity",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable"
}

export const envelopeShape = (status: number): Shape =>
  record({
    required: {
      statusCode: exactly(status),
      error: exactly(errorNames[status] ?? "an error value"),
      message: someText,
      timestamp: instant
    },
    optional: { details: anObject, traceId: someText }
  })

/** Errors of `POST /auth` have two fields only. */
export const authErrorShape = (error: Json): Shape =>
  record({ required: { error: exactly(error), message: someText } })
