import { createHmac } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Pool } from "pg"
import { Agent } from "undici"
import { statement } from "./Database.ts"

const claimMax = 100
/** How long another process leaves what this one has claimed alone. */
const leaseSeconds = 60
const idleMillis = 200
const deadlineMillis = 10_000
const attemptsMax = 5

interface Claimed {
  readonly id: string
  readonly attempts: number
  readonly url: string
  readonly secret: string
  readonly type: string
  readonly body: unknown
}

const claim = statement<Claimed>(
  "claim deliveries",
  `with due as (
     select d.id from plain.delivery d join plain.webhook_endpoint e on e.id = d.endpoint and e.enabled
     where d.status = 'pending' and d.next_at <= now()
     order by d.next_at limit ${claimMax}
     for update of d skip locked
   ), claimed as (
     update plain.delivery d set next_at = now() + interval '${leaseSeconds} seconds', attempts = d.attempts + 1
     from due where d.id = due.id
     returning d.id, d.event, d.endpoint, d.attempts
   )
   select claimed.id, claimed.attempts, e.url, e.secret, event.type, event.body
   from claimed join plain.webhook_endpoint e on e.id = claimed.endpoint join plain.event on event.id = claimed.event`
)

// The whole claim in one statement: what was taken is done, the rest waits for its next try or is given up.
const record = statement(
  "record attempts",
  `with tried as (
     select * from unnest($1::bigint[], $2::int[], $3::int[], $4::int[], $5::text[], $6::timestamptz[])
       as t (id, number, http_status, duration_millis, status, next_at)
   ), kept as (
     insert into plain.attempt (delivery, number, at, http_status, duration_millis)
     select id, number, now(), http_status, duration_millis from tried
   )
   update plain.delivery d set status = tried.status, next_at = tried.next_at
   from tried where d.id = tried.id`
)

interface Tried {
  readonly id: string
  readonly number: number
  /** Absent where nobody answered. */
  readonly httpStatus: number | undefined
  readonly durationMillis: number
}

/** Sends what is due, claim after claim, until it is stopped. Any number of processes may. */
export const startDeliveries = (pool: Pool): { readonly stop: () => Promise<void> } => {
  const agent = new Agent({ connections: 32, pipelining: 1, keepAliveTimeout: 4_000 })
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const claimed = await claim(pool, [])
        if (claimed.length > 0)
          await keep(pool, await Promise.all(claimed.map((one) => send(agent, one))))
        else await sleep(idleMillis, undefined, { signal: stopping.signal })
      } catch (error) {
        if (stopping.signal.aborted) return
        console.error(error)
        await sleep(idleMillis)
      }
    }
  })()
  return {
    stop: async () => {
      stopping.abort()
      await running
      await agent.close()
    }
  }
}

const send = async (
  agent: Agent,
  { attempts: number, body, id, secret, type, url }: Claimed
): Promise<Tried> => {
  const text = JSON.stringify(body)
  const started = performance.now()
  const end = (httpStatus?: number): Tried => ({
    id,
    number,
    httpStatus,
    durationMillis: Math.round(performance.now() - started)
  })
  const timestamp = String(Date.now())
  const signature = createHmac("sha256", secret).update(`${timestamp}.${text}`).digest("hex")
  const { origin, pathname, search } = new URL(url)
  try {
    const { body: answer, statusCode } = await agent.request({
      origin,
      path: pathname + search,
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-service-event": type,
        "x-service-webhook-id": id,
        "x-service-timestamp": timestamp,
        "x-service-signature": `sha256=${signature}`
      },
      body: text,
      signal: AbortSignal.timeout(deadlineMillis)
    })
    await answer.dump()
    return end(statusCode)
  } catch {
    return end()
  }
}

const keep = (pool: Pool, tried: ReadonlyArray<Tried>) => {
  const outcomes = tried.map(({ httpStatus = 0, number }) =>
    httpStatus >= 200 && httpStatus < 300
      ? "delivered"
      : number >= attemptsMax
        ? "exhausted"
        : "pending"
  )
  return record(pool, [
    tried.map(({ id }) => id),
    tried.map(({ number }) => number),
    tried.map(({ httpStatus }) => httpStatus),
    tried.map(({ durationMillis }) => durationMillis),
    outcomes,
    tried.map(({ number }) => new Date(Date.now() + 1_000 * 2 ** number))
  ])
}
