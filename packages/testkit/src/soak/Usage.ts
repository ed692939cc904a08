import { execFileSync } from "node:child_process"
import { readFileSync, readdirSync, readlinkSync } from "node:fs"
import { rowsOf } from "../postgres/index.ts"

/** What a deployment takes of its machines at one moment. */
export interface Usage {
  /** Things that were acknowledged so far. */
  readonly acknowledged: number
  readonly processes: ReadonlyArray<ProcessUsage>
  /** Connections that the database has from all of them. */
  readonly connections: number
  /** Bytes on disk of each table with its indexes. */
  readonly tables: Readonly<Record<string, number>>
}

export interface ProcessUsage {
  /** Resident bytes. */
  readonly memory: number
  /** Open sockets; undefined where the system does not tell. */
  readonly sockets: number | undefined
}

const kibibyte = 1_024
export const mebibyte = kibibyte * kibibyte

/** What a process takes. Linux tells in `/proc`; elsewhere `ps` knows its memory. */
const usageOf = (pid: number): ProcessUsage => {
  if (process.platform !== "linux") {
    const told = execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
    return { memory: Number(told) * kibibyte, sockets: undefined }
  }
  const [, resident] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(`/proc/${pid}/fd/${fd}`))
  return {
    memory: Number(resident) * kibibyte,
    sockets: open.filter((target) => target.startsWith("socket:")).length
  }
}

/** What is closed meanwhile leads nowhere. */
const targetOf = (link: string): string => {
  try {
    return readlinkSync(link)
  } catch {
    return ""
  }
}

const measured = `select relname as name, pg_total_relation_size(oid)::text as bytes,
    (select count(*)::int from pg_stat_activity where datname = current_database()) as connections
  from pg_class where relnamespace = 'pagora'::regnamespace and relkind = 'r'`

/** What all of it takes now. */
export const measure = async (
  url: string,
  pids: ReadonlyArray<number>,
  acknowledged: number
): Promise<Usage> => {
  const rows = await rowsOf(url, measured)
  return {
    acknowledged,
    processes: pids.map(usageOf),
    connections: Number(rows[0]?.["connections"]),
    tables: Object.fromEntries(rows.map(({ bytes, name }) => [String(name), Number(bytes)]))
  }
}
