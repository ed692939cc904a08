import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { Agent, request } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { cpuMillis } from "./Cpu.ts"
import type { Run } from "./Measure.ts"
import { drive, median, spread, table } from "./Measure.ts"

const connections = 32
const perRun = { auth: 4_000, pix: 2_000, get: 6_000 } as const

interface Facts {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

interface Call {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly token?: string
}

/**
 * The three endpoints end to end: `pagora dev` on PostgreSQL in a process of its own, driven by keep-alive
 * connections from this one. CPU is what the server's process used, divided by requests.
 */
export const http = Effect.fnUntraced(function* (url: string, rounds: number) {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => start(url)),
    ({ child }) => Effect.promise(() => stop(child))
  )
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const call = caller(server.facts.baseUrl, agent)
  const cpu = () => cpuMillis(server.child.pid ?? 0)
  const runs = new Map<string, Array<Run & { readonly cpuMicros: number }>>()
  const measure = Effect.fnUntraced(function* (name: string, count: number, make: () => Call) {
    const before = cpu()
    const run = yield* drive(Array.from({ length: count }, make), connections, call)
    const cpuMicros = ((cpu() - before) * 1_000) / count
    runs.set(name, [...(runs.get(name) ?? []), { ...run, cpuMicros }])
  })
  const auth = (): Call => ({
    method: "POST",
    path: "/auth",
    body: { client_id: server.facts.clientId, client_secret: server.facts.clientSecret }
  })
  for (let round = 0; round <= rounds; round++) {
    const token = (yield* call(auth()))["access_token"] as string
    const pix = (): Call => ({
      method: "POST",
      path: "/pix",
      token,
      body: {
        amount: 129.9,
        description: "Pedido 100123",
        externalReference: `order-${Math.random()}`
      }
    })
    const id = (yield* call(pix()))["id"] as string
    const get = (): Call => ({ method: "GET", path: `/transactions/${id}`, token })
    yield* measure("POST /auth", perRun.auth, auth)
    yield* measure("POST /pix", perRun.pix, pix)
    yield* measure("GET /transactions/{id}", perRun.get, get)
    // The first round only warms everything up.
    if (round === 0) runs.clear()
  }
  agent.destroy()
  const rows = [...runs].map(([name, all]) => [
    name,
    spread(
      all.map((run) => run.perSecond),
      0
    ),
    `${median(all.map((run) => run.p50)).toFixed(1)}/${median(all.map((run) => run.p99)).toFixed(1)}`,
    spread(
      all.map((run) => run.cpuMicros),
      0
    )
  ])
  const head = ["endpoint", "requests/s", "p50/p99 ms", "server CPU µs a request"]
  yield* Console.log(
    `\nEnd to end, standalone on PostgreSQL, ${connections} connections; server, database and load share the cores\n${table([head, ...rows])}`
  )
})

const start = async (
  url: string
): Promise<{ readonly child: ChildProcess; readonly facts: Facts }> => {
  const bin = fileURLToPath(import.meta.resolve("@pagora/server/package.json")).replace(
    /package\.json$/,
    "bin/pagora.mjs"
  )
  const args = [
    "--conditions=@pagora/source",
    bin,
    "dev",
    "--json",
    "--port",
    "0",
    "--database",
    url
  ]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("{")) return { child, facts: JSON.parse(line) as Facts }
  }
  throw new Error("The server did not start.")
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
  })

const caller = (baseUrl: string, agent: Agent) => {
  const { hostname, pathname, port } = new URL(baseUrl)
  return (call: Call): Effect.Effect<Readonly<Record<string, unknown>>> =>
    Effect.callback((resume) => {
      const body = call.body === undefined ? undefined : JSON.stringify(call.body)
      const headers: Record<string, string | number> = {
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
        ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` })
      }
      const sent = request(
        { agent, hostname, port, method: call.method, path: pathname + call.path, headers },
        (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString()
            const isOk = response.statusCode !== undefined && response.statusCode < 300
            resume(
              isOk
                ? Effect.succeed(JSON.parse(text))
                : Effect.die(new Error(`${call.path}: ${response.statusCode} ${text}`))
            )
          })
        }
      )
      sent.on("error", (error) => resume(Effect.die(error)))
      sent.end(body)
    })
}
