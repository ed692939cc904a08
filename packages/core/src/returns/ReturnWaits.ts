import { DateTime, Duration } from "effect"
import { waitingSince } from "../kernel/Waiting.ts"
import type { PspShape } from "../ports/Psp.ts"
import { pspDeadline } from "../ports/PspCall.ts"
import type { Return } from "./Return.ts"

/** How long after the intent to send was made the request may still leave. */
const sendWithin = Duration.seconds(5)

/** Whether the request may still leave; after that somebody may count on nothing being under way. */
export const mayLeave = ({ sentAt }: Return, now: DateTime.Utc): boolean =>
  sentAt !== undefined && DateTime.isLessThan(now, DateTime.addDuration(sentAt, sendWithin))

/** From when on a return that the PSP does not find will not appear there any more. */
export const unfoundIsFinal = (sentAt: DateTime.Utc, psp: PspShape | undefined): DateTime.Utc => {
  const answered = Duration.sum(sendWithin, Duration.fromInputUnsafe(pspDeadline))
  const appears = psp?.capabilities.notFoundIsFinalAfter ?? Duration.zero
  return DateTime.addDuration(sentAt, Duration.sum(answered, appears))
}

/** When the PSP is asked next. Telling it again does not begin the waits anew. */
export const nextLook = (money: Return, now: DateTime.Utc): DateTime.Utc => {
  const since = money.status === "processing" ? money.updatedAt : money.createdAt
  return waitingSince(since, now)
}
