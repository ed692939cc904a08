import { setTimeout as sleep } from "node:timers/promises"
import { rowsOf } from "../postgres/index.ts"
import type { HttpCall } from "../RunningPagora.ts"
import type { Booked, Stored } from "./LoadCheck.ts"
import type { Shop } from "./LoadClient.ts"

/** How long all that was begun has to come to its end. */
const settleMillisMax = 300_000

const ok = <A extends { readonly status: number; readonly text: string }>(answer: A): A => {
  if (answer.status < 300) return answer
  throw new Error(`the load could not be prepared: ${answer.status} ${answer.text}`)
}

/** What the account of the load begins with, in centavos. */
export const fundsOfShop = 900_000_000

/** An account with money, a credential, and an endpoint for its events. */
export const openShop = async (operator: HttpCall, url: string): Promise<Shop> => {
  const account = ok(await operator("POST", "/accounts", { body: { name: "Loja Azul" } }))
  const accountId = String(account.json["id"])
  const path = `/accounts/${accountId}`
  const funds = { amount: fundsOfShop / 100, reason: "load" }
  ok(await operator("POST", `${path}/adjustments`, { body: funds }))
  ok(await operator("POST", `${path}/webhook-endpoints`, { body: { url } }))
  const { json } = ok(
    await operator("POST", `${path}/credentials`, { body: { permissions: ["FULL_ACCESS"] } })
  )
  return {
    accountId,
    clientId: String(json["clientId"]),
    clientSecret: String(json["clientSecret"])
  }
}

const unended = `select count(*)::int as count from pagora.operation
  where kind = 'withdrawal' and status in ('pending', 'processing')
    or kind = 'return' and status in ('requested', 'processing')
    or kind = 'charge' and status = 'creating'
    or kind like 'sandbox%' and status in ('untold', 'processing')`

/** How much has begun and not ended. */
export const unendedIn = async (url: string): Promise<number> => {
  const [open] = await rowsOf(url, unended)
  return Number(open?.["count"])
}

const referenceOf = "case kind when 'return' then document::json->>'source' else ref end" as const

/** What is stored of what clients ask for; of these references, where they are given. */
export const storedIn = async (
  url: string,
  references?: ReadonlyArray<string>
): Promise<ReadonlyArray<Stored>> => {
  const some =
    references === undefined
      ? ""
      : `and ${referenceOf} in (${references.map((name) => `'${name}'`).join()})`
  return (await rowsOf(
    url,
    `select id, kind, status, amount::text, ${referenceOf} as reference from pagora.operation
      where (kind in ('charge', 'withdrawal')
        or kind = 'return' and document::json->>'purpose' = 'refund') ${some}`
  )) as unknown as ReadonlyArray<Stored>
}

/** What the simulated bank of the service's own has in its book. */
export const sandboxBookIn = async (url: string): Promise<ReadonlyArray<Booked>> =>
  (await rowsOf(
    url,
    `select case kind when 'sandbox_payout' then 'payout' else 'refund' end as kind,
        document::json->>'reference' as name, status, amount::text
      from pagora.operation where kind = 'sandbox_payout'
        or kind = 'sandbox_refund' and document::json->>'purpose' = 'requested'
      union all select 'payment', p->>'endToEndId', 'paid', p->>'amount'
      from pagora.operation, json_array_elements(document::json->'payments') as p
      where kind = 'sandbox_charge'`
  )) as unknown as ReadonlyArray<Booked>

const textsOf = async (url: string, statement: string): Promise<ReadonlyArray<string>> =>
  (await rowsOf(url, statement)).map(({ text }) => String(text))

/** End-to-end ids that the service has taken for its own. */
export const endToEndIdsIn = (url: string): Promise<ReadonlyArray<string>> =>
  textsOf(url, "select key as text from pagora.unique_key where space = 'e2e'")

export const eventsIn = (url: string): Promise<ReadonlyArray<string>> =>
  textsOf(url, "select body::json->>'eventId' as text from pagora.event")

/** The violations that the service's own audit finds; whatever is no such list counts as one. */
export const auditBy = async (operator: HttpCall): Promise<ReadonlyArray<unknown>> => {
  const audit = ok(await operator("GET", "/audit"))
  const violations: unknown = audit.json["violations"]
  return Array.isArray(violations) ? violations : [audit.text]
}

/** Waits, within bounds, until nothing is on its way any more, and the receiver has every event. */
export const settled = async (
  url: string,
  received: () => number,
  /** End-to-end ids of payments that are to be booked by then. */
  paid: () => ReadonlyArray<string> = () => []
): Promise<void> => {
  for (const from = performance.now(); performance.now() - from < settleMillisMax;) {
    const [events] = await rowsOf(url, "select count(*)::int as count from pagora.event")
    const isReceived = received() >= Number(events?.["count"])
    const booked = new Set(await endToEndIdsIn(url))
    const isBooked = paid().every((endToEndId) => booked.has(endToEndId))
    if (isReceived && isBooked && (await unendedIn(url)) === 0) return
    await sleep(1_000)
  }
}

/** How many of each kind came to which end. */
export const countsOf = (stored: ReadonlyArray<Stored>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { kind, status } of stored) {
    counts[`${kind} ${status}`] = (counts[`${kind} ${status}`] ?? 0) + 1
  }
  return counts
}
