import { spawnSync } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { binaries, runner } from "./Binaries.ts"
import { dataOf, freePort, initialise, mountRefused, password, start } from "./Server.ts"
import type { Installation } from "./Server.ts"

/** What a supervisor is told. */
export interface SupervisorPlan {
  readonly settings?: Readonly<Record<string, string>>
  /** Starts the server again, at its port, whenever it ends without having been told to. */
  readonly revives?: boolean
  /** Gives it a disk of its own of so many megabytes. */
  readonly diskMegabytes?: number
}

/**
 * A process that runs one PostgreSQL for another process, its owner, and ends it and removes its files when it
 * is told to or when the owner is gone, however the owner went.
 */
const [folder = "", owner = "", told = "{}"] = process.argv.slice(2)
const { diskMegabytes, revives = false, settings = {} } = JSON.parse(told) as SupervisorPlan

const portsMax = 5
const reviveMillis = 100

const say = (message: Readonly<Record<string, string>>): void => {
  writeFileSync(join(folder, "answer.new"), JSON.stringify(message))
  renameSync(join(folder, "answer.new"), join(folder, "answer"))
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** The folder of the data, with a database in it. One that somebody has put there is taken as it is. */
const prepare = (installation: Installation): void => {
  const data = dataOf(folder)
  if (existsSync(data)) return
  mkdirSync(data, { mode: 0o700 })
  if (diskMegabytes !== undefined) {
    const { stderr, status } = spawnSync(
      "mount",
      ["-t", "tmpfs", "-o", `size=${diskMegabytes}m,mode=0700`, "tmpfs", data],
      { encoding: "utf8" }
    )
    if (status !== 0) throw new Error(`${mountRefused}: ${stderr}`)
  }
  const { as } = installation
  if (as !== undefined) chownSync(data, as.uid, as.gid)
  initialise(installation)
}

const unmount = (): void => {
  if (diskMegabytes !== undefined) spawnSync("umount", ["-l", dataOf(folder)])
}

const serve = async (): Promise<void> => {
  const as = runner()
  chmodSync(folder, 0o711)
  const installation = { native: binaries(folder, as), folder, as }
  prepare(installation)
  let server: ChildProcess | undefined
  let port = 0
  for (let tries = 0; tries < portsMax && server === undefined; tries++) {
    port = await freePort()
    server = await start(installation, port, settings)
  }
  if (server === undefined) throw new Error(`PostgreSQL did not start: see ${join(folder, "log")}`)
  let running: ChildProcess | undefined = server
  let isStopping = false
  // SIGINT is its fast shutdown: sessions are ended, nothing is lost.
  const stop = () => {
    isStopping = true
    running?.kill("SIGINT")
  }
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  setInterval(() => {
    if (!isAlive(Number(owner))) stop()
  }, 250)
  say({ url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` })
  for (;;) {
    if (running !== undefined && running.exitCode === null && running.signalCode === null) {
      const ending = running
      await new Promise((done) => ending.once("exit", done))
    }
    running = undefined
    if (isStopping || !revives) break
    await sleep(reviveMillis)
    // What is left of the former one may still hold on to its files.
    running = await start(installation, port, settings)
    if (isStopping) stop()
  }
  unmount()
  rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}

serve().catch((error: unknown) => {
  say({ error: String(error) })
  unmount()
  process.exit(1)
})
