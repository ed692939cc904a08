import { DateTime, Duration } from "effect"
import type { PspCapabilities, PspOutcome } from "../ports/Psp.ts"
import { pspDeadline } from "../psp-calls/PspCall.ts"
import { pauseIn } from "../psp-calls/PspPause.ts"

/** How long after its intent was written a request may still leave. */
const sendWithin = Duration.seconds(5)

/** For so long the PSP's word that it does something, or has done it, stands against a person's that it failed. */
const wordStandsFor = Duration.hours(24)

/** How often a PSP that would do it twice must not find what it was sent, at times that count, to have never got it. */
const notFoundTimes = 3

/** An answer tells of the time at which it was asked for, however long it took to come. */
interface Asked {
  readonly askedAt: DateTime.Utc
}

type Arriving = Pick<PspCapabilities, "notFoundIsFinalAfter">

/** What is known of a request to a PSP that may have heard it. */
export interface Sent {
  readonly sentAt: DateTime.Utc
  /** When it was sent the first time that the PSP may have heard. */
  readonly firstSentAt: DateTime.Utc
  /** How often it was not found at times that count, and when last, where that is kept. */
  readonly notFound: { readonly times: number; readonly at?: DateTime.Utc } | undefined
}

/**
 * What follows when the PSP does not find a request.
 *
 * - `Repeat`: it tells twice from once and may be told again; `isAlone` when nothing sent before can arrive any more;
 * - `TooOld`: it would have to be told again, and may have forgotten by now that it was told before;
 * - `MayArrive`: until then it may still show;
 * - `Counted`: it was not found once more, and counts again at `again`;
 * - `NeverArrived`: it was not found often enough.
 */
export type NotFound =
  | { readonly _tag: "Repeat"; readonly isAlone: boolean }
  | { readonly _tag: "TooOld" }
  | { readonly _tag: "MayArrive"; readonly until: DateTime.Utc }
  | { readonly _tag: "Counted"; readonly again: DateTime.Utc }
  | { readonly _tag: "NeverArrived" }

/** Whether a request may still leave; after that somebody may count on nothing being under way. */
export const mayLeave = (sentAt: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isLessThan(now, DateTime.addDuration(sentAt, sendWithin))

/** How long after it was sent the PSP shows what became of a request, or never will. */
const arrivesWithin = (psp: Arriving | undefined, leavesWithin: Duration.Duration) =>
  Duration.sum(
    Duration.sum(leavesWithin, Duration.fromInputUnsafe(pspDeadline)),
    psp?.notFoundIsFinalAfter ?? Duration.zero
  )

/** From when on a request that the PSP does not find will not appear there any more. */
export const arrivesBy = (
  sentAt: DateTime.Utc,
  psp: Arriving | undefined,
  leavesWithin: Duration.Duration = sendWithin
): DateTime.Utc => DateTime.addDuration(sentAt, arrivesWithin(psp, leavesWithin))

/** Whether the PSP could still come to hear a request when it was asked: till then a refusal of a repeat says nothing about it. */
export const mayStillArrive = (
  sentAt: DateTime.Utc,
  { askedAt, capabilities }: Asked & { readonly capabilities: Arriving }
): boolean => DateTime.isLessThan(askedAt, arrivesBy(sentAt, capabilities))

/** From when on a person can call it failed: till then the PSP may still come to hear it. Undefined where that is now. */
export const underWayUntil = (
  sentAt: DateTime.Utc | undefined,
  psp: Arriving | undefined,
  now: DateTime.Utc
): DateTime.Utc | undefined => {
  if (sentAt === undefined) return undefined
  const until = arrivesBy(sentAt, psp)
  return DateTime.isLessThan(now, until) ? until : undefined
}

/**
 * From when on a person can call failed what the PSP says that it does or has done, by since when its word stands; where that is
 * undefined, it is news. Undefined where that is now: what the PSP is wrong about for so long is the person's to decide.
 */
export const wordStandsUntil = (
  since: DateTime.Utc | undefined,
  now: DateTime.Utc
): DateTime.Utc | undefined => {
  const until = DateTime.addDuration(since ?? now, wordStandsFor)
  return DateTime.isLessThan(now, until) ? until : undefined
}

/**
 * Whether the PSP, by the time that a request of now can reach it, still knows that it is a repeat of what was sent
 * `firstSentAt` (decision 0110).
 */
export const isRepeatable = (
  firstSentAt: DateTime.Utc,
  {
    capabilities: { repeatableFor },
    now
  }: { readonly capabilities: Pick<PspCapabilities, "repeatableFor">; readonly now: DateTime.Utc }
): boolean =>
  repeatableFor === undefined ||
  DateTime.isLessThan(
    DateTime.addDuration(now, arrivesWithin(undefined, sendWithin)),
    DateTime.addDuration(firstSentAt, repeatableFor)
  )

/**
 * Whether what the PSP does not find may still arrive there, and may be sent again. Where a repeat is not safe, what is
 * not found counts once that is final; and where the time of the last such look is kept, half of that time later again,
 * so that the looks are spread over as long as the PSP may take, whatever a clock says (decisions 0017, 0070).
 */
export const onNotFound = (
  { firstSentAt, notFound, sentAt }: Sent,
  {
    askedAt,
    capabilities,
    now
  }: Asked & { readonly capabilities: PspCapabilities; readonly now: DateTime.Utc }
): NotFound => {
  const final = arrivesBy(sentAt, capabilities)
  const isFinal = DateTime.isGreaterThanOrEqualTo(askedAt, final)
  if (capabilities.idempotentByReference)
    return isRepeatable(firstSentAt, { capabilities, now })
      ? { _tag: "Repeat", isAlone: isFinal }
      : { _tag: "TooOld" }
  const spread = (at: DateTime.Utc) =>
    DateTime.addDuration(at, Duration.times(arrivesWithin(capabilities, sendWithin), 0.5))
  const counts = notFound?.at === undefined ? final : DateTime.max(final, spread(notFound.at))
  if (DateTime.isLessThan(askedAt, counts)) return { _tag: "MayArrive", until: counts }
  return (notFound?.times ?? 0) + 1 < notFoundTimes
    ? { _tag: "Counted", again: spread(now) }
    : { _tag: "NeverArrived" }
}

/**
 * When something is looked at again, by the last answer of its PSP: not before the pause is over that it
 * asked for.
 */
export const afterPause = (
  again: DateTime.Utc,
  outcome: PspOutcome<unknown> | undefined,
  now: DateTime.Utc
): DateTime.Utc => {
  const pause = pauseIn(outcome)
  return pause === undefined ? again : DateTime.max(again, DateTime.addDuration(now, pause))
}
