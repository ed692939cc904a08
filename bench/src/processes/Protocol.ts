import type { Run } from "../Measure.ts"

export const jobs = ["settle", "create", "withdraw"] as const
export type Job = (typeof jobs)[number]

/** What a process is told, as one line: to make units ready, or to write those that are. */
export type Order =
  | { readonly do: "prepare"; readonly job: Job; readonly count: number; readonly wallets: number }
  | { readonly do: "write" }

/** What a process says when its units are in. */
export interface Written extends Run {
  /** Calls of the database that wrote, those that were not written, and units in each that was. */
  readonly writes: number
  readonly failed: number
  readonly unitsAWrite: number
  /** Of the failed ones, those that met a lock. */
  readonly locked: number
  /** Callers who were told that nothing was written. */
  readonly contended: number
  readonly cpuMillis: number
}
