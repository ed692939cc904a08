import type { FastifyInstance } from "fastify"
import type { Pool } from "pg"
import type { Authorization } from "./Callers.ts"
import { statement } from "./Database.ts"
import { amountSchema, toBrl, toCentavos } from "./Money.ts"
import { isDocument } from "./PixKey.ts"
import { psp, pspCredentialId } from "./Psp.ts"
import { qrPng } from "./QrCode.ts"
import { Refusal } from "./Refusal.ts"
import { newUuid } from "./Uuid.ts"

interface NewCharge {
  readonly amount: number
  readonly description?: string
  readonly externalReference?: string
  readonly expiresIn: number
  readonly customer?: { readonly document?: string }
  readonly metadata?: Readonly<Record<string, unknown>>
}

const schema = {
  body: {
    type: "object",
    required: ["amount"],
    properties: {
      amount: amountSchema,
      description: { type: "string", maxLength: 140 },
      externalReference: { type: "string", minLength: 1, maxLength: 255 },
      expiresIn: { type: "integer", minimum: 60, maximum: 1_209_600, default: 86_400 },
      customer: {
        type: "object",
        properties: {
          name: { type: "string", minLength: 1, maxLength: 200 },
          document: { type: "string", minLength: 11, maxLength: 14 },
          email: { type: "string", maxLength: 254, pattern: "^[^\\s@]{1,64}@[^\\s@]{1,189}$" },
          phone: { type: "string", minLength: 3, maxLength: 30 }
        }
      },
      metadata: { type: "object", maxProperties: 50 }
    }
  },
  response: {
    201: {
      type: "object",
      properties: {
        id: { type: "string" },
        status: { type: "string" },
        amount: { type: "number" },
        currency: { type: "string" },
        pixCopyPaste: { type: "string" },
        expiresAt: { type: "string" },
        createdAt: { type: "string" },
        qrCodeBase64: { type: "string" },
        pspPaymentId: { type: "string" },
        pspCredentialId: { type: "string" },
        externalReference: { type: "string" }
      }
    }
  }
}

const insertCharge = statement(
  "insert charge",
  `insert into plain.charge (id, account, status, amount, description, external_reference, customer,
     metadata, txid, copy_paste, expires_at, created_at, updated_at)
   values ($1, $2, 'pending', $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`
)

/** `POST /pix`. One statement is one transaction: it needs neither begin nor commit. */
export const chargeRoute = (app: FastifyInstance, pool: Pool, authorized: Authorization): void => {
  app.post<{ Body: NewCharge }>(
    "/pix",
    { schema, onRequest: authorized("PIX:WRITE") },
    async ({ body, caller }, reply) => {
      const { customer, description, expiresIn, externalReference, metadata } = body
      if (caller.account_status !== "approved")
        throw new Refusal(403, "This account cannot open charges.")
      if (customer?.document !== undefined && !isDocument(customer.document))
        throw new Refusal(400, "customer.document: send a CPF or a CNPJ.")
      const centavos = toCentavos(body.amount)
      const id = newUuid()
      const txid = id.replaceAll("-", "")
      const createdAt = new Date()
      const expiresAt = new Date(createdAt.getTime() + expiresIn * 1_000)
      const registered = await psp.createCharge(txid, centavos)
      await insertCharge(pool, [
        id,
        caller.account,
        centavos,
        description,
        externalReference,
        customer,
        metadata,
        txid,
        registered.copyPaste,
        expiresAt,
        createdAt
      ])
      return reply.code(201).send({
        id,
        status: "pending",
        amount: toBrl(centavos),
        currency: "BRL",
        pixCopyPaste: registered.copyPaste,
        expiresAt: expiresAt.toISOString(),
        createdAt: createdAt.toISOString(),
        qrCodeBase64: qrPng(registered.copyPaste),
        pspPaymentId: registered.pspPaymentId,
        pspCredentialId,
        externalReference
      })
    }
  )
}
