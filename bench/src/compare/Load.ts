import type { Scope } from "effect"
import { Effect, Semaphore } from "effect"
import { cpuMillis, residentMegabytes } from "../Cpu.ts"
import type { Run } from "../Measure.ts"
import { drive, paced } from "../Measure.ts"
import type { Server } from "./Servers.ts"
import type { Shop } from "./Shop.ts"
import type { Call, Wire } from "./Wire.ts"
import { openWire } from "./Wire.ts"

export const connections = 32

/** Where calls come by a clock to a server that falls behind, the others wait here; their time runs. */
const connectionsMax = 256

/** How calls arrive: each as soon as an earlier one is answered, or by a clock, at a share of the rate that this came to. */
export type Arrival = "closed" | number

export const openArrivals: ReadonlyArray<Arrival & number> = [0.5, 0.8]

/** A server is warmed up by as many calls as a run has: by fewer it is still being compiled when it is measured. */
export const warmUpShare = 1

/** How long calls arrive by the clock, in a whole run. */
const openSeconds = 6

/** What a run came to. A job that is done as one has no times of its parts: those are not a number. */
export interface Measured extends Run {
  readonly arrival: Arrival
  /** The server's CPU until it had come to rest, for each request. */
  readonly cpuMicros: number
  /** What it sent to its database until then, for each request; not a number where the database does not count. */
  readonly statements: number
  /** By how much its event loop came too late: of a hundred looks, the second worst. */
  readonly loopP99: number
  /** What the server's process had in memory when it had. */
  readonly residentMegabytes: number
}

type Send = (call: Call) => Effect.Effect<Readonly<Record<string, unknown>>>

/** Calls over connections that are kept; an answer that is no success ends the run with its text. */
const sending = Effect.fnUntraced(function* (shop: Shop) {
  const all = new Set<Wire>()
  yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach((wire) => wire.close())))
  const open = Effect.tap(Effect.orDie(openWire(shop.baseUrl)), (wire) =>
    Effect.sync(() => all.add(wire))
  )
  const idle: Array<Wire> = []
  const connect = Effect.gen(function* () {
    for (const wire of idle.splice(0)) wire.close()
    const opened = Array.from({ length: connections }, () => open)
    idle.push(...(yield* Effect.all(opened, { concurrency: "unbounded" })))
  })
  const take = () => {
    for (let wire = idle.pop(); wire !== undefined; wire = idle.pop()) {
      if (wire.isOpen()) return wire
      all.delete(wire)
    }
    return undefined
  }
  const places = Semaphore.makeUnsafe(connectionsMax)
  const send: Send = Effect.fnUntraced(function* (call) {
    const wire = take() ?? (yield* open)
    const { status, text } = yield* Effect.orDie(wire.send(call))
    idle.push(wire)
    if (status < 200 || status > 299)
      return yield* Effect.die(new Error(`${call.method} ${call.path}: ${status} ${text}`))
    return (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
  }, places.withPermits(1))
  return { connect, send }
})

/** What a run has to work with. */
export interface Access {
  readonly server: Server
  readonly send: Send
  /** Opens the connections of a closed loop anew. */
  readonly connect: Effect.Effect<void>
  readonly token: string
}

/** What is measured: one thing again and again, or many things as one. */
export type Work =
  | { readonly _tag: "Each"; readonly one: Effect.Effect<unknown> }
  /** Answers how many milliseconds it took. */
  | { readonly _tag: "All"; readonly all: Effect.Effect<number> }

/** A job: `prepare` makes what it needs to be done so many times. */
export interface Job {
  /** How it is chosen. */
  readonly key: string
  readonly name: string
  /** So often in one run: a second or more of the fastest way. */
  readonly count: number
  readonly prepare: (access: Access, count: number) => Effect.Effect<Work, never, Scope.Scope>
}

export const authCall = (shop: Shop): Call => ({
  method: "POST",
  path: "/auth",
  body: { client_id: shop.clientId, client_secret: shop.clientSecret }
})

export const accessOf = Effect.fnUntraced(function* (server: Server) {
  const { connect, send } = yield* sending(server.shop)
  const token = String((yield* send(authCall(server.shop)))["access_token"])
  const access: Access = { connect, send, server, token }
  return access
})

/** A run of a job in a closed loop, and where calls can come by a clock, runs at shares of its rate after it. */
export const measure = Effect.fnUntraced(function* (job: Job, server: Server, share: number) {
  const closed = yield* runOf(job, server, {
    arrival: "closed",
    count: Math.ceil(job.count * share),
    perSecond: Number.NaN
  })
  // A job that is done as one has no calls that could come.
  if (Number.isNaN(closed.p50)) return [closed]
  const open = yield* Effect.forEach(openArrivals, (arrival) => {
    const perSecond = closed.perSecond * arrival
    const count = Math.ceil(perSecond * openSeconds * share)
    return runOf(job, server, { arrival, count, perSecond })
  })
  return [closed, ...open]
})

interface Extent {
  /** Where the server's profile of it is written; none, unless told. */
  readonly profile?: string
  readonly arrival: Arrival
  readonly count: number
  /** Of what comes by the clock. */
  readonly perSecond: number
}

/** One run, over connections of its own. */
export const runOf = (
  job: Job,
  server: Server,
  { arrival, count, perSecond, profile }: Extent
): Effect.Effect<Measured> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { database, process } = server
      const access = yield* accessOf(server)
      const work = yield* job.prepare(access, count)
      yield* process.rest
      // Those that were used to prepare it may have been closed by now, or be about to.
      yield* access.connect
      const cpuBefore = cpuMillis(process.pid)
      const statementsBefore = yield* database.statements
      if (profile !== undefined) yield* process.ask("startProfile")
      yield* process.ask("watchLoop")
      const run = yield* work._tag === "All"
        ? doneAsOne(work.all, count)
        : arrival === "closed"
          ? drive(Array.from({ length: count }), connections, () => work.one)
          : paced(work.one, count, perSecond)
      const loopP99 = Number(yield* process.ask("loopP99"))
      if (profile !== undefined) yield* process.ask("writeProfile", profile)
      return {
        ...run,
        arrival,
        cpuMicros: (((yield* process.rest) - cpuBefore) * 1_000) / count,
        statements: ((yield* database.statements) - statementsBefore) / count,
        loopP99,
        residentMegabytes: residentMegabytes(process.pid)
      }
    })
  )

const doneAsOne = (all: Effect.Effect<number>, count: number): Effect.Effect<Run> =>
  Effect.map(all, (millis) => ({
    perSecond: (count / millis) * 1_000,
    p50: Number.NaN,
    p99: Number.NaN
  }))
