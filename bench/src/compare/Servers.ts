import { execute } from "@pagora/testkit/postgres"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { newDatabase } from "../NewDatabase.ts"
import { cores, onCore } from "./Cores.ts"
import type { BenchDatabase } from "./BenchDatabase.ts"
import { openDatabase } from "./BenchDatabase.ts"
import type { ServerProcess } from "./ServerProcess.ts"
import { launch } from "./ServerProcess.ts"
import type { Expiring } from "./Expiring.ts"
import type { Shop } from "./Shop.ts"
import { account, credential, funds, pspSecret } from "./Shop.ts"

/** What is compared, the one that the others are held against first. */
export const ways = ["plain", "standalone", "express", "koa"] as const
export type Way = (typeof ways)[number]

/** A way's server in a process of its own, and the database that it has to itself. */
export interface Server {
  readonly way: Way
  readonly shop: Shop
  readonly process: ServerProcess
  readonly database: BenchDatabase
  /** Proves that its books balance; dies where they do not. Plain has nothing that could. */
  readonly audit: Effect.Effect<void>
  /** Opens charges on its database, in another process, that soon expire. */
  readonly makeExpiring: (count: number) => Effect.Effect<Expiring>
}

export const wayNames: Readonly<Record<Way, string>> = {
  plain: "plain Fastify",
  standalone: "Pagora standalone",
  express: "Pagora on Express",
  koa: "Pagora on Koa"
}

const operatorKey = randomBytes(32).toString("base64url")

/** Starts one on a new database, and stops it when the scope ends. */
export const startServer = Effect.fnUntraced(function* (
  way: Way,
  postgres: string,
  isPinned: boolean
) {
  const name = `compare_${way}`
  const url = yield* Effect.acquireRelease(
    Effect.promise(() => newDatabase(postgres, name)),
    () => Effect.promise(() => execute(postgres, `drop database ${name} with (force)`))
  )
  const database = yield* openDatabase(url)
  const start = (program: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
    const node = [process.execPath, "--conditions=@pagora/source", `--import=${fileAt("Probe.ts")}`]
    const core = isPinned ? cores.server : undefined
    const [command = "", ...args] = onCore(core, [...node, ...program])
    return launch(command, args, { ...env, DATABASE_URL: url })
  }
  const makeExpiring = (account: string) => (count: number) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { stderr, stdout } = yield* start(
          [fileAt("Expiring.ts"), account, String(count)],
          shared
        )
        stderr.pipe(process.stderr)
        return yield* jsonIn<Expiring>(stdout)
      })
    )
  if (way === "standalone") {
    const running = yield* start(program[way], { ...shared, ...settings })
    const { operator, shop } = yield* Effect.promise(() => openStandalone(running.stderr))
    const audit = Effect.promise(() => operator("GET", "/audit?scope=complete"))
    const server: Server = {
      way,
      shop,
      database,
      process: running,
      audit: Effect.flatMap(audit, clean),
      makeExpiring: makeExpiring(shop.account)
    }
    return server
  }
  const running = yield* start(program[way], way === "plain" ? {} : shared)
  // Errors belong to who looks on.
  running.stderr.pipe(process.stderr)
  const shop = yield* jsonIn<Shop>(running.stdout)
  const audited = Effect.flatMap(running.ask("audit"), (found) => clean(found as Audit))
  const server: Server = {
    way,
    shop,
    database,
    process: running,
    audit: way === "plain" ? Effect.void : audited,
    makeExpiring: makeExpiring(shop.account)
  }
  return server
})

interface Audit {
  readonly ok?: boolean
}

const clean = (audit: Audit): Effect.Effect<void> =>
  audit.ok === true
    ? Effect.void
    : Effect.die(new Error(`The audit is not clean: ${JSON.stringify(audit)}`))

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
  express: [fileAt("ExpressHost.ts")],
  koa: [fileAt("KoaHost.ts")]
}

/** What all processes of Pagora's know. */
const shared = { PAGORA_SECRET: randomBytes(32).toString("base64") }

const settings = {
  PAGORA_OPERATOR_KEY: operatorKey,
  PAGORA_CONFIG: fileAt("pagora.config.ts"),
  PAGORA_PORT: "0",
  PAGORA_OPERATOR_PORT: "0",
  PAGORA_DRAIN_SECONDS: "0",
  PAGORA_RATE_LIMITS: "off"
}

/** The first line that a process says something by; what it said before tells why it never did. */
const lineIn = async (stream: Readable, isIt: (line: string) => boolean): Promise<string> => {
  const before: Array<string> = []
  const lines = createInterface({ input: stream })
  return new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      if (!isIt(line)) return void before.push(line)
      resolve(line)
      lines.close()
      // Read on to the end, or a server that says more would wait for its reader. What goes wrong is shown.
      stream.on("data", (chunk: Buffer) => {
        if (/"level":"(?:WARN|ERROR|FATAL)/i.test(chunk.toString())) process.stderr.write(chunk)
      })
      stream.resume()
    })
    lines.once("close", () => reject(new Error(`A server did not start:\n${before.join("\n")}`)))
  })
}

const jsonIn = <A>(stdout: Readable): Effect.Effect<A> =>
  Effect.promise(async () => JSON.parse(await lineIn(stdout, (line) => line.startsWith("{"))) as A)

/** Opens the account by the operator's API, as its owner would. */
const openStandalone = async (stderr: Readable) => {
  const line = await lineIn(stderr, (entry) => entry.includes('"Pagora serves."'))
  const { baseUrl, operatorUrl } = (
    JSON.parse(line) as {
      readonly annotations: { readonly baseUrl: string; readonly operatorUrl: string }
    }
  ).annotations
  const operator = async (method: "GET" | "POST", path: string, body?: unknown) => {
    const answer = await fetch(`${operatorUrl}/operator/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return JSON.parse(text) as Readonly<Record<string, unknown>>
  }
  const { id } = await operator("POST", "/accounts", account)
  await operator("POST", `/accounts/${String(id)}/adjustments`, funds)
  const issued = await operator("POST", `/accounts/${String(id)}/credentials`, credential)
  const shop: Shop = {
    baseUrl,
    account: String(id),
    clientId: String(issued["clientId"]),
    clientSecret: String(issued["clientSecret"]),
    pspSecret
  }
  return { shop, operator }
}
