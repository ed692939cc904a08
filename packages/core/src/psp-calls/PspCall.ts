import type { Duration } from "effect"
import { Cause, Clock, Effect } from "effect"
import { pspCalls, pspEntriesLeftOut } from "../telemetry/Metrics.ts"
import { hostCause, safeWord } from "../telemetry/SafeCause.ts"
import { spanned } from "../telemetry/SpanGuarder.ts"
import type { PspOutcome, PspRejection } from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import type { PspOperation } from "./PspAnswers.ts"
import { isUnderstood, withoutNothing } from "./PspAnswers.ts"

/** How long a call to a PSP may take before its outcome counts as unknown. */
export const pspDeadline: Duration.Input = "15 seconds"

/**
 * Calls a PSP as the rules want it: a deadline on everything, and a defect, or an answer of another form than the port's, is
 * an unknown outcome too. Payments and returns of nothing, which cannot be, are left out of an answer: the others count.
 *
 * @param reference Of a charge: an answer about another one is none, for its code would bring the money of this payer to
 *   somebody else. What is told of a payout or a return is held against ours where it is judged.
 */
export const callPsp = <A>(
  operation: PspOperation,
  call: Effect.Effect<PspOutcome<A>>,
  reference?: string
): Effect.Effect<PspOutcome<A>> =>
  spanned(
    Effect.gen(function* () {
      const begun = yield* Clock.monotonicTimeNanos
      const outcome = worded(yield* understood(operation, called(call), reference))
      const took = Number((yield* Clock.monotonicTimeNanos) - begun) / 1e9
      yield* pspCalls.record(took, operation, outcome._tag)
      return outcome
    }),
    `psp.${operation}`,
    { kind: "client", attributes: { "pagora.psp.operation": operation } }
  )

/**
 * The code of a refusal goes on to tenants, in answers and events, as a stable word. What is none, a sentence or a
 * number of somebody, becomes `other`.
 */
const worded = <A>(outcome: PspOutcome<A>): PspOutcome<A> => {
  if (outcome._tag === "Rejected") return { ...outcome, code: safeWord(outcome.code) }
  if (outcome._tag !== "Done") return outcome
  const { rejection } = (outcome.value ?? {}) as { readonly rejection?: PspRejection }
  return rejection === undefined
    ? outcome
    : done({ ...outcome.value, rejection: { ...rejection, code: safeWord(rejection.code) } })
}

const understood = <A>(
  operation: PspOperation,
  call: Effect.Effect<PspOutcome<A>>,
  reference: string | undefined
): Effect.Effect<PspOutcome<A>> =>
  Effect.flatMap(call, (outcome): Effect.Effect<PspOutcome<A>> =>
    isUnderstood(operation, outcome) && isAbout(reference, outcome)
      ? possible(operation, outcome)
      : Effect.as(
          Effect.logError(
            "A PSP layer answered what the port does not know; the outcome counts as unknown."
          ).pipe(Effect.annotateLogs({ operation })),
          { _tag: "Unknown", detail: "an answer that nobody understands" } as const
        )
  )

const possible = <A>(
  operation: PspOperation,
  answer: PspOutcome<A>
): Effect.Effect<PspOutcome<A>> => {
  const { leftOut, outcome } = withoutNothing(answer)
  if (leftOut === 0) return Effect.succeed(outcome)
  return Effect.logError("A PSP tells of money without an amount; that entry is left out.").pipe(
    Effect.annotateLogs({ operation, leftOut }),
    Effect.andThen(pspEntriesLeftOut.record(leftOut, operation)),
    Effect.as(outcome)
  )
}

const isAbout = <A>(reference: string | undefined, outcome: PspOutcome<A>): boolean => {
  if (reference === undefined || outcome._tag !== "Done" || outcome.value === undefined) return true
  return (outcome.value as { readonly reference?: string }).reference === reference
}

const called = <A>(call: Effect.Effect<PspOutcome<A>>): Effect.Effect<PspOutcome<A>> =>
  call.pipe(
    // Also inside work that is not to be cut off: the deadline must be able to end the call.
    Effect.interruptible,
    Effect.timeoutOrElse({
      duration: pspDeadline,
      orElse: () =>
        Effect.succeed<PspOutcome<A>>({ _tag: "Unknown", detail: "no answer within 15 seconds" })
    }),
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError(
          "A PSP layer died; the outcome counts as unknown.",
          hostCause(Cause.die(defect))
        ),
        {
          _tag: "Unknown",
          detail: "the PSP layer died"
        } as const
      )
    )
  )
