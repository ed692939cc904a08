import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { copyFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { runner } from "./Binaries.ts"
import { openSession } from "./Session.ts"
import { dataOf, password } from "./Server.ts"
import type { SupervisorPlan } from "./Supervisor.ts"
import type { Postgres } from "./TestPostgres.ts"
import { newFolder, superviseIn } from "./TestPostgres.ts"

/** A PostgreSQL whose processes and files are ours, to be killed, copied and filled. */
export interface OwnPostgres extends Postgres {
  /** Where its data lies. */
  readonly data: string
  /** The id of its first process, which all others belong to. */
  readonly postmaster: () => number
}

/** Starts one, whatever server the tests use otherwise. */
export const startOwnPostgres = (plan: SupervisorPlan = {}): Promise<OwnPostgres> =>
  own(newFolder(), plan)

const own = async (folder: string, plan: SupervisorPlan): Promise<OwnPostgres> => {
  const server = await superviseIn(folder, plan)
  const data = dataOf(folder)
  return {
    ...server,
    data,
    postmaster: () => Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0])
  }
}

/** Folders whose content belongs to the server that runs, and not to a copy of it. */
const emptied = new Set([
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  "pg_wal"
])
const left = new Set(["postmaster.pid", "postmaster.opts", "standby.signal", "backup_label"])

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT"

/** Copies files while they are written to; one that goes meanwhile is not missed, the log knows of it. */
const copyTree = async (
  from: string,
  to: string,
  owned: (path: string) => void,
  isRoot = true
): Promise<void> => {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  owned(to)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      if (isRoot && emptied.has(entry.name)) {
        mkdirSync(target, { mode: 0o700 })
        owned(target)
        // Otherwise empty, it has a folder that is never made again.
        if (entry.name === "pg_wal") {
          mkdirSync(join(target, "archive_status"), { mode: 0o700 })
          owned(join(target, "archive_status"))
        }
      } else await copyTree(source, target, owned, false)
    } else if (!(isRoot && left.has(entry.name))) {
      try {
        await copyFile(source, target)
        owned(target)
      } catch (error) {
        if (!isGone(error)) throw error
      }
    }
  }
}

/**
 * Starts a standby of a server: a copy of its files, made while it goes on between `pg_backup_start` and `pg_backup_stop`,
 * that goes on with its log. It answers when it streams. `wire` is where it finds its primary.
 */
export const startStandby = async (
  primary: OwnPostgres,
  plan: SupervisorPlan = {},
  wire = primary.url
): Promise<OwnPostgres> => {
  const folder = newFolder()
  chmodSync(folder, 0o711)
  const as = runner()
  const owned = (path: string): void => {
    if (as !== undefined) chownSync(path, as.uid, as.gid)
  }
  const data = dataOf(folder)
  const session = await openSession(primary.url)
  try {
    await session.rows("select pg_backup_start('standby', fast => true)")
    await copyTree(primary.data, data, owned)
    const [backup] = await session.rows(
      "select labelfile from pg_backup_stop(wait_for_archive => false)"
    )
    for (const [name, text] of [
      ["backup_label", String(backup?.["labelfile"])],
      ["standby.signal", ""]
    ] as const) {
      writeFileSync(join(data, name), text, { mode: 0o600 })
      owned(join(data, name))
    }
    const { hostname, port } = new URL(wire)
    const standby = await own(folder, {
      ...plan,
      settings: {
        ...plan.settings,
        primary_conninfo: `host=${hostname} port=${port} user=postgres password=${password} application_name=standby`
      }
    })
    for (let waited = 0; waited < streamMillisMax; waited += pollMillis) {
      const found = await session.rows(
        "select 1 from pg_stat_replication where state = 'streaming'"
      )
      if (found.length > 0) return standby
      await sleep(pollMillis)
    }
    await standby.stop()
    throw new Error("The standby does not stream.")
  } finally {
    session.close()
  }
}

/** From now on a server acknowledges nothing that its standby has not. It answers when that is so. */
export const waitForStandby = async ({ url }: OwnPostgres): Promise<void> => {
  const session = await openSession(url)
  try {
    await session.rows("alter system set synchronous_standby_names = '*'")
    await session.rows("select pg_reload_conf()")
    for (let waited = 0; waited < streamMillisMax; waited += pollMillis) {
      const rows = await session.rows("select 1 from pg_stat_replication where sync_state = 'sync'")
      if (rows.length > 0) return
      await sleep(pollMillis)
    }
    throw new Error("The standby does not become synchronous.")
  } finally {
    session.close()
  }
}

const streamMillisMax = 60_000
const pollMillis = 50
