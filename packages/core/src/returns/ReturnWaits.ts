import { DateTime, Duration } from "effect"
import { waitingSince } from "../kernel/Waiting.ts"
import type { PspShape } from "../ports/Psp.ts"
import { pspDeadline } from "../psp-calls/PspCall.ts"
import type { Return } from "./Return.ts"

/** How long after the intent to send was made the request may still leave. */
const sendWithin = Duration.seconds(5)

/** Whether the request may still leave; after that somebody may count on nothing being under way. */
export const mayLeave = ({ sentAt }: Return, now: DateTime.Utc): boolean =>
  sentAt !== undefined && DateTime.isLessThan(now, DateTime.addDuration(sentAt, sendWithin))

/** How long after a request was sent the PSP shows what became of it, or never will. */
const appearsWithin = (psp: PspShape | undefined): Duration.Duration =>
  Duration.sum(
    Duration.sum(sendWithin, Duration.fromInputUnsafe(pspDeadline)),
    psp?.capabilities.notFoundIsFinalAfter ?? Duration.zero
  )

/** How often a PSP that would send it twice must not find a return, before it is told of it again. */
const unfoundTimes = 3

/** Whether it was not found often enough: `times` more, counting this one. */
export const isGone = ({ unfound }: Return): boolean => (unfound?.times ?? 0) + 1 >= unfoundTimes

/**
 * From when on it counts that such a PSP does not find a return: first when that is final, and then after half of that
 * time again. So the looks that count are spread over as long as the PSP may take, whatever a clock says and whoever
 * asks in between (decision 0078).
 */
export const unfoundCounts = (
  { unfound }: Return,
  sentAt: DateTime.Utc,
  psp: PspShape
): DateTime.Utc =>
  DateTime.max(
    unfoundIsFinal(sentAt, psp),
    unfound === undefined ? sentAt : afterUnfound(unfound.at, psp)
  )

/** When it is looked at again that was not found. */
export const afterUnfound = (at: DateTime.Utc, psp: PspShape): DateTime.Utc =>
  DateTime.addDuration(at, Duration.times(appearsWithin(psp), 0.5))

/** From when on a return that the PSP does not find will not appear there any more. */
export const unfoundIsFinal = (sentAt: DateTime.Utc, psp: PspShape | undefined): DateTime.Utc =>
  DateTime.addDuration(sentAt, appearsWithin(psp))

/** When the PSP is asked next. Telling it again does not begin the waits anew. */
export const nextLook = (money: Return, now: DateTime.Utc): DateTime.Utc => {
  const since = money.status === "processing" ? money.updatedAt : money.createdAt
  return waitingSince(since, now)
}
