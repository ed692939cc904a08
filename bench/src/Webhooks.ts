import type { Receiver, RunningPagora } from "@pagora/testkit"
import { startPagora } from "@pagora/testkit"
import { Console, Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { spread, table } from "./Measure.ts"

const endpoints = 10
const eventsPerRun = 150
/** Well below what the service can do: what is measured is waiting for others, not a queue of one's own. */
const everyMillis = 100
const patienceMillis = 30_000
/** A request that hangs has ten seconds. */
const settleMillis = 11_000

type Endpoint = Pick<Receiver, "url" | "close"> & {
  hangs: boolean
  /** Milliseconds from the event to its arrival here. */
  readonly delays: Array<number>
}

/**
 * What one endpoint that takes requests and never answers does to nine others: how long an event is on its way to
 * those, with it and without. `pagora dev` on PostgreSQL in a process of its own, receivers in this one.
 */
export const webhooks = Effect.fnUntraced(function* (url: string, rounds: number) {
  const pagora = yield* Effect.acquireRelease(
    Effect.promise(() => startPagora(["--database", url])),
    (running) => Effect.promise(() => running.stop())
  )
  const receivers = yield* Effect.forEach(Array.from({ length: endpoints }), () =>
    Effect.acquireRelease(
      Effect.promise(() => startEndpoint()),
      (receiver) => Effect.promise(() => receiver.close())
    )
  )
  const p99s: Record<"all" | "hanging", Array<number>> = { all: [], hanging: [] }
  const p50s: Record<"all" | "hanging", Array<number>> = { all: [], hanging: [] }
  yield* Effect.promise(async () => {
    // The first round only warms everything up.
    for (let round = 0; round <= rounds; round++) {
      for (const kind of ["all", "hanging"] as const) {
        const { p50, p99 } = await run(pagora, receivers, kind === "hanging")
        if (round === 0) continue
        p50s[kind].push(p50)
        p99s[kind].push(p99)
      }
    }
  })
  // Round by round, as both of a round met the same machine.
  const ratios = p99s.hanging.map((p99, round) => p99 / (p99s.all[round] ?? Number.NaN))
  const row = (name: string, kind: "all" | "hanging") => [
    name,
    spread(p50s[kind], 1),
    spread(p99s[kind], 1)
  ]
  yield* Console.log(
    `\nOne endpoint of ${endpoints} hangs: an event's way to the others\n${table([
      ["", "p50 ms", "p99 ms"],
      row("all answer", "all"),
      row("one hangs", "hanging")
    ])}\np99 with it: ${spread(ratios, 2)} times that without it`
  )
})

/** Makes the endpoints anew, so that nothing of the run before waits for any of them. */
const register = async (pagora: RunningPagora, receivers: ReadonlyArray<Endpoint>) => {
  const path = `/accounts/${pagora.facts.accountId}/webhook-endpoints`
  const { json } = await pagora.operator("GET", path)
  for (const { id } of json["data"] as unknown as ReadonlyArray<{ readonly id: string }>) {
    await pagora.operator("DELETE", `${path}/${id}`)
  }
  await sleep(settleMillis)
  for (const { url } of receivers) {
    await pagora.operator("POST", path, { body: { url, events: ["payment_expired"] } })
  }
}

const run = async (
  pagora: RunningPagora,
  receivers: ReadonlyArray<Endpoint>,
  isOneHanging: boolean
) => {
  await register(pagora, receivers)
  const [first, ...others] = receivers
  if (first !== undefined) first.hangs = isOneHanging
  for (const { delays } of receivers) delays.length = 0
  const ids: Array<string> = []
  for (let event = 0; event < eventsPerRun; event++) {
    const { json } = await pagora.shop("POST", "/pix", { body: { amount: 1 } })
    ids.push(String(json["id"]))
  }
  for (const id of ids) {
    void pagora.sandbox("POST", `/charges/${id}/expire`)
    await sleep(everyMillis)
  }
  const isDone = () => others.every(({ delays }) => delays.length >= eventsPerRun)
  for (const end = performance.now() + patienceMillis; !isDone();) {
    if (performance.now() > end) throw new Error("Not every event arrived.")
    await sleep(50)
  }
  const sorted = others.flatMap(({ delays }) => delays).toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

const startEndpoint = async (): Promise<Endpoint> => {
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body += chunk
    })
    request.on("end", () => {
      if (endpoint.hangs) return
      const { timestamp } = JSON.parse(body) as { readonly timestamp: string }
      endpoint.delays.push(Date.now() - Date.parse(timestamp))
      response.writeHead(200).end()
    })
  })
  await new Promise<void>((done) => {
    server.listen(0, "127.0.0.1", done)
  })
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    hangs: false,
    delays: [],
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
  }
  return endpoint
}
