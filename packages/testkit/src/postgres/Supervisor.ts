import { spawn, spawnSync } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import type { Runner } from "./Binaries.ts"
import { binaries, runner } from "./Binaries.ts"

/**
 * A process that runs one PostgreSQL for another process, its owner, and ends it and removes its files when it
 * is told to or when the owner is gone, however the owner went.
 */
const [folder = "", owner = "", settings = "{}"] = process.argv.slice(2)

const password = "pagora"
const portsMax = 5

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer()
    server.on("error", fail)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const initialise = (native: string, data: string, as: Runner | undefined): void => {
  const secret = join(folder, "password")
  writeFileSync(secret, password, { mode: 0o644 })
  const { status, stderr } = spawnSync(
    join(native, "bin", "initdb"),
    [
      `--pgdata=${data}`,
      "--username=postgres",
      "--auth=password",
      `--pwfile=${secret}`,
      "--encoding=UTF8",
      // Unlike the C locale, this shows where a query forgets to say how it compares.
      "--locale-provider=icu",
      "--icu-locale=en-US",
      "--locale=C",
      "--no-sync"
    ],
    { ...as, cwd: folder, encoding: "utf8" }
  )
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
}

/** Resolves with the running server, or undefined when it could not start there. */
const start = (native: string, data: string, as: Runner | undefined, port: number) =>
  new Promise<ChildProcess | undefined>((done) => {
    const options = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      fsync: "on",
      max_connections: "200",
      ...(JSON.parse(settings) as Record<string, string>)
    }
    const server = spawn(
      join(native, "bin", "postgres"),
      [
        "-D",
        data,
        "-p",
        String(port),
        ...Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      ],
      { ...as, cwd: folder, stdio: ["ignore", "ignore", "pipe"] }
    )
    let log = ""
    server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log = (log + chunk).slice(-20_000)
      if (log.includes("ready to accept connections")) done(server)
      writeFileSync(join(folder, "log"), chunk, { flag: "a" })
    })
    server.on("exit", () => done(undefined))
  })

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

const serve = async (): Promise<void> => {
  const as = runner()
  chmodSync(folder, 0o711)
  const native = binaries(folder, as)
  const data = join(folder, "data")
  mkdirSync(data, { mode: 0o700 })
  if (as !== undefined) chownSync(data, as.uid, as.gid)
  initialise(native, data, as)
  let server: ChildProcess | undefined
  let port = 0
  for (let tries = 0; tries < portsMax && server === undefined; tries++) {
    port = await freePort()
    server = await start(native, data, as, port)
  }
  if (server === undefined) throw new Error(`PostgreSQL did not start: see ${join(folder, "log")}`)
  const running = server
  // SIGINT is its fast shutdown: sessions are ended, nothing is lost.
  const stop = () => running.kill("SIGINT")
  process.on("SIGTERM", stop)
  process.on("SIGINT", stop)
  setInterval(() => {
    if (!isAlive(Number(owner))) stop()
  }, 250)
  running.on("exit", () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(0)
  })
  say({ url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` })
}

serve().catch((error: unknown) => {
  say({ error: String(error) })
  process.exit(1)
})
