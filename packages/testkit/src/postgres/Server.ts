import { spawn, spawnSync } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import type { Runner } from "./Binaries.ts"

export const password = "pagora"

/** What is said where a server is to have a disk of its own. */
export const mountRefused = "A disk of its own takes the right to mount one"

/** Where a PostgreSQL lies, and who runs it. */
export interface Installation {
  readonly native: string
  /** Has what is written about it, and its data in `data`. */
  readonly folder: string
  readonly as: Runner | undefined
}

export const dataOf = (folder: string): string => join(folder, "data")

export const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer()
    server.on("error", fail)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

export const initialise = ({ as, folder, native }: Installation): void => {
  const secret = join(folder, "password")
  writeFileSync(secret, password, { mode: 0o644 })
  const { status, stderr } = spawnSync(
    join(native, "bin", "initdb"),
    [
      `--pgdata=${dataOf(folder)}`,
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
export const start = (
  { as, folder, native }: Installation,
  port: number,
  settings: Readonly<Record<string, string>>
): Promise<ChildProcess | undefined> =>
  new Promise((done) => {
    const options = {
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      fsync: "on",
      max_connections: "200",
      ...settings
    }
    const server = spawn(
      join(native, "bin", "postgres"),
      [
        "-D",
        dataOf(folder),
        "-p",
        String(port),
        ...Object.entries(options).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      ],
      { ...as, cwd: folder, stdio: ["ignore", "ignore", "pipe"] }
    )
    let log = ""
    server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      log = (log + chunk).slice(-20_000)
      if (/ready to accept (read-only )?connections/.test(log)) done(server)
      writeFileSync(join(folder, "log"), chunk, { flag: "a" })
    })
    server.on("exit", () => done(undefined))
  })
