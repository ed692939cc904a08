import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ServeEnded, startServing } from "../load/ServingProcess.ts"
import { startOwnPostgres } from "../postgres/OwnPostgres.ts"
import { mountRefused } from "../postgres/Server.ts"
import { openSession } from "../postgres/Session.ts"
import { execute, freshDatabase, startTransactionPooler } from "../postgres/index.ts"
import type { Scenario } from "./CrashReport.ts"
import { NotHere } from "./CrashReport.ts"
import { isUp } from "./PostgresKills.ts"
import { underLoad } from "./UnderLoad.ts"

const diskMegabytes = 320
const fullMillis = { min: 2_000, spread: 4_000 }
const ballast = "ballast"

/** Fills a disk to its last block. */
const fill = (folder: string): void => {
  const chunk = Buffer.alloc(1 << 20)
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(folder)
      const left = Math.min(chunk.length, bavail * bsize)
      if (left === 0) return
      writeFileSync(join(folder, ballast), chunk.subarray(0, left), { flag: "a" })
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
  }
}

/** Fills the disk of the database under load, and frees it again. */
export const disk: Scenario = {
  name: "disk",
  does: "the disk of the database is full for 2 to 6 seconds",
  count: 10,
  run: async (options) => {
    const server = await startOwnPostgres({
      revives: true,
      diskMegabytes,
      settings: { max_wal_size: "64MB", min_wal_size: "32MB", shared_buffers: "16MB" }
    }).catch((error: unknown) => {
      const words = error instanceof Error ? error.message : String(error)
      throw words.includes(mountRefused) ? new NotHere(words) : error
    })
    try {
      return await underLoad(
        { ...options, processes: 2, clients: 6, url: server.url },
        async (world) => {
          const until = performance.now() + fullMillis.min + world.chance.below(fullMillis.spread)
          while (performance.now() < until) {
            // What the server gives back meanwhile is filled, too.
            fill(server.data)
            await sleep(20)
          }
          rmSync(join(server.data, ballast), { force: true })
          const since = performance.now()
          await isUp(server.url)
          await Promise.all(world.slots.map((slot) => world.recovered(slot, since)))
          return "disk full"
        }
      )
    } finally {
      await server.stop()
    }
  }
}

const connectionsMax = 30

/** Takes every connection of a server until then, those that the service has too, and answers how to give them back. */
const takeAll = async (url: string, until: number): Promise<() => void> => {
  const first = await openSession(url)
  const taken = [first]
  while (performance.now() < until) {
    try {
      taken.push(await openSession(url))
    } catch {
      await first.rows(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pagora'"
      )
      await sleep(20)
    }
  }
  return () => {
    for (const session of taken) session.close()
  }
}

/** Somebody else takes all connections of the database, for a while. */
export const connections: Scenario = {
  name: "connections",
  does: "somebody else takes all connections of the database for 2 to 10 seconds",
  count: 20,
  run: async (options) => {
    const server = await startOwnPostgres({
      settings: { max_connections: String(connectionsMax), superuser_reserved_connections: "0" }
    })
    try {
      return await underLoad(
        { ...options, processes: 2, clients: 6, url: server.url },
        async (world) => {
          const millis = 2_000 + world.chance.below(8_000)
          const giveBack = await takeAll(server.url, performance.now() + millis)
          giveBack()
          const since = performance.now()
          await Promise.all(world.slots.map((slot) => world.recovered(slot, since)))
          return "connections taken"
        }
      )
    } finally {
      await server.stop()
    }
  }
}

/** Gives the role of a URL the settings that a start behind a pooler asks for. */
const pinRole = async (url: string, through: string): Promise<void> => {
  const config = join(import.meta.dirname, "..", "soak", "pagora.config.ts")
  const env = { DATABASE_URL: through, PAGORA_DB_PREPARE: "false", PAGORA_CONFIG: config }
  const told = await startServing(env).then(
    () => "",
    (error: unknown) => (error instanceof ServeEnded ? error.stderr : String(error))
  )
  const statements = told.match(/alter role \S+ in database \S+ set \w+ = ('[^']*'|[\w, ]+)/g) ?? []
  if (statements.length === 0) throw new Error(`The start told no settings: ${told}`)
  for (const statement of statements) await execute(url, statement.replaceAll("\\", ""))
}

/** A pooler in transaction mode, whose sessions end again and again, and processes that are killed. */
export const pooler: Scenario = {
  name: "pooler",
  does: "a pooler in transaction mode ends its sessions, or a process behind it is killed",
  count: 40,
  run: async (options) => {
    const database = await freshDatabase()
    const between = await startTransactionPooler(database.url, { sessions: 6 })
    try {
      await pinRole(database.url, between.url)
      between.reconnect()
      return await underLoad(
        {
          ...options,
          processes: 2,
          clients: 6,
          url: between.url,
          lookAt: () => database.url,
          env: { PAGORA_DB_PREPARE: "false" }
        },
        async (world) => {
          const slot = world.chance.pick(world.slots)
          const since = performance.now()
          const isKill = world.chance.happens(0.3)
          if (isKill) {
            await slot.kill()
            await slot.start()
          } else between.reconnect()
          await world.recovered(slot, since)
          return isKill ? "process killed behind a pooler" : "sessions of the pooler ended"
        }
      )
    } finally {
      await between.close()
      await database.drop()
    }
  }
}

const starters = 5

/** Five processes start at once on an empty database; all of them serve, and on one schema. */
export const starts: Scenario = {
  name: "starts",
  does: "five processes start at once on an empty database",
  count: 10,
  run: async (options) => {
    const { count, progress, seed } = options
    const violations: Array<string> = []
    const recoveries: Array<number> = []
    let asked = 0
    for (let round = 0; round < count; round++) {
      const database = await freshDatabase()
      const since = performance.now()
      const report = await underLoad(
        {
          ...options,
          seed: seed + round,
          count: 1,
          progress: () => undefined,
          processes: starters,
          clients: 3,
          url: database.url
        },
        async (world) => {
          recoveries.push(performance.now() - since)
          for (const slot of world.slots) await world.recovered(slot, performance.now())
          return "five starts"
        }
      ).finally(database.drop)
      asked += report.asked
      violations.push(...report.violations)
      progress(`${round + 1} of ${count}: violations ${violations.length}`)
    }
    return {
      faults: count,
      recoveries,
      asked,
      acknowledged: asked,
      answers: new Map(),
      figures: {},
      violations
    }
  }
}
