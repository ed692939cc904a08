import type { Duration, Effect } from "effect"
import type { Chance } from "../fuzz/Chance.ts"

/**
 * What is outside of every process of the service: true time, chance, and the record of what happened. All of it comes out
 * alike for the same seed. Nothing in it goes by a clock, a random number or a promise of the machine it runs on.
 */
export interface World {
  /** True time in milliseconds since 1970. No process knows it; each has a clock of its own. */
  readonly now: () => number
  /** Something happens outside of all processes after so long of true time. */
  readonly after: (delay: Duration.Input, what: () => void) => void
  /**
   * Chance for a purpose, such as `bank A: fate of sendPayout`. One purpose has one stream, so that what is drawn for one
   * thing changes nothing for another.
   */
  readonly chance: (purpose: string) => Chance
  /** Adds a line to the trace, whose hash two runs of one seed have in common. */
  readonly note: (line: string) => void
  /** Counts that something was reached: `fault: bank lost answer`, `charge: pending × paid`. */
  readonly reached: (cell: string) => void
  /** False from the quiet end on: no fault begins any more, and what was held up comes out. */
  readonly isFaulty: () => boolean
}

/** Writes to the storage are told from all other calls. */
export type CallKind = "write" | "other"

/** One process of the service, as what is outside sees it. */
export interface Caller {
  readonly name: string
  /**
   * Asks something outside of the process, and goes on when there is a reply; never, where there is none. `ask` runs at once,
   * outside. It may reply later, by `World.after`; more replies than one are dropped, as are those to a process that died.
   */
  readonly exchange: <A>(
    ask: (reply: (answer: A) => void) => void,
    kind?: CallKind
  ) => Effect.Effect<A>
}
