import type { FastifyInstance } from "fastify"
import type { Pool, PoolClient } from "pg"
import type { Authorization } from "./Callers.ts"
import { statement, transaction } from "./Database.ts"
import { toBrl } from "./Money.ts"
import type { Accepted, NewWithdrawal } from "./NewWithdrawal.ts"
import { accept, answerOf, digestOf, schema } from "./NewWithdrawal.ts"
import { psp } from "./Psp.ts"
import { Refusal } from "./Refusal.ts"
import { newUuid } from "./Uuid.ts"

// Waits for whoever is using the same key; a key of yesterday is taken over.
const takeKey = statement(
  "take idempotency key",
  `insert into plain.idempotency_key as known (account, key, body_digest, withdrawal, answer, created_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (account, key) do update
     set body_digest = excluded.body_digest, withdrawal = excluded.withdrawal,
       answer = excluded.answer, created_at = excluded.created_at
     where known.created_at <= excluded.created_at - interval '24 hours'
   returning 1 as taken`
)

const readKey = statement<{ readonly body_digest: Buffer; readonly answer: string }>(
  "read idempotency key",
  "select body_digest, answer from plain.idempotency_key where account = $1 and key = $2"
)

// As strong as for update, but it lets rows be written that refer to the wallet's account.
const lockWallet = statement<{ readonly available: number; readonly promotional: number }>(
  "lock wallet",
  "select available, promotional from plain.wallet where account = $1 for no key update"
)

const insertWithdrawal = statement(
  "insert withdrawal",
  `with debited as (
     update plain.wallet set available = available - $4, promotional = promotional - $5, updated_at = $3
     where account = $2
   ), accepted as (
     insert into plain.withdrawal (id, account, status, amount, fee, pix_key, pix_key_type, holder_name,
       holder_document, external_reference, created_at, updated_at)
     values ($1, $2, 'pending', $6, $7, $8, $9, $10, $11, $12, $3, $3)
   )
   insert into plain.ledger_entry (source, owner, bucket, kind, amount, created_at)
   select $1, line.owner, line.bucket, 'withdrawal', line.amount, $3
   from (values ($2::uuid, 'available', -$4::bigint), ($2, 'promotional', -$5::bigint),
     (null, 'psp_clearing', $6::bigint - $7::bigint), (null, 'fee_revenue', $7)) as line (owner, bucket, amount)
   where line.amount <> 0`
)

const completeWithdrawal = statement(
  "complete withdrawal",
  `with completed as (
     update plain.withdrawal
     set status = 'completed', psp_reference = $2, end_to_end_id = $3, processed_at = $4, updated_at = $4
     where id = $1 and status = 'pending'
     returning account
   ), told as (
     insert into plain.event (id, account, type, body, created_at)
     select $5::uuid, account, 'withdrawal_completed', $6::jsonb, $4 from completed
     returning id, account
   )
   insert into plain.delivery (event, endpoint, status, attempts, next_at)
   select told.id, endpoint.id, 'pending', 0, $4
   from told join plain.webhook_endpoint endpoint on endpoint.account = told.account and endpoint.enabled`
)

/** `POST /withdrawals`. */
export const withdrawalRoute = (
  app: FastifyInstance,
  pool: Pool,
  authorized: Authorization
): void => {
  app.post<{ Body: NewWithdrawal; Headers: { readonly "idempotency-key"?: string } }>(
    "/withdrawals",
    { schema, onRequest: authorized("WITHDRAWAL:WRITE") },
    async ({ body, caller, headers, ip }, reply) => {
      if (caller.allowed_ips !== null && !caller.allowed_ips.includes(ip))
        throw new Refusal(403, "This address may not withdraw.")
      const accepted = accept(caller, body)
      const answer = answerOf(accepted)
      const key = headers["idempotency-key"]
      const earlier = await transaction(pool, async (client) => {
        const known =
          key === undefined
            ? undefined
            : await useKey(client, key, accepted, JSON.stringify(answer))
        if (known === undefined) await debit(client, accepted)
        return known
      })
      reply.code(201)
      if (earlier !== undefined) return JSON.parse(earlier) as typeof answer
      await payOut(pool, accepted)
      return answer
    }
  )
}

/** Puts the answer under the key, or answers what is there already. */
const useKey = async (client: PoolClient, key: string, accepted: Accepted, answer: string) => {
  const { account, body, createdAt, id } = accepted
  const digest = digestOf(body)
  const taken = await takeKey(client, [account, key, digest, id, answer, createdAt])
  if (taken.length === 1) return undefined
  const [known] = await readKey(client, [account, key])
  if (known?.body_digest.equals(digest) !== true)
    throw new Refusal(422, "This Idempotency-Key was used with another body.")
  return known.answer
}

/** Promotional money pays fees first. The wallet is locked last, and for no longer than one more statement. */
const debit = async (client: PoolClient, accepted: Accepted) => {
  const { account, amount, body, createdAt, fee, id } = accepted
  const [wallet] = await lockWallet(client, [account])
  const promotional = Math.min(fee, wallet?.promotional ?? 0)
  const available = amount - promotional
  if (wallet === undefined || wallet.available < available)
    throw new Refusal(400, "amount: the balance is not enough.")
  await insertWithdrawal(client, [
    id,
    account,
    createdAt,
    available,
    promotional,
    amount,
    fee,
    body.pixKey,
    body.pixKeyType,
    body.holderName,
    body.holderDocument,
    body.externalReference
  ])
}

/** What a crash leaves pending here is found by its status and paid by the same reference. */
const payOut = async (pool: Pool, { amount, fee, id }: Accepted) => {
  const { endToEndId, pspReference, settledAt } = await psp.sendPayout(id)
  const event = {
    event: "withdrawal_completed",
    eventId: id,
    timestamp: settledAt.toISOString(),
    subAccount: null,
    data: {
      transactionId: id,
      amount: toBrl(amount),
      feeAmount: toBrl(fee),
      netAmount: toBrl(amount - fee),
      currency: "BRL",
      status: "completed",
      e2eId: endToEndId
    }
  }
  await completeWithdrawal(pool, [id, pspReference, endToEndId, settledAt, newUuid(), event])
}
