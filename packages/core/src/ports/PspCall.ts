import type { Duration } from "effect"
import { Effect } from "effect"
import type { PspOutcome } from "./Psp.ts"

/** How long a call to a PSP may take before its outcome counts as unknown. */
export const pspDeadline: Duration.Input = "15 seconds"

/** Calls a PSP as the rules want it: a deadline on everything, and a defect is an unknown outcome too. */
export const callPsp = <A>(call: Effect.Effect<PspOutcome<A>>): Effect.Effect<PspOutcome<A>> =>
  call.pipe(
    // Also inside work that is not to be cut off: the deadline must be able to end the call.
    Effect.interruptible,
    Effect.timeoutOrElse({
      duration: pspDeadline,
      orElse: () =>
        Effect.succeed<PspOutcome<A>>({ _tag: "Unknown", detail: "no answer within 15 seconds" })
    }),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError("A PSP layer died; the outcome counts as unknown.", defect), {
        _tag: "Unknown",
        detail: "the PSP layer died"
      } as const)
    )
  )
