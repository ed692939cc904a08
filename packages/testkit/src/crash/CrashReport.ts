/** What a scenario is told. */
export interface ScenarioOptions {
  readonly seed: number
  /** How many faults, or whatever else the scenario counts. */
  readonly count: number
  readonly progress: (sentence: string) => void
  /** Leases end by hand, so that nobody waits a minute for them. */
  readonly isHurried: boolean
}

/** What came of a scenario. */
export interface CrashReport {
  readonly faults: number
  /** Milliseconds from each fault, or its end, to the next write that was acknowledged there. */
  readonly recoveries: ReadonlyArray<number>
  readonly asked: number
  readonly acknowledged: number
  /** How often clients were answered what. */
  readonly answers: ReadonlyMap<string, number>
  /** Whatever else there is to tell, by what it is. */
  readonly figures: Readonly<Record<string, number | string>>
  readonly violations: ReadonlyArray<string>
  /** The rows of what they are about, as they are in the end. */
  readonly stored?: ReadonlyArray<string>
}

/** A scenario cannot be played on this machine. */
export class NotHere extends Error {}

/** One way in which real parts fail. */
export interface Scenario {
  readonly name: string
  /** What is done, in a few words. */
  readonly does: string
  /** How often in the long form. */
  readonly count: number
  readonly run: (options: ScenarioOptions) => Promise<CrashReport>
}

/** The middle and the longest, in seconds. */
export const spread = (millis: ReadonlyArray<number>): string => {
  if (millis.length === 0) return "none"
  const sorted = [...millis].sort((a, b) => a - b)
  const at = (share: number) =>
    ((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) / 1_000).toFixed(
      2
    )
  return `p50 ${at(0.5)} s, max ${at(1)} s`
}
