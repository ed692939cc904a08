import { setTimeout as sleep } from "node:timers/promises"
import { startOwnPostgres } from "../postgres/OwnPostgres.ts"
import type { OwnPostgres } from "../postgres/OwnPostgres.ts"
import { openSession } from "../postgres/Session.ts"
import type { Scenario } from "./CrashReport.ts"
import { underLoad } from "./UnderLoad.ts"

/** The processes of a server that work for clients. */
export const backendsOf = async (url: string): Promise<ReadonlyArray<number>> => {
  const session = await openSession(url)
  try {
    const rows = await session.rows(
      "select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
    )
    return rows.map(({ pid }) => Number(pid))
  } finally {
    session.close()
  }
}

/** One that is gone by itself needs no killing. */
export const killPid = (pid: number, signal: NodeJS.Signals = "SIGKILL"): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

const upMillisMax = 60_000

/** Waits until a server answers. */
export const isUp = async (url: string): Promise<void> => {
  for (const from = performance.now(); ;) {
    try {
      const session = await openSession(url)
      await session.rows("select 1")
      return session.close()
    } catch (error) {
      if (performance.now() - from > upMillisMax) throw error
      await sleep(50)
    }
  }
}

const strikes = {
  "one backend killed": async (
    { url }: OwnPostgres,
    pick: (all: ReadonlyArray<number>) => number
  ) => {
    const backends = await backendsOf(url)
    if (backends.length > 0) killPid(pick(backends))
  },
  "all backends killed": async ({ url }: OwnPostgres) => {
    for (const pid of await backendsOf(url)) killPid(pid)
  },
  "postmaster killed": async (server: OwnPostgres) => killPid(server.postmaster()),
  // What pg_ctl stop -m immediate sends; whoever runs the server starts it again.
  "restarted at once": async (server: OwnPostgres) => killPid(server.postmaster(), "SIGQUIT")
} as const

const kinds = Object.keys(strikes) as ReadonlyArray<keyof typeof strikes>

/** Kills parts of a PostgreSQL under two processes, or all of it; it comes back by itself. */
export const postgresKills: Scenario = {
  name: "postgres",
  does: "kill -9 of one backend, of all, of the postmaster, and an immediate restart",
  count: 50,
  run: async (options) => {
    const server = await startOwnPostgres({ revives: true })
    try {
      return await underLoad(
        { ...options, processes: 2, clients: 6, url: server.url },
        async (world, round) => {
          const kind = kinds[round % kinds.length] ?? "postmaster killed"
          const since = performance.now()
          await strikes[kind](server, (all) => world.chance.pick(all))
          const back = isUp(server.url).then(() => world.noteServer(performance.now() - since))
          await Promise.all(world.slots.map((slot) => world.recovered(slot, since)))
          await back
          return kind
        }
      )
    } finally {
      await server.stop()
    }
  }
}
