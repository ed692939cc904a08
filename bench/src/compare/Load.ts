import { Effect } from "effect"
import { cpuMillis } from "../Cpu.ts"
import type { Run } from "../Measure.ts"
import { drive } from "../Measure.ts"
import type { Server } from "./Servers.ts"
import type { Shop } from "./Shop.ts"
import type { Call, Wire } from "./Wire.ts"
import { openWire } from "./Wire.ts"

export const connections = 32

/** A timed run, and the server's CPU until it had come to rest, for each request. */
export interface Measured extends Run {
  readonly cpuMicros: number
}

type Send = (call: Call) => Effect.Effect<Readonly<Record<string, unknown>>>

/** Calls over so many connections; an answer that is no success ends the run with its text. */
const sending = Effect.fnUntraced(function* (shop: Shop) {
  const open = Effect.orDie(openWire(shop.baseUrl))
  const idle: Array<Wire> = yield* Effect.all(
    Array.from({ length: connections }, () => open),
    { concurrency: "unbounded" }
  )
  const all = [...idle]
  yield* Effect.addFinalizer(() => Effect.sync(() => all.forEach((wire) => wire.close())))
  const send: Send = Effect.fnUntraced(function* (call) {
    const wire = idle.pop()
    if (wire === undefined) return yield* Effect.die(new Error("Every connection is in use."))
    const { status, text } = yield* Effect.orDie(wire.send(call))
    idle.push(wire)
    if (status < 200 || status > 299)
      return yield* Effect.die(new Error(`${call.method} ${call.path}: ${status} ${text}`))
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  })
  return send
})

/** What a run has to work with. */
interface Access {
  readonly shop: Shop
  readonly send: Send
  readonly token: string
}

/** A job: `prepare` makes what it needs and answers its calls, one after the other. */
export interface Job {
  readonly name: string
  /** Calls of one run: a second or more of the fastest way. */
  readonly count: number
  readonly prepare: (access: Access) => Effect.Effect<() => Call>
}

export const authCall = (shop: Shop): Call => ({
  method: "POST",
  path: "/auth",
  body: { client_id: shop.clientId, client_secret: shop.clientSecret }
})

/** One run of a job, in a closed loop over connections of its own. */
export const measure = (job: Job, { pid, shop }: Server, share: number): Effect.Effect<Measured> =>
  Effect.scoped(
    Effect.gen(function* () {
      const send = yield* sending(shop)
      const token = String((yield* send(authCall(shop)))["access_token"])
      const call = yield* job.prepare({ send, shop, token })
      yield* rest(pid)
      const count = Math.ceil(job.count * share)
      const before = cpuMillis(pid)
      const run = yield* drive(Array.from({ length: count }, call), connections, send)
      return { ...run, cpuMicros: (((yield* rest(pid)) - before) * 1_000) / count }
    })
  )

const windowMillis = 300
const busyMillis = 30
const restMillisMax = 120_000

/**
 * Waits until the server has ended what it does in the background, so that this counts where it was caused, and
 * answers its CPU time so far.
 */
const rest = Effect.fnUntraced(function* (pid: number) {
  for (let waited = 0; waited < restMillisMax; waited += windowMillis) {
    const before = cpuMillis(pid)
    yield* Effect.sleep(windowMillis)
    if (cpuMillis(pid) - before <= busyMillis) return before
  }
  return yield* Effect.die(new Error(`The server did not come to rest in ${restMillisMax} ms.`))
})
