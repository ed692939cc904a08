import { Effect } from "effect"
import type { Scope } from "effect"
import { residentMegabytes } from "../Cpu.ts"
import type { Run } from "../Measure.ts"
import { drive } from "../Measure.ts"
import type { Server } from "./Servers.ts"
import type { Shop } from "./Shop.ts"
import type { Call, Wire } from "./Wire.ts"
import { openWire } from "./Wire.ts"

export const connections = 32

/** What a run came to. A job that is done as one has no times of its parts: those are not a number. */
export interface Measured extends Run {
  /** The server's CPU until it had come to rest, for each request. */
  readonly cpuMicros: number
  /** What the server's process had in memory when it had. */
  readonly residentMegabytes: number
}

type Send = (call: Call) => Effect.Effect<Readonly<Record<string, unknown>>>

/** Calls over so many connections; an answer that is no success ends the run with its text. */
const sending = Effect.fnUntraced(function* (shop: Shop) {
  const open = Effect.orDie(openWire(shop.baseUrl))
  const idle: Array<Wire> = yield* Effect.all(
    Array.from({ length: connections }, () => open),
    { concurrency: "unbounded" }
  )
  const all = new Set(idle)
  yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach((wire) => wire.close())))
  const reopen = Effect.fnUntraced(function* (former: Wire) {
    const wire = yield* open
    all.delete(former)
    all.add(wire)
    return wire
  })
  const send: Send = Effect.fnUntraced(function* (call) {
    const next = idle.pop()
    if (next === undefined) return yield* Effect.die(new Error("Every connection is in use."))
    const wire = next.isOpen() ? next : yield* reopen(next)
    const { status, text } = yield* Effect.orDie(wire.send(call))
    idle.push(wire)
    if (status < 200 || status > 299)
      return yield* Effect.die(new Error(`${call.method} ${call.path}: ${status} ${text}`))
    return (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>
  })
  return send
})

/** What a run has to work with. */
export interface Access {
  readonly server: Server
  readonly send: Send
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

/** One run of a job, in a closed loop over connections of its own. */
export const measure = (job: Job, server: Server, share: number): Effect.Effect<Measured> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { process } = server
      const send = yield* sending(server.shop)
      const token = String((yield* send(authCall(server.shop)))["access_token"])
      const count = Math.ceil(job.count * share)
      const work = yield* job.prepare({ send, server, token }, count)
      const before = yield* process.rest
      const run = yield* work._tag === "Each"
        ? drive(Array.from({ length: count }), connections, () => work.one)
        : Effect.map(work.all, (millis) => ({
            perSecond: (count / millis) * 1_000,
            p50: Number.NaN,
            p99: Number.NaN
          }))
      return {
        ...run,
        cpuMicros: (((yield* process.rest) - before) * 1_000) / count,
        residentMegabytes: residentMegabytes(process.pid)
      }
    })
  )
