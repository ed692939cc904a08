import type { FastifyInstance } from "fastify"
import type { Pool } from "pg"
import type { Authorization } from "./Callers.ts"
import { statement } from "./Database.ts"
import { toBrl } from "./Money.ts"
import { Refusal } from "./Refusal.ts"
import { isUuid } from "./Uuid.ts"

interface TransactionRow {
  readonly id: string
  readonly type: "payment" | "withdrawal"
  readonly status: string
  readonly amount: number
  readonly description: string | null
  readonly external_reference: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly copy_paste: string | null
  readonly expires_at: Date | null
  readonly paid_at: Date | null
  readonly end_to_end_id: string | null
  readonly counterpart_name: string | null
  readonly counterpart_document: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

const charges = `select id, 'payment' as type, status, amount, description, external_reference, metadata,
    copy_paste, expires_at, paid_at, end_to_end_id, payer_name as counterpart_name,
    payer_document as counterpart_document, created_at, updated_at
  from plain.charge`
const withdrawals = `select id, 'withdrawal' as type, status, amount, null as description, external_reference,
    null::jsonb as metadata, null as copy_paste, null::timestamptz as expires_at, processed_at as paid_at,
    end_to_end_id, holder_name as counterpart_name, holder_document as counterpart_document, created_at, updated_at
  from plain.withdrawal`

const byId = statement<TransactionRow>(
  "transaction by id",
  `${charges} where id = $2 and account = $1 union all ${withdrawals} where id = $2 and account = $1`
)

// The newest of each kind by its index, then the newer of the two.
const newest = (select: string) =>
  `(${select} where account = $1 and external_reference = $2 order by id desc limit 1)`
const byReference = statement<TransactionRow>(
  "transaction by reference",
  `${newest(charges)} union all ${newest(withdrawals)} order by id desc limit 1`
)

const byKey = statement<TransactionRow>(
  "transaction by idempotency key",
  `${withdrawals}
   where account = $1 and id = (select withdrawal from plain.idempotency_key where account = $1 and key = $2)`
)

const text = { type: "string" }
const schema = {
  params: { type: "object", properties: { id: { type: "string", minLength: 1, maxLength: 255 } } },
  response: {
    200: {
      type: "object",
      properties: {
        id: text,
        status: text,
        type: text,
        paymentMethod: text,
        amount: { type: "number" },
        currency: text,
        createdAt: text,
        description: text,
        externalReference: text,
        metadata: { type: "object", additionalProperties: true },
        pixCopyPaste: text,
        expiresAt: text,
        paidAt: text,
        e2eId: text,
        counterpartName: text,
        counterpartDocument: text,
        updatedAt: text
      }
    }
  }
}

/** `GET /transactions/{id}`: by the id, then the caller's reference, then the Idempotency-Key. */
export const transactionRoute = (
  app: FastifyInstance,
  pool: Pool,
  authorized: Authorization
): void => {
  app.get<{ Params: { readonly id: string } }>(
    "/transactions/:id",
    { schema, onRequest: authorized("TRANSACTION:READ") },
    async ({ caller, params }) => {
      const names = [caller.account, params.id]
      const row =
        (isUuid(params.id) ? (await byId(pool, names))[0] : undefined) ??
        (await byReference(pool, names))[0] ??
        (await byKey(pool, names))[0]
      if (row === undefined)
        throw new Refusal(404, "There is no such transaction.", {
          resource: "transaction",
          id: params.id
        })
      return shown(row)
    }
  )
}

const shown = (row: TransactionRow) => {
  const isPending = row.status === "pending"
  return {
    id: row.id,
    status: row.status,
    type: row.type,
    paymentMethod: "pix",
    amount: toBrl(row.amount),
    currency: "BRL",
    createdAt: row.created_at.toISOString(),
    description: row.description ?? undefined,
    externalReference: row.external_reference ?? undefined,
    metadata: row.metadata ?? undefined,
    pixCopyPaste: isPending ? (row.copy_paste ?? undefined) : undefined,
    expiresAt: isPending ? row.expires_at?.toISOString() : undefined,
    paidAt: row.paid_at?.toISOString(),
    e2eId: row.end_to_end_id ?? undefined,
    counterpartName: row.counterpart_name ?? undefined,
    counterpartDocument: row.counterpart_document ?? undefined,
    updatedAt: row.updated_at.toISOString()
  }
}
