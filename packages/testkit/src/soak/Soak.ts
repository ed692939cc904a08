import { setTimeout as sleep } from "node:timers/promises"
import { startHookReceiver } from "../conformance/HookReceiver.ts"
import type { Chance } from "../fuzz/Chance.ts"
import { chanceOf } from "../fuzz/Chance.ts"
import { execute, freshDatabase, rowsOf } from "../postgres/index.ts"
import type { SoakFacts } from "./SoakCheck.ts"
import { violationsOf } from "./SoakCheck.ts"
import type { SoakShop, SoakTale } from "./SoakLoad.ts"
import { makeClient } from "./SoakLoad.ts"
import type { SoakProcess } from "./SoakProcesses.ts"
import { startProcess } from "./SoakProcesses.ts"

export interface SoakOptions {
  readonly minutes: number
  readonly seed: number
  readonly clients: number
  /** Loses a stored withdrawal before the end is looked at: that must be seen. */
  readonly plant: boolean
  readonly progress: (sentence: string) => void
}

export interface SoakReport {
  readonly answers: ReadonlyMap<string, number>
  readonly holes: number
  readonly asked: number
  readonly acknowledged: number
  /** Keys that nobody answered for good in time. */
  readonly given: number
  readonly stored: Readonly<Record<string, number>>
  readonly events: number
  readonly violations: ReadonlyArray<string>
}

/** A black hole lasts so long at most, as a fail-over that goes wrong. */
const holeMillisMax = 40_000
const calmMillisMax = 15_000
/** How long all that was begun has to come to its end. */
const settleMillisMax = 300_000

/** Swallows the wire of one process after the other, as the seed has it. Answers how often. */
const makeTrouble = async (
  processes: ReadonlyArray<SoakProcess>,
  chance: Chance,
  until: number,
  progress: (sentence: string) => void
): Promise<number> => {
  let holes = 0
  for (;;) {
    const [calm, length] = [
      2_000 + chance.below(calmMillisMax),
      1_000 + chance.below(holeMillisMax)
    ]
    const [victim, kind] = [chance.below(processes.length), chance.pick(["lost", "late"] as const)]
    await sleep(Math.max(0, Math.min(calm, until - performance.now())))
    if (performance.now() >= until) return holes
    const proxy = processes[victim]?.proxy
    progress(
      `process ${victim + 1} is in a black hole (${kind}) for ${(length / 1000).toFixed(1)} s`
    )
    proxy?.blackHole(kind)
    await sleep(Math.max(0, Math.min(length, until - performance.now())))
    proxy?.heal()
    holes++
  }
}

const ok = <A extends { readonly status: number; readonly text: string }>(answer: A): A => {
  if (answer.status < 300) return answer
  throw new Error(`the soak could not be prepared: ${answer.status} ${answer.text}`)
}

/** An account with money, a credential, and an endpoint for its events. */
const openShop = async ({ operator }: SoakProcess, url: string): Promise<SoakShop> => {
  const account = ok(await operator("POST", "/accounts", { body: { name: "Loja Azul" } }))
  const path = `/accounts/${String(account.json["id"])}`
  ok(await operator("POST", `${path}/adjustments`, { body: { amount: 9_000_000, reason: "soak" } }))
  ok(await operator("POST", `${path}/webhook-endpoints`, { body: { url } }))
  const { json } = ok(
    await operator("POST", `${path}/credentials`, { body: { permissions: ["FULL_ACCESS"] } })
  )
  return { clientId: String(json["clientId"]), clientSecret: String(json["clientSecret"]) }
}

const unended = `select count(*)::int as count from pagora.operation
  where kind = 'withdrawal' and status in ('pending', 'processing')
    or kind = 'return' and status in ('requested', 'processing')
    or kind = 'charge' and status = 'creating'
    or kind like 'sandbox%' and status in ('untold', 'processing')`

const textOf = (value: unknown): string => String(value)

/** Reads past the services what they stored, and what the simulated bank has in its book. */
const factsOf = async (
  url: string,
  tale: SoakTale,
  received: ReadonlySet<string>,
  audit: ReadonlyArray<unknown>,
  holes: number
): Promise<SoakFacts> => {
  const stored = await rowsOf(
    url,
    `select id, kind, status, amount::text, case kind when 'return' then document::json->>'source' else ref end as reference
      from pagora.operation where kind in ('charge', 'withdrawal')
        or kind = 'return' and document::json->>'purpose' = 'refund'`
  )
  const bank = await rowsOf(
    url,
    `select case kind when 'sandbox_payout' then 'payout' else 'refund' end as kind,
        document::json->>'reference' as name, status, amount::text
      from pagora.operation where kind = 'sandbox_payout'
        or kind = 'sandbox_refund' and document::json->>'purpose' = 'requested'
      union all select 'payment', p->>'endToEndId', 'paid', p->>'amount'
      from pagora.operation, json_array_elements(document::json->'payments') as p
      where kind = 'sandbox_charge'`
  )
  const own = await rowsOf(url, "select key from pagora.unique_key where space = 'e2e'")
  const events = await rowsOf(url, "select body::json->>'eventId' as id from pagora.event")
  const [open] = await rowsOf(url, unended)
  return {
    asked: tale.asked,
    stored: stored as unknown as SoakFacts["stored"],
    bank: bank as unknown as SoakFacts["bank"],
    endToEndIds: own.map(({ key }) => textOf(key)),
    events: events.map(({ id }) => textOf(id)),
    received,
    audit,
    unended: Number(open?.["count"]),
    holes
  }
}

/** Waits, within bounds, until nothing is on its way any more, and the receiver has every event. */
const settled = async (url: string, received: () => number): Promise<void> => {
  for (const from = performance.now(); performance.now() - from < settleMillisMax;) {
    const [open] = await rowsOf(url, unended)
    const [events] = await rowsOf(url, "select count(*)::int as count from pagora.event")
    if (open?.["count"] === 0 && received() >= Number(events?.["count"])) return
    await sleep(1_000)
  }
}

const countsOf = (facts: SoakFacts): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { kind, status } of facts.stored) {
    counts[`${kind} ${status}`] = (counts[`${kind} ${status}`] ?? 0) + 1
  }
  return counts
}

/** Two services on one database, which one of them loses again and again; then everything is counted. */
export const soak = async (options: SoakOptions): Promise<SoakReport> => {
  const { clients, minutes, plant, progress, seed } = options
  const database = await freshDatabase()
  const receiver = await startHookReceiver()
  const processes: Array<SoakProcess> = []
  try {
    for (let index = 0; index < 2; index++) processes.push(await startProcess(database.url))
    const [first] = processes as [SoakProcess, SoakProcess]
    const hook = receiver.path()
    const shop = await openShop(first, hook.url)
    const received = () =>
      new Set(hook.received.map(({ json }) => textOf((json as { eventId?: unknown })?.eventId)))
    const tale: SoakTale = { asked: [], answers: new Map(), given: 0 }
    const until = performance.now() + minutes * 60_000
    const [holes] = await Promise.all([
      makeTrouble(processes, chanceOf(seed, 0), until, progress),
      ...Array.from({ length: clients }, (_, index) =>
        makeClient(processes, shop, tale, chanceOf(seed, index + 1))(until)
      )
    ])
    progress("the load is over; waiting for what is on its way")
    await settled(database.url, () => received().size)
    const audit = ok(await first.operator("GET", "/audit"))
    if (plant) await execute(database.url, planted)
    const violations = audit.json["violations"]
    const facts = await factsOf(
      database.url,
      tale,
      received(),
      Array.isArray(violations) ? violations : [audit.text],
      holes
    )
    return {
      answers: tale.answers,
      holes,
      asked: tale.asked.length,
      acknowledged: tale.asked.filter(({ told }) => told.length > 0).length,
      given: tale.given,
      stored: countsOf(facts),
      events: facts.events.length,
      violations: violationsOf(facts)
    }
  } finally {
    await Promise.all(processes.map((process) => process.stop()))
    await receiver.close()
    await database.drop()
  }
}

const planted = `delete from pagora.operation where id =
  (select id from pagora.operation where kind = 'withdrawal' order by id limit 1)`
