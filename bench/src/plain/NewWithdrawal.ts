import { createHash } from "node:crypto"
import type { Caller } from "./Callers.ts"
import { amountSchema, toBrl, toCentavos } from "./Money.ts"
import type { PixKeyType } from "./PixKey.ts"
import { isDocument, isPixKey, pixKeyTypes } from "./PixKey.ts"
import { Refusal } from "./Refusal.ts"
import { newUuid } from "./Uuid.ts"

/** What is asked for. */
export interface NewWithdrawal {
  readonly pixKey: string
  readonly pixKeyType: PixKeyType
  readonly holderName?: string
  readonly holderDocument?: string
  readonly amount?: number
  readonly netAmount?: number
  readonly externalReference?: string
}

const text = { type: "string" }

export const schema = {
  headers: {
    type: "object",
    properties: { "idempotency-key": { type: "string", minLength: 8, maxLength: 255 } }
  },
  body: {
    type: "object",
    required: ["pixKey", "pixKeyType"],
    oneOf: [{ required: ["amount"] }, { required: ["netAmount"] }],
    properties: {
      pixKey: { type: "string", minLength: 1, maxLength: 100 },
      pixKeyType: { type: "string", enum: pixKeyTypes },
      holderName: { type: "string", minLength: 1, maxLength: 200 },
      holderDocument: { type: "string", minLength: 11, maxLength: 14 },
      amount: amountSchema,
      netAmount: amountSchema,
      externalReference: { type: "string", minLength: 1, maxLength: 255 }
    }
  },
  response: {
    201: {
      type: "object",
      properties: {
        id: text,
        amount: { type: "number" },
        feeAmount: { type: "number" },
        netAmount: { type: "number" },
        status: text,
        snapshotHolderName: text,
        snapshotHolderDocument: text,
        snapshotPixKey: text,
        snapshotPixKeyType: text,
        createdAt: text,
        failureReason: { type: ["string", "null"] },
        pspReference: { type: ["string", "null"] },
        externalReference: text
      }
    }
  }
}

/** One that was accepted; whether there is enough, the wallet decides. */
export interface Accepted {
  readonly id: string
  readonly account: string
  readonly body: NewWithdrawal
  readonly amount: number
  readonly fee: number
  readonly createdAt: Date
}

export const accept = (caller: Caller, body: NewWithdrawal): Accepted => {
  if (caller.account_status !== "approved") throw new Refusal(403, "This account cannot withdraw.")
  if (!isPixKey(body.pixKeyType, body.pixKey))
    throw new Refusal(400, `pixKey: send a key of the type ${body.pixKeyType}.`)
  if (body.holderDocument !== undefined && !isDocument(body.holderDocument))
    throw new Refusal(400, "holderDocument: send a CPF or a CNPJ.")
  const fee = caller.withdrawal_fee
  const amount =
    body.amount === undefined ? toCentavos(body.netAmount ?? 0) + fee : toCentavos(body.amount)
  if (amount <= fee) throw new Refusal(400, "amount: the fee would take all of it.")
  return { id: newUuid(), account: caller.account, body, amount, fee, createdAt: new Date() }
}

/** What its creation is answered, now and whenever it is repeated. */
export const answerOf = ({ amount, body, createdAt, fee, id }: Accepted) => ({
  id,
  amount: toBrl(amount),
  feeAmount: toBrl(fee),
  netAmount: toBrl(amount - fee),
  status: "pending",
  snapshotHolderName: body.holderName,
  snapshotHolderDocument: body.holderDocument,
  snapshotPixKey: body.pixKey,
  snapshotPixKeyType: body.pixKeyType,
  createdAt: createdAt.toISOString(),
  failureReason: null,
  pspReference: null,
  externalReference: body.externalReference
})

/** The same for the same request, in whatever order its fields came. */
export const digestOf = (body: NewWithdrawal): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest()
