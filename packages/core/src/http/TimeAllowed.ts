import { Context, Duration } from "effect"
import { pspDeadline } from "../psp-calls/PspCall.ts"

/** How long a request may take before it is answered with 503, whatever it waits for (decision 0060). */
export const requestMax = Duration.seconds(10)

/** For an endpoint that asks the PSP: what a PSP is given comes on top. */
export const withPspMax = Duration.sum(requestMax, Duration.fromInputUnsafe(pspDeadline))

/** For what reads or works off as much as there is. */
export const unhurriedMax = Duration.minutes(5)

/** How long requests of an endpoint may take. */
export const TimeAllowed = Context.Reference<Duration.Duration>("@pagora/core/http/TimeAllowed", {
  defaultValue: () => requestMax
})
