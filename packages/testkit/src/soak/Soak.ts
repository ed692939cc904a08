import { setTimeout as sleep } from "node:timers/promises"
import { startHookReceiver } from "../conformance/HookReceiver.ts"
import type { Chance } from "../fuzz/Chance.ts"
import { chanceOf } from "../fuzz/Chance.ts"
import { violationsOf } from "../load/LoadCheck.ts"
import { makeClient, newTale } from "../load/LoadClient.ts"
import {
  auditBy,
  countsOf,
  endToEndIdsIn,
  eventsIn,
  openShop,
  sandboxBookIn,
  settled,
  storedIn,
  unendedIn
} from "../load/LoadFacts.ts"
import { execute, freshDatabase } from "../postgres/index.ts"
import type { SoakProcess } from "./SoakProcesses.ts"
import { startProcess } from "./SoakProcesses.ts"
import type { Usage } from "./Usage.ts"
import { measure } from "./Usage.ts"
import { growthOf } from "./UsageJudge.ts"

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
  /** What it took of the machine, in the order of time. */
  readonly usages: ReadonlyArray<Usage>
  readonly violations: ReadonlyArray<string>
}

/** A black hole lasts so long at most, as a fail-over that goes wrong. */
const holeMillisMax = 40_000
const calmMillisMax = 15_000
/** How often it is measured over all, and at most. */
const measurements = 60
const measuredEveryMillisMin = 2_000

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

/** Measures at equal distances, until the load is over. */
const watch = async (
  url: string,
  processes: ReadonlyArray<SoakProcess>,
  acknowledged: () => number,
  until: number
): Promise<ReadonlyArray<Usage>> => {
  const usages: Array<Usage> = []
  const pids = processes.flatMap(({ pid }) => pid ?? [])
  const every = Math.max(measuredEveryMillisMin, (until - performance.now()) / measurements)
  for (let next = performance.now() + every; next < until; next += every) {
    await sleep(Math.max(0, next - performance.now()))
    usages.push(await measure(url, pids, acknowledged()))
  }
  return usages
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
    const shop = await openShop(first.operator, hook.url)
    const received = () =>
      new Set(hook.received.map(({ json }) => String((json as { eventId?: unknown })?.eventId)))
    const tale = newTale()
    const until = performance.now() + minutes * 60_000
    const clientOf = (index: number) => {
      const chance = chanceOf(seed, index + 1)
      const pay = async (id: string): Promise<string> => {
        const { sandbox } = chance.pick(processes)
        const paid = await sandbox("POST", `/charges/${id}/pay`, { body: {} }).catch(
          () => undefined
        )
        return paid === undefined ? "no answer" : String(paid.status)
      }
      return makeClient({ processes, shop, tale, chance, pay })
    }
    const acknowledged = () => tale.asked.filter(({ told }) => told.length > 0).length
    const [holes, usages] = await Promise.all([
      makeTrouble(processes, chanceOf(seed, 0), until, progress),
      watch(database.url, processes, acknowledged, until),
      ...Array.from({ length: clients }, (_, index) =>
        clientOf(index)(() => performance.now() >= until)
      )
    ])
    progress("the load is over; waiting for what is on its way")
    await settled(database.url, () => received().size)
    const audit = await auditBy(first.operator)
    if (plant) await execute(database.url, planted)
    const stored = await storedIn(database.url)
    const events = await eventsIn(database.url)
    const broken = violationsOf({
      asked: tale.asked,
      stored,
      bank: await sandboxBookIn(database.url),
      endToEndIds: await endToEndIdsIn(database.url),
      events,
      received: received(),
      audit,
      unended: await unendedIn(database.url),
      faults: holes
    })
    return {
      answers: tale.answers,
      holes,
      asked: tale.asked.length,
      acknowledged: acknowledged(),
      given: tale.given,
      stored: countsOf(stored),
      events: events.length,
      usages,
      violations: [...broken, ...growthOf(usages)]
    }
  } finally {
    await Promise.all(processes.map((process) => process.stop()))
    await receiver.close()
    await database.drop()
  }
}

const planted = `delete from pagora.operation where id =
  (select id from pagora.operation where kind = 'withdrawal' order by id limit 1)`
