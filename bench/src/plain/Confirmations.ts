import type { FastifyInstance } from "fastify"
import { timingSafeEqual } from "node:crypto"
import type { Pool } from "pg"
import { statement, transaction } from "./Database.ts"
import { amountSchema, toBrl, toCentavos } from "./Money.ts"
import { Refusal } from "./Refusal.ts"
import { newUuid } from "./Uuid.ts"

/** What the PSP tells of a payment. */
interface Notice {
  readonly txid: string
  readonly endToEndId: string
  readonly amount: number
  readonly paidAt: string
  readonly payer?: { readonly name?: string; readonly document?: string }
}

const schema = {
  body: {
    type: "object",
    required: ["txid", "endToEndId", "amount", "paidAt"],
    properties: {
      txid: { type: "string", pattern: "^[A-Za-z0-9]{26,35}$" },
      endToEndId: { type: "string", pattern: "^E[A-Za-z0-9]{31}$" },
      amount: amountSchema,
      paidAt: { type: "string", format: "date-time" },
      payer: {
        type: "object",
        properties: { name: { type: "string" }, document: { type: "string" } }
      }
    }
  },
  response: { 200: { type: "object", properties: { settled: { type: "boolean" } } } }
}

interface ChargeRow {
  readonly id: string
  readonly account: string
  readonly status: string
  readonly amount: number
  readonly external_reference: string | null
  readonly metadata: Readonly<Record<string, unknown>> | null
  readonly payment_fee: number
}

// Charge and wallet in one round trip, always in this order.
const lockCharge = statement<ChargeRow>(
  "lock charge and wallet",
  `select c.id, c.account, c.status, c.amount, c.external_reference, c.metadata, a.payment_fee
   from plain.charge c
     join plain.wallet w on w.account = c.account
     join plain.account a on a.id = c.account
   where c.txid = $1
   for no key update of c, w`
)

const completeCharge = statement(
  "complete charge",
  `with completed as (
     update plain.charge
     set status = 'completed', end_to_end_id = $3, paid_at = $4, payer_name = $5, payer_document = $6, updated_at = $7
     where id = $1
   ), credited as (
     update plain.wallet set available = available + $8::bigint - $9::bigint, updated_at = $7
     where account = $2
   ), booked as (
     insert into plain.ledger_entry (source, owner, bucket, kind, amount, created_at)
     select $1, line.owner, line.bucket, line.kind, line.amount, $7
     from (values (null, 'psp_clearing', 'payment', -$8::bigint), ($2::uuid, 'available', 'payment', $8),
       ($2, 'available', 'fee', -$9::bigint), (null, 'fee_revenue', 'fee', $9)) as line (owner, bucket, kind, amount)
     where line.amount <> 0
   ), told as (
     insert into plain.event (id, account, type, body, created_at)
     values ($10, $2, 'payment_completed', $11, $7)
     returning id
   )
   insert into plain.delivery (event, endpoint, status, attempts, next_at)
   select told.id, endpoint.id, 'pending', 0, $7
   from told join plain.webhook_endpoint endpoint on endpoint.account = $2 and endpoint.enabled`
)

const million = 1_000_000

/** `POST /confirm`: the PSP says that a charge was paid, and proves by a secret that it is the PSP. */
export const confirmationRoute = (app: FastifyInstance, pool: Pool, pspSecret: string): void => {
  const expected = Buffer.from(`Bearer ${pspSecret}`)
  app.post<{ Body: Notice }>(
    "/confirm",
    {
      schema,
      onRequest: async ({ headers }) => {
        const given = Buffer.from(headers.authorization ?? "")
        if (given.length !== expected.length || !timingSafeEqual(given, expected))
          throw new Refusal(401, "This is not the PSP.")
      }
    },
    async ({ body }) => ({ settled: await settle(pool, body) })
  )
}

/** Whether this notice settled it; a repeat changes nothing. */
const settle = (pool: Pool, notice: Notice): Promise<boolean> =>
  transaction(pool, async (client) => {
    const [charge] = await lockCharge(client, [notice.txid])
    if (charge === undefined) throw new Refusal(404, "There is no such charge.")
    if (charge.status === "completed") return false
    const amount = toCentavos(notice.amount)
    if (amount !== charge.amount) throw new Refusal(422, "This is not the amount of the charge.")
    const fee = Math.min(Math.round((amount * charge.payment_fee) / million), amount)
    const now = new Date()
    await completeCharge(client, [
      charge.id,
      charge.account,
      notice.endToEndId,
      notice.paidAt,
      notice.payer?.name,
      notice.payer?.document,
      now,
      amount,
      fee,
      newUuid(),
      paymentCompleted(charge, notice, fee, now)
    ])
    return true
  })

const paymentCompleted = (charge: ChargeRow, notice: Notice, fee: number, now: Date) => ({
  event: "payment_completed",
  eventId: charge.id,
  timestamp: now.toISOString(),
  subAccount: null,
  data: {
    transactionId: charge.id,
    environment: "sandbox",
    amount: toBrl(charge.amount),
    feeAmount: toBrl(fee),
    netAmount: toBrl(charge.amount - fee),
    currency: "BRL",
    paymentMethod: "pix",
    status: "completed",
    completedAt: notice.paidAt,
    externalReference: charge.external_reference ?? undefined,
    e2eId: notice.endToEndId,
    counterpartName: notice.payer?.name,
    counterpartDocument: notice.payer?.document,
    metadata: charge.metadata ?? undefined
  }
})
