import { Console, Effect } from "effect"
import { cpuMillis } from "../Cpu.ts"
import { paced } from "../Measure.ts"
import type { Expiring } from "./Expiring.ts"
import type { Job } from "./Load.ts"
import { accessOf, runOf, warmUpShare } from "./Load.ts"
import type { Server } from "./Servers.ts"
import { wayNames } from "./Servers.ts"

/** What it came to when very many charges expired at once. */
export interface Expired {
  readonly way: Server["way"]
  readonly count: number
  readonly alone: { readonly perSecond: number; readonly cpuMicros: number }
  readonly beside: {
    readonly perSecond: number
    /** How many requests came in a second, at half the rate of the closed loop. */
    readonly requestsPerSecond: number
    readonly p99: number
    /** The same without the expiries. */
    readonly p99Without: number
  }
}

/** How long nobody looks after a look. */
const lookMillis = 100
const marginMillis = 1_000

/**
 * Expires so many charges at once: by themselves, and beside requests that come by a clock, which come without them first.
 * The charges are over while the server stands still, so that it finds all of them when it goes on.
 */
export const expiries = Effect.fnUntraced(function* (
  server: Server,
  requests: Job,
  { besideSeconds, count, share }: Extent
) {
  const { database, process } = server
  const runs = [warmUpShare, 1].map((part) =>
    runOf(requests, server, {
      arrival: "closed",
      count: Math.ceil(requests.count * share * part),
      perSecond: Number.NaN
    })
  )
  const [, closed] = yield* process.awake(Effect.all(runs))
  const perSecond = (closed?.perSecond ?? Number.NaN) / 2
  const beside = (during: Effect.Effect<number>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const access = yield* accessOf(server)
        const work = yield* requests.prepare(access, 0)
        if (work._tag === "All") return yield* Effect.die(new Error("That is no request."))
        const calls = paced(work.one, Math.ceil(perSecond * besideSeconds), perSecond)
        const [run, rate] = yield* Effect.all([calls, during], { concurrency: "unbounded" })
        return { run, rate }
      })
    )

  const first = yield* makeCharges(server, count)
  yield* Console.error(`${count} charges are over`)
  const alone = yield* process.woken(
    Effect.gen(function* () {
      const cpuBefore = cpuMillis(process.pid)
      const start = performance.now()
      yield* allExpired(database, first)
      const perSecond = (count / (performance.now() - start)) * 1_000
      return { perSecond, cpuMicros: (((yield* process.rest) - cpuBefore) * 1_000) / count }
    })
  )
  const without = yield* process.woken(Effect.tap(beside(Effect.succeed(0)), () => process.rest))
  const second = yield* makeCharges(server, count)
  yield* Console.error(`${count} charges are over again`)
  const both = yield* process.woken(
    Effect.gen(function* () {
      const start = performance.now()
      const rate = Effect.gen(function* () {
        yield* Effect.timeoutOption(allExpired(database, second), besideSeconds * 1_000)
        const seconds = (performance.now() - start) / 1_000
        return (count - (yield* leftOf(database, second))) / seconds
      })
      const measured = yield* beside(rate)
      yield* allExpired(database, second)
      yield* process.rest
      return measured
    })
  )
  yield* process.awake(server.audit)
  const expired: Expired = {
    way: server.way,
    count,
    alone,
    beside: {
      perSecond: both.rate,
      requestsPerSecond: perSecond,
      p99: both.run.p99,
      p99Without: without.run.p99
    }
  }
  return expired
})

interface Extent {
  readonly count: number
  /** How long requests come beside them. */
  readonly besideSeconds: number
  /** Of the calls of a whole run. */
  readonly share: number
}

/** Answers once all of them are over. */
const makeCharges = Effect.fnUntraced(function* (server: Server, count: number) {
  const made = yield* server.makeExpiring(count)
  yield* Effect.sleep(Math.max(0, made.overAt + marginMillis - Date.now()))
  return made
})

type Database = Server["database"]

/** From the newest on, because the oldest are expired first. */
const allExpired = ({ rows }: Database, { first, last }: Expiring) =>
  Effect.gen(function* () {
    const pending = `select 1 from pagora.operation
      where id between $1 and $2 and status = 'pending' order by id desc limit 1`
    while ((yield* rows(pending, [first, last])).length > 0) yield* Effect.sleep(lookMillis)
  })

const leftOf = ({ rows }: Database, { first, last }: Expiring) =>
  Effect.map(
    rows(
      `select count(*)::int as left from pagora.operation where id between $1 and $2 and status = 'pending'`,
      [first, last]
    ),
    ([row]) => Number(row?.["left"])
  )

export const printedExpiries = ({ alone, beside, count, way }: Expired): string =>
  [
    `\n${count} charges that expire at once, ${wayNames[way]}`,
    `alone: ${alone.perSecond.toFixed(0)}/s, ${alone.cpuMicros.toFixed(0)} µs of the server's CPU each`,
    `beside POST /pix by a clock at 50 % (${beside.requestsPerSecond.toFixed(0)}/s): ${beside.perSecond.toFixed(0)}/s; ` +
      `its p99 ${beside.p99.toFixed(1)} ms, without them ${beside.p99Without.toFixed(1)} ms (${(beside.p99 / beside.p99Without).toFixed(2)})`
  ].join("\n")
