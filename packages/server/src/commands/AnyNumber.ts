import { Flag } from "effect/cli"

/** A flag that may be there once, several times or not at all; with `atLeast(0)` alone, the pages would call it required. */
export const anyNumber = <A>(flag: Flag.Flag<A>): Flag.Flag<ReadonlyArray<A>> =>
  flag.pipe(Flag.atLeast(0), Flag.withDefault<ReadonlyArray<A>>([]))
