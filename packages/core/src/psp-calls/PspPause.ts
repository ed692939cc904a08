import { Duration, Effect } from "effect"
import type { PspOutcome, PspShape } from "../ports/Psp.ts"
import { circuitOf } from "./PspCircuit.ts"

/** No PSP is waited for longer, whatever it asks for. */
const pauseMax = Duration.hours(1)

/** How long a PSP is to be left alone by what it has answered; undefined where it has not said so. */
export const pauseIn = (outcome: PspOutcome<unknown> | undefined): Duration.Duration | undefined =>
  outcome?._tag === "NotNow" || outcome?._tag === "Unknown"
    ? outcome.after && Duration.min(outcome.after, pauseMax)
    : undefined

/**
 * After what time it can help to ask a PSP again: it has asked to be left alone so long, or keeps silent and is. Undefined where
 * nobody knows.
 */
export const pauseAt = (
  psp: PspShape,
  outcomes: ReadonlyArray<PspOutcome<unknown>>
): Effect.Effect<Duration.Duration | undefined> =>
  Effect.map(circuitOf(psp)?.openFor ?? Effect.undefined, (open) =>
    [open, ...outcomes.map(pauseIn)].reduce(longer, undefined)
  )

const longer = (one: Duration.Duration | undefined, other: Duration.Duration | undefined) =>
  one === undefined || other === undefined ? (one ?? other) : Duration.max(one, other)
