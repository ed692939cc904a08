import { execute } from "@pagora/testkit/postgres"
import { Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { cores, onCore } from "./Cores.ts"
import type { Shop } from "./Shop.ts"
import { account, credential, funds } from "./Shop.ts"

/** What is compared, the one that the others are held against first. */
export const ways = ["plain", "standalone", "express"] as const
export type Way = (typeof ways)[number]

/** A way's server in a process of its own. */
export interface Server {
  readonly way: Way
  readonly shop: Shop
  readonly pid: number
}

export const wayNames: Readonly<Record<Way, string>> = {
  plain: "plain Fastify",
  standalone: "Pagora standalone",
  express: "Pagora on Express"
}

const operatorKey = randomBytes(32).toString("base64url")

/** Starts one on a new database, and stops it when the scope ends. */
export const startServer = Effect.fnUntraced(function* (
  way: Way,
  postgres: string,
  isPinned: boolean
) {
  const url = new URL(postgres)
  const database = `compare_${way}`
  url.pathname = `/${database}`
  yield* Effect.acquireRelease(
    Effect.promise(() => execute(postgres, `create database ${database}`)),
    () => Effect.promise(() => execute(postgres, `drop database ${database} with (force)`))
  )
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => launch(way, url.href, isPinned)),
    (running) => Effect.promise(() => stop(running))
  )
  const shop = yield* Effect.promise(() =>
    way === "standalone" ? shopOfStandalone(child.stderr) : shopIn(child.stdout)
  )
  const server: Server = { way, shop, pid: child.pid ?? 0 }
  return server
})

const launch = (way: Way, database: string, isPinned: boolean) => {
  const [command = "", ...args] = onCore(isPinned ? cores.server : undefined, [
    process.execPath,
    "--conditions=source",
    ...program[way]
  ])
  return spawn(command, args, {
    // Where standalone says that it serves; the others print it, and errors belong to who looks on.
    stdio: ["ignore", "pipe", way === "standalone" ? "pipe" : "inherit"],
    env: { ...process.env, DATABASE_URL: database, ...(way === "standalone" ? settings : {}) }
  })
}

const fileAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const program: Readonly<Record<Way, ReadonlyArray<string>>> = {
  plain: [fileAt("../plain/main.ts")],
  standalone: [
    fileURLToPath(import.meta.resolve("@pagora/server/package.json")).replace(
      /package\.json$/,
      "bin/pagora.mjs"
    ),
    "serve",
    "--migrate"
  ],
  express: [fileAt("ExpressHost.ts")]
}

const settings = {
  PAGORA_SECRET: randomBytes(32).toString("base64"),
  PAGORA_OPERATOR_KEY: operatorKey,
  PAGORA_CONFIG: fileAt("pagora.config.ts"),
  PAGORA_PORT: "0",
  PAGORA_OPERATOR_PORT: "0",
  PAGORA_DRAIN_SECONDS: "0",
  PAGORA_RATE_LIMITS: "off"
}

/** The first line that a process says something by; what it said before tells why it never did. */
const lineIn = async (
  stream: Readable | null,
  isIt: (line: string) => boolean
): Promise<string> => {
  if (stream === null) throw new Error("Nobody reads what the server says.")
  const before: Array<string> = []
  const lines = createInterface({ input: stream })
  return new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      // Read on to the end, or a server that says more would wait for its reader.
      if (isIt(line)) resolve(line)
      else before.push(line)
    })
    lines.once("close", () => reject(new Error(`A server did not start:\n${before.join("\n")}`)))
  })
}

const shopIn = async (stdout: Readable | null): Promise<Shop> =>
  JSON.parse(await lineIn(stdout, (line) => line.startsWith("{"))) as Shop

/** Opens the account by the operator's API, as its owner would. */
const shopOfStandalone = async (stderr: Readable | null): Promise<Shop> => {
  const line = await lineIn(stderr, (entry) => entry.includes('"Pagora serves."'))
  const { baseUrl, operatorUrl } = (
    JSON.parse(line) as {
      readonly annotations: { readonly baseUrl: string; readonly operatorUrl: string }
    }
  ).annotations
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${operatorUrl}/operator/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  }
  const { id } = await post("/accounts", account)
  await post(`/accounts/${String(id)}/adjustments`, funds)
  const { clientId, clientSecret } = await post(`/accounts/${String(id)}/credentials`, credential)
  return { baseUrl, clientId: String(clientId), clientSecret: String(clientSecret) }
}

const stop = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGTERM")
  })
