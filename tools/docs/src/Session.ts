import { execute, freshDatabase } from "@pagora/testkit/postgres"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { delimiter, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { quickStart } from "./QuickStart.ts"

const here = fileURLToPath(new URL("..", import.meta.url))
export const root = join(here, "../..")

/** How a command or a program ended, and what it printed. */
export interface Ran {
  readonly isFine: boolean
  readonly output: string
  readonly complaint: string
}

/** The place where one document is run: a folder and home of its own, one shell, its service and its database. */
export interface Session {
  readonly folder: string
  readonly environment: () => Promise<Readonly<Record<string, string>>>
  /** Gives what a document asks for to be there, one of `provisions`. */
  readonly provide: (name: string) => Promise<void>
  /** The text with ports, a database and a role of the run in the place of those that it names. */
  readonly adapted: (text: string) => Promise<string>
  /** Runs commands in the document's shell; `line` is where they stand. */
  readonly sh: (commands: string, line: number) => Promise<Ran>
  readonly facts: () => Readonly<Record<string, string>>
  readonly databaseUrl: () => Promise<string>
  /** Stops what serves, and answers what is wrong with how it ended. */
  readonly end: () => Promise<string | undefined>
}

/**
 * `service` is `npm start`, with R$ 1,000.00 of `funds`. `database` is an empty PostgreSQL, and `deployment` one on
 * which `pagora serve` runs with the sandbox, as the guide to production says.
 */
export const provisions = ["service", "funds", "database", "deployment"] as const

/** How the shell tells which line failed. */
export const failedAt = "failed at line "

const commandMillis = 120_000
const stopMillis = 30_000
const secret = "the master secret of all documents, which is long enough"

/** The role that the guides give to the service. */
const role = "pagora_app"

/** `texts` are all of the document's that name ports. */
export const openSession = (document: string, texts: ReadonlyArray<string>): Session => {
  const folder = join(here, "dist", document.replaceAll(/[^\w]+/g, "-"))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(folder, "run"), { recursive: true })
  const ports = portsOf(texts)
  const database = databaseOf()
  const environment = async () => ({
    PATH: [join(here, "commands"), dirname(process.execPath), "/usr/local/bin:/usr/bin:/bin"].join(
      delimiter
    ),
    HOME: folder,
    LANG: "C.UTF-8",
    ...(await quickStart()),
    DOCUMENT_FOLDER: folder,
    DOCUMENT_ROOT: root,
    DOCUMENT_PORT: String(await ports.of("4242")),
    PORT: String(await ports.of("3000")),
    PAGORA_PORT: String(await ports.of("4242")),
    PAGORA_OPERATOR_PORT: String(await ports.of("4243")),
    // No load balancer looks.
    PAGORA_DRAIN_SECONDS: "0",
    ...(database.isMade()
      ? { DATABASE_URL: await database.url(), OWNER_URL: await database.url() }
      : {}),
    ...programFacts(factsIn(folder), await ports.of("4242"))
  })
  const shell = shellOf(folder, environment)
  const adapted = async (text: string) =>
    ports.adapted(database.isMade() ? await database.adapted(text) : text)
  const provide = async (name: string) => {
    if (name === "database") await database.url()
    if (name === "deployment") {
      const url = await database.url()
      await execute(url, `create role ${database.role()} login password 'secret'`)
      writeFileSync(join(folder, "pagora.config.mjs"), sandboxConfig)
      const ran = await shell.run(await adapted(deploymentCommands), 1)
      if (!ran.isFine) throw new Error(`pagora serve does not start:\n${ran.complaint}`)
    }
    if (name === "service" || name === "funds") {
      if (factsIn(folder)["CLIENT_ID"] === undefined) {
        const ran = await shell.run("npm start", 1)
        if (!ran.isFine) throw new Error(`npm start does not start:\n${ran.complaint}`)
      }
      if (name === "funds") await fund(factsIn(folder), await ports.of("4242"))
    }
  }
  return {
    folder,
    environment: async () => ({ PAGORA_SECRET: secret, ...(await environment()) }),
    provide,
    adapted,
    sh: shell.run,
    facts: () => factsIn(folder),
    databaseUrl: database.url,
    end: async () => {
      shell.end()
      const fault = await stopServices(folder)
      await database.drop()
      return fault
    }
  }
}

/** A free port for each port that a document names, the same in all its blocks. */
const portsOf = (texts: ReadonlyArray<string>) => {
  const named = texts.join("\n").match(/(?<=(?:127\.0\.0\.1|localhost|0\.0\.0\.0):)\d{4,5}/g) ?? []
  const known = new Set(["3000", "4242", "4243", ...named.filter((port) => port !== "5432")])
  const found = new Map<string, Promise<number>>()
  const of = (port: string) => {
    const free = found.get(port) ?? freePort()
    found.set(port, free)
    return free
  }
  return {
    of,
    adapted: async (text: string): Promise<string> => {
      let adapted = text
      for (const port of known) {
        if (new RegExp(`\\b${port}\\b`).test(text))
          adapted = adapted.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(await of(port)))
      }
      return adapted
    }
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const databaseOf = () => {
  // Roles belong to the whole server, on which other documents run as well.
  const ownRole = `${role}_${randomBytes(4).toString("hex")}`
  let made: ReturnType<typeof freshDatabase> | undefined
  const url = async () => (await (made ??= freshDatabase())).url
  return {
    isMade: () => made !== undefined,
    url,
    role: () => ownRole,
    adapted: async (text: string): Promise<string> => {
      const owner = await url()
      return text
        .replaceAll(/postgres(?:ql)?:\/\/[^\s"'`]+/g, (named) => {
          const [, password] = new RegExp(`//${role}:([^@]+)@`).exec(named) ?? []
          return password === undefined ? owner : asUser(owner, ownRole, password)
        })
        .replaceAll(new RegExp(`\\b${role}\\b`, "g"), ownRole)
    },
    drop: async () => {
      if (made === undefined) return
      const server = new URL(await url())
      await (await made).drop()
      // Once the database is gone it owns and may do nothing.
      server.pathname = "/postgres"
      await execute(server.href, `drop role if exists ${ownRole}`)
    }
  }
}

const asUser = (url: string, user: string, password: string): string => {
  const other = new URL(url)
  other.username = user
  other.password = password
  return other.href
}

/** One bash for all blocks of a document; a command that fails ends it, as `set -e` does. */
const shellOf = (folder: string, environment: Session["environment"]) => {
  let bash: ChildProcess | undefined
  let count = 0
  let isToldOfDatabase = false
  const start = async () => {
    const env = await environment()
    const stdio = ["pipe", "ignore", "ignore"] as const
    bash = spawn("bash", ["--noprofile", "--norc"], {
      cwd: folder,
      env,
      stdio: [...stdio],
      detached: true
    })
    bash.stdin?.on("error", () => undefined)
    bash.stdin?.write(`set -eo pipefail; trap 'echo "${failedAt}$LINENO" >&2' ERR\n`)
  }
  const run = async (commands: string, line: number): Promise<Ran> => {
    if (bash === undefined) await start()
    const name = join(folder, "run", String(++count))
    // Padded, so that bash names the lines of the document.
    writeFileSync(`${name}.sh`, `${"\n".repeat(line - 1)}${commands}\n`)
    const env = await environment()
    const url = env["DATABASE_URL"]
    // Once: what a document exports itself stays.
    const isNew = url !== undefined && !isToldOfDatabase
    isToldOfDatabase ||= isNew
    const exported = isNew ? `export DATABASE_URL='${url}' OWNER_URL='${url}'; ` : ""
    bash?.stdin?.write(
      `${exported}. ${name}.sh >${name}.out 2>${name}.err </dev/null; : >${name}.done\n`
    )
    const read = (kind: string) =>
      existsSync(`${name}.${kind}`) ? readFileSync(`${name}.${kind}`, "utf8") : ""
    for (let waited = 0; waited < commandMillis; waited += 20) {
      if (existsSync(`${name}.done`))
        return { isFine: true, output: read("out"), complaint: read("err") }
      if (bash?.exitCode !== null || bash.signalCode !== null)
        return {
          isFine: false,
          output: read("out"),
          complaint: `${read("err")}The shell ended with ${bash?.exitCode}.`
        }
      await sleep(20)
    }
    end()
    return { isFine: false, output: read("out"), complaint: `${read("err")}It does not end.` }
  }
  const end = () => {
    if (bash?.pid !== undefined) {
      try {
        process.kill(-bash.pid, "SIGKILL")
      } catch {
        // It ended by itself.
      }
    }
  }
  return { run, end }
}

const sandboxConfig = `import { sandbox } from "@pagora/core/sandbox"
import { defineConfig } from "@pagora/server"

export default defineConfig({ psp: sandbox() })
`

/** As the guide to production says. */
const deploymentCommands = `
export PAGORA_OPERATOR_KEY="$(openssl rand -base64 32)"
pagora migrate --grant ${role}
DATABASE_URL='postgres://${role}:secret@localhost/pagora' \\
  PAGORA_SECRET="$(openssl rand -base64 32)" pagora serve`

/** What the programs of the document printed. */
const factsIn = (folder: string): Readonly<Record<string, string>> => {
  const printed = [
    ...readdirSync(folder).filter((name) => name.endsWith(".service.log")),
    ...readdirSync(join(folder, "run"))
      .filter((name) => name.endsWith(".out"))
      .map((name) => `run/${name}`)
  ]
  const log = printed.map((name) => readFileSync(join(folder, name), "utf8")).join("\n")
  const last = (...patterns: ReadonlyArray<RegExp>) =>
    patterns.flatMap((pattern) => [...log.matchAll(pattern)]).at(-1)?.[1]
  const facts = {
    CLIENT_ID: last(
      /client_id {2,}(\S+)/g,
      /["']?clientId["']?: ?["']([^"']+)["']/g,
      /^CLIENT_ID=(\S+)$/gm
    ),
    CLIENT_SECRET: last(
      /client_secret {2,}(\S+)/g,
      /["']?clientSecret["']?: ?["']([^"']+)["']/g,
      /^CLIENT_SECRET=(\S+)$/gm
    ),
    OPERATOR_KEY: last(/operator key {2,}(\S+)/g, /"operatorKey":"([^"]+)"/g)
  }
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [
            [name, value],
            [`PAGORA_${name}`, value]
          ]
    )
  )
}

/** The same for programs, which read their environment. */
const programFacts = (facts: Readonly<Record<string, string>>, port: number) =>
  Object.keys(facts).length === 0
    ? {}
    : {
        ...Object.fromEntries(Object.entries(facts).filter(([name]) => name.startsWith("PAGORA_"))),
        PAGORA_URL: `http://127.0.0.1:${port}/v2`
      }

/** Gives R$ 1,000.00 to the demo account. */
const fund = async (facts: Readonly<Record<string, string>>, port: number) => {
  const base = `http://127.0.0.1:${port}`
  const json = { "content-type": "application/json" }
  const call = async (url: string, headers: Record<string, string>, body?: unknown) => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    const response = await fetch(url, { ...sent, headers: { ...json, ...headers } })
    const text = await response.text()
    if (!response.ok) throw new Error(`${url}: ${text}`)
    return text
  }
  const [client_id, client_secret] = [facts["CLIENT_ID"], facts["CLIENT_SECRET"]]
  const token = await call(`${base}/v2/auth`, {}, { client_id, client_secret })
  const bearer = String((JSON.parse(token) as Record<string, unknown>)["access_token"])
  const account = await call(`${base}/v2/account`, { authorization: `Bearer ${bearer}` })
  const { id } = (JSON.parse(account) as { account: { id: string } }).account
  const operator = { authorization: `Bearer ${facts["OPERATOR_KEY"]}` }
  const adjustment = { amount: 1_000, reason: "money for the document" }
  await call(`${base}/operator/v1/accounts/${id}/adjustments`, operator, adjustment)
}

/** Stops what serves, and answers how one ended that did not end well. */
const stopServices = async (folder: string): Promise<string | undefined> => {
  const names = readdirSync(folder).filter((each) => each.endsWith(".service.pid"))
  for (const name of names) {
    try {
      process.kill(Number(readFileSync(join(folder, name), "utf8")), "SIGTERM")
    } catch {
      // It ended by itself.
    }
  }
  for (const name of names) {
    const ended = join(folder, name.replace(/pid$/, "code"))
    for (let waited = 0; waited < stopMillis && !existsSync(ended); waited += 20) await sleep(20)
    const code = existsSync(ended) ? readFileSync(ended, "utf8").trim() : "nothing, and goes on"
    const log = readFileSync(join(folder, name.replace(/pid$/, "log")), "utf8")
    if (code !== "0") return `What serves ends with ${code}:\n${log.slice(-1_000)}`
  }
  return undefined
}
