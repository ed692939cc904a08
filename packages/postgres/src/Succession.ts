import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Which server a session is with. */
export interface Server {
  /** Of its cluster, from `initdb` on. */
  readonly system: string
  /** Of its log: each promotion begins a new one, with a higher number. */
  readonly timeline: number
}

type Query = (
  text: string
) => Effect.Effect<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }, SqlError>

// The timeline that is written to now; that of the last checkpoint lags behind a promotion.
const look = `select system_identifier::text as system,
    case when not pg_is_in_recovery() then substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline
  from pg_control_system()`

/** Asks which server it is; `standby` while it writes no log of its own. A service that tells nothing of the kind is nobody's successor. */
export const serverOf = (query: Query): Effect.Effect<Server | "standby" | undefined> =>
  query(look).pipe(
    Effect.map(({ rows: [row] }) => {
      const { system, timeline } = row ?? {}
      if (typeof system !== "string") return undefined
      if (typeof timeline !== "string") return "standby" as const
      return { system, timeline: Number.parseInt(timeline, 16) }
    }),
    Effect.catch(() => Effect.undefined)
  )

/** What becomes of a session with a server. */
export type Meeting =
  /** It is with the primary of this epoch. */
  | { readonly _tag: "Primary"; readonly epoch: number }
  /** It is, and all sessions of before are not. */
  | { readonly _tag: "Successor"; readonly epoch: number; readonly before: Server }
  /** Another server has taken its place, or it never had it. */
  | { readonly _tag: "Former"; readonly now: Server }

/**
 * Follows which server is the primary. One whose log branched off later has taken the place of all before. So has one of
 * another cluster, such as one that was moved: the one that was met last counts.
 */
export class Succession {
  private now: Server | undefined
  private count = 0

  /** Another number once another server has taken over. */
  readonly epoch = (): number => this.count

  meet(met: Server | "standby" | undefined): Meeting {
    const { now } = this
    if (met === "standby" && now !== undefined) return { _tag: "Former", now }
    if (met === "standby" || met === undefined) return { _tag: "Primary", epoch: this.count }
    if (now === undefined || (now.system === met.system && now.timeline === met.timeline)) {
      this.now = met
      return { _tag: "Primary", epoch: this.count }
    }
    if (now.system === met.system && met.timeline < now.timeline) return { _tag: "Former", now }
    this.now = met
    this.count++
    return { _tag: "Successor", epoch: this.count, before: now }
  }
}
