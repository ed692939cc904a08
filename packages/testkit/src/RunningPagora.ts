import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { Agent, request } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { createRequire } from "node:module"
import { basename, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { OperatorAnswers, SandboxAnswers, TenantAnswers } from "@pagora/core"
import type { Answer, AnswerTo, JsonBody } from "./AnswerTypes.ts"
import { present } from "./Present.ts"

/** What `pagora dev --json` prints. */
export interface RunningFacts {
  readonly baseUrl: string
  readonly operatorUrl: string
  readonly operatorKey: string
  readonly sandboxUrl: string
  readonly accountId: string
  readonly clientId: string
  readonly clientSecret: string
}

/** An answer that came over a socket. */
export interface HttpAnswer<Body = JsonBody> extends Omit<Answer<Body>, "headers"> {
  readonly headers: IncomingHttpHeaders
}

export interface HttpOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls an API over a socket; answered as the route is, where it is told which API that is. */
export type HttpCall<Answers = object> = <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  options?: HttpOptions
) => Promise<HttpAnswer<AnswerTo<Answers, Method, Path>>>

/** How a process ended, and everything that it said. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** `pagora dev` as a real process, with calls to its APIs over real sockets. */
export interface RunningPagora extends Launched {
  readonly facts: RunningFacts
  readonly port: number
  readonly api: HttpCall<TenantAnswers>
  /** With the operator key. */
  readonly operator: HttpCall<OperatorAnswers>
  /** With the operator key. */
  readonly sandbox: HttpCall<SandboxAnswers>
  /** With a token of the demo credential. */
  readonly shop: HttpCall<TenantAnswers>
  /** Ends it in order and answers how that went. */
  readonly stop: () => Promise<Ended>
  /** Ends it without a chance to do anything more. */
  readonly kill: () => Promise<Ended>
}

const startMillisMax = 90_000
const requestMillisMax = 30_000

/** The command of the workspace, or the one that the project at hand has installed. */
const command = (): ReadonlyArray<string> => {
  const root = rootOf(dirname(fileURLToPath(import.meta.url)))
  if (root === undefined) return [join(dirname(installedServer()), "bin", "pagora.mjs")]
  // What a run of all tests has bundled of the sources loads in half the time.
  const programs = process.env["WORKSPACE_BUNDLE"]
  const bundled = programs === undefined ? [] : [`--import=${programs}`]
  const program = join(root, "packages", "server", "bin", "pagora.mjs")
  return ["--conditions=@pagora/source", ...bundled, program]
}

const rootOf = (folder: string): string | undefined => {
  if (basename(folder) === "node_modules" || folder === dirname(folder)) return undefined
  return existsSync(join(folder, "pnpm-workspace.yaml")) ? folder : rootOf(dirname(folder))
}

const installedServer = (): string => {
  try {
    return createRequire(join(process.cwd(), "package.json")).resolve("@pagora/server/package.json")
  } catch (cause) {
    throw new Error("Install @pagora/server: its command is what is started.", { cause })
  }
}

/** A process of the `pagora` command, whatever it was told to do. */
export interface Launched {
  /** Of the operating system; undefined where it could not be started. */
  readonly pid: number | undefined
  readonly output: () => { readonly stdout: string; readonly stderr: string }
  readonly signal: (name: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

/** Starts the `pagora` command with these arguments. */
export const launchPagora = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Launched => {
  const child = spawn(process.execPath, [...command(), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // What the test runner puts there is not meant for it.
    env: { ...process.env, NODE_OPTIONS: "", ...env }
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk
  })
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk
  })
  // Nothing that a test started outlives it.
  const endChild = () => child.kill("SIGKILL")
  process.once("exit", endChild)
  const ended = new Promise<Ended>((done) => {
    child.once("close", (code, signal) => {
      process.off("exit", endChild)
      done({ code, signal, stdout, stderr })
    })
  })
  return {
    pid: child.pid,
    ended,
    output: () => ({ stdout, stderr }),
    signal: (name) => void child.kill(name)
  }
}

// Every request has a connection of its own: one that is kept alive can be closed while it is being used again.
const agent = new Agent({ keepAlive: false })

const isJson = (headers: IncomingHttpHeaders): boolean =>
  headers["content-type"]?.startsWith("application/json") === true

const send = <Body>(url: string, method: string, options: HttpOptions): Promise<HttpAnswer<Body>> =>
  new Promise((done, fail) => {
    const { body, headers } = options
    const text =
      body === undefined || typeof body === "string" || body instanceof Uint8Array
        ? body
        : JSON.stringify(body)
    const sent = request(url, {
      agent,
      method,
      headers: {
        ...(text === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...headers
      },
      signal: AbortSignal.timeout(requestMillisMax)
    })
    sent.once("error", fail)
    sent.once("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("error", fail)
      response.once("end", () => {
        const received = Buffer.concat(chunks).toString("utf8")
        const json = (
          isJson(response.headers) && received !== "" ? JSON.parse(received) : {}
        ) as HttpAnswer<Body>["json"]
        done({ status: response.statusCode ?? 0, headers: response.headers, text: received, json })
      })
    })
    sent.end(text)
  })

/** Calls below a URL over sockets. */
export const calling =
  <Answers = object>(base: string, authorization?: string): HttpCall<Answers> =>
  (method, path, options = {}) =>
    send(`${base}${path}`, method, {
      ...options,
      headers: { ...present({ authorization }), ...options.headers }
    })

/** Calls with a token that is fetched anew each time: business time may have passed. */
const callingAs =
  (
    api: HttpCall<TenantAnswers>,
    pair: { readonly clientId: string; readonly clientSecret: string }
  ): HttpCall<TenantAnswers> =>
  async (method, path, options = {}) => {
    const body = { client_id: pair.clientId, client_secret: pair.clientSecret }
    const { json, status } = await api("POST", "/auth", { body })
    if (status !== 200) throw new Error(`POST /auth answered ${status}`)
    const authorization = `Bearer ${json.access_token}`
    return api(method, path, { ...options, headers: { authorization, ...options.headers } })
  }

/** The calls of a shop that is told by its credential. */
export const shopOf = (
  { api }: RunningPagora,
  pair: { readonly clientId: string; readonly clientSecret: string }
): HttpCall<TenantAnswers> => callingAs(api, pair)

const factsIn = (stdout: string): RunningFacts | undefined => {
  const line = stdout.split("\n").find((candidate) => candidate.startsWith("{"))
  // A line that has not arrived whole does not parse.
  return line?.endsWith("}") === true ? (JSON.parse(line) as RunningFacts) : undefined
}

/** Starts `pagora dev --json --port 0` with more arguments, and answers when it can be used. */
export const startPagora = async (
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
): Promise<RunningPagora> => {
  const launched = launchPagora(["dev", "--json", "--port", "0", ...args], env)
  const { ended, output, signal } = launched
  let facts: RunningFacts | undefined
  for (const started = performance.now(); facts === undefined;) {
    const early = await Promise.race([ended, sleep(20, undefined)])
    if (early !== undefined) throw new Error(`pagora ended (${early.code}): ${early.stderr}`)
    facts = factsIn(output().stdout)
    if (performance.now() - started > startMillisMax) {
      signal("SIGKILL")
      throw new Error(`pagora did not start: ${output().stderr}`)
    }
  }
  const api = calling<TenantAnswers>(facts.baseUrl)
  const asOperator = `Bearer ${facts.operatorKey}`
  return {
    ...launched,
    facts,
    port: Number(new URL(facts.baseUrl).port),
    api,
    operator: calling<OperatorAnswers>(facts.operatorUrl, asOperator),
    sandbox: calling<SandboxAnswers>(facts.sandboxUrl, asOperator),
    shop: callingAs(api, facts),
    stop: () => {
      signal("SIGTERM")
      return ended
    },
    kill: () => {
      signal("SIGKILL")
      return ended
    }
  }
}
