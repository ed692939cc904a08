import { calling, eventually, launchPagora } from "@pagora/testkit"
import type { OperatorAnswers, SandboxAnswers, TenantAnswers } from "@pagora/core"
import type { Ended, HttpAnswer, HttpCall, Launched } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import { createServer, connect } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import { join } from "node:path"
import type { TestContext } from "vitest"

const sandboxConfig = join(import.meta.dirname, "sandbox.config.ts")
export const productionConfig = join(import.meta.dirname, "production.config.mjs")

export const masterSecret = "the-first-master-secret-of-this-deployment-which-nobody-guesses"
export const operatorKey = "opk_the-key-of-the-operators-of-this-deployment"

export type Env = Readonly<Record<string, string>>

/** Nothing of ours from the environment of the test itself. */
const cleared: Env = Object.fromEntries(
  Object.keys(process.env)
    .filter((name) => name.startsWith("PAGORA_") || name === "DATABASE_URL")
    .map((name) => [name, ""])
)

/** The `pagora` command with this environment, and nothing of ours beside it. */
export const launch = (args: ReadonlyArray<string>, env: Env): Launched =>
  launchPagora(args, { ...cleared, ...env })

/** A deployment as a real process. */
export interface Deployment extends Launched {
  readonly facts: {
    readonly environment: string
    readonly baseUrl?: string
    readonly operatorUrl: string
  }
  readonly api: HttpCall<TenantAnswers>
  readonly operator: HttpCall<OperatorAnswers>
  readonly sandbox: HttpCall<SandboxAnswers>
  /** At the root of the operator's listener, without its key. */
  readonly probe: HttpCall
  /** Makes an account with a credential. */
  readonly shop: () => Promise<Shop>
  readonly stop: () => Promise<Ended>
}

export interface Pair {
  readonly clientId: string
  readonly clientSecret: string
}
export interface Shop extends Pair {
  readonly accountId: string
}

/** The line that says where a deployment answers, once it is there. */
export const factsIn = (stderr: string): Deployment["facts"] | undefined => {
  const lines = stderr.split("\n")
  const line = lines.slice(0, -1).find((entry) => entry.includes('"Pagora serves."'))
  if (line === undefined) return undefined
  if (line.startsWith("{"))
    return (JSON.parse(line) as { readonly annotations: Deployment["facts"] }).annotations
  const of = (name: string): string => new RegExp(`${name}="?([^ "]+)`).exec(line)?.[1] ?? ""
  return { environment: of("environment"), baseUrl: of("baseUrl"), operatorUrl: of("operatorUrl") }
}

/** What a deployment needs to be told, but for its database. */
export const serveEnv: Env = {
  PAGORA_SECRET: masterSecret,
  PAGORA_OPERATOR_KEY: operatorKey,
  PAGORA_CONFIG: sandboxConfig,
  PAGORA_PORT: "0",
  PAGORA_OPERATOR_PORT: "0",
  PAGORA_DRAIN_SECONDS: "0"
}

const startMillisMax = 90_000

/** Starts `pagora serve` at ports that are free, and answers when it serves. */
const startServe = async (env: Env, args: ReadonlyArray<string> = []): Promise<Deployment> => {
  const launched = launch(["serve", ...args], { ...serveEnv, ...env })
  let hasEnded = false
  void launched.ended.then(() => {
    hasEnded = true
  })
  const facts = await eventually(async () => {
    if (hasEnded) throw new Error(`pagora serve ended: ${launched.output().stderr}`)
    return factsIn(launched.output().stderr)
  }, startMillisMax)
  const asOperator = `Bearer ${operatorKey}`
  const operator = calling<OperatorAnswers>(`${facts.operatorUrl}/operator/v1`, asOperator)
  return {
    ...launched,
    facts,
    api: calling<TenantAnswers>(facts.baseUrl ?? ""),
    operator,
    sandbox: calling<SandboxAnswers>(`${facts.operatorUrl}/sandbox/v1`, asOperator),
    probe: calling(facts.operatorUrl),
    shop: () => newShop(operator),
    stop: () => {
      launched.signal("SIGTERM")
      return launched.ended
    }
  }
}

const newShop = async (operator: HttpCall<OperatorAnswers>): Promise<Shop> => {
  const account = await operator("POST", "/accounts", { body: { name: "Loja Azul" } })
  const accountId = account.json.id
  const { json } = await operator("POST", `/accounts/${accountId}/credentials`, {
    body: { permissions: ["FULL_ACCESS"] }
  })
  return {
    accountId,
    clientId: json.clientId,
    clientSecret: json.clientSecret
  }
}

/** A token of the credential. */
export const tokenOf = async (api: HttpCall<TenantAnswers>, pair: Pair): Promise<string> => {
  const { json } = await api("POST", "/auth", {
    body: { client_id: pair.clientId, client_secret: pair.clientSecret }
  })
  return json.access_token
}

/** Calls with a token of the credential. */
export const asShop =
  (api: HttpCall<TenantAnswers>, token: string): HttpCall<TenantAnswers> =>
  (method, path, options = {}) =>
    api(method, path, {
      ...options,
      headers: { authorization: `Bearer ${token}`, ...options.headers }
    })

/** A database, and processes on it, that are gone after the test. */
export const worldOf = async ({ onTestFinished }: TestContext) => {
  const database = await freshDatabase()
  const running = new Set<Deployment>()
  const ends: Array<() => Promise<void>> = []
  onTestFinished(async () => {
    for (const deployment of running) {
      deployment.signal("SIGKILL")
      await deployment.ended
    }
    await database.drop()
    for (const end of ends) await end()
  })
  const env = { DATABASE_URL: database.url, PAGORA_MIGRATE: "true" }
  return {
    url: database.url,
    /** What is to be done when the database is gone. */
    afterwards: (end: () => Promise<void>): void => void ends.push(end),
    /** Runs the command to its end. */
    refused: (args: ReadonlyArray<string>, more: Env = {}): Promise<Ended> =>
      launch(args, { ...serveEnv, ...env, ...more }).ended,
    start: async (more: Env = {}, args: ReadonlyArray<string> = []): Promise<Deployment> => {
      const deployment = await startServe({ ...env, ...more }, args)
      running.add(deployment)
      return deployment
    }
  }
}

/** What `GET /health/ready` says. */
export const readiness = async (
  deployment: Deployment
): Promise<{ readonly status: number; readonly checks: unknown }> => {
  const answer: HttpAnswer = await deployment.probe("GET", "/health/ready")
  return { status: answer.status, checks: answer.json["checks"] }
}

/** A wire to the database that can be cut and mended. */
export interface Wire {
  readonly url: string
  /** `away` refuses connections, `hung` takes them and says nothing more. */
  readonly set: (state: "whole" | "away" | "hung") => void
}

export const wireTo = async (url: string, { onTestFinished }: TestContext): Promise<Wire> => {
  const target = new URL(url)
  const serverPort = Number(target.port)
  const sockets = new Set<Socket>()
  let state: "whole" | "away" | "hung" = "whole"
  const server = createServer((client) => {
    if (state === "away") return void client.destroy()
    sockets.add(client)
    client.on("error", () => client.destroy())
    if (state === "hung") return
    const backend = connect(serverPort, target.hostname)
    sockets.add(backend)
    for (const [from, to] of [
      [client, backend],
      [backend, client]
    ] as const) {
      from.on("data", (chunk) => {
        if (state !== "hung") to.write(chunk)
      })
      from.on("close", () => to.destroy())
      from.on("error", () => to.destroy())
    }
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  target.port = String((server.address() as AddressInfo).port)
  return {
    url: target.href,
    set: (next) => {
      state = next
      if (next !== "hung") for (const socket of sockets) socket.destroy()
    }
  }
}
