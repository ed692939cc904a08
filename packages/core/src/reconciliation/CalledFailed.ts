import type { DateTime } from "effect"
import { Effect } from "effect"
import type { PspShape } from "../ports/Psp.ts"
import { underWayUntil, wordStandsUntil } from "./Requests.ts"

/** What a person calls failed; `Says` is how its PSP says that it does it, or has done it. */
export interface CalledFailed<Says extends string, E> {
  readonly sentAt: DateTime.Utc | undefined
  /** Since when such a word of the PSP stands against a person's; undefined where it is news. */
  readonly toldSince: (says: Says) => DateTime.Utc | undefined
  /** What the PSP says when it is asked for it now; undefined where it says nothing of the kind. */
  readonly ask: (psp: PspShape) => Effect.Effect<Says | undefined, E>
}

/**
 * Until when it cannot be called failed, and by which word of its PSP; undefined where it can. Who calls it failed may have looked
 * long ago: its PSP is asked, and no order comes to it after that, because it was too late for one by then. Where it does not
 * answer, the person's word counts (decision 0114).
 */
export const stillUnderWay = Effect.fnUntraced(function* <Says extends string, E>(
  { ask, sentAt, toldSince }: CalledFailed<Says, E>,
  psp: PspShape | undefined,
  now: DateTime.Utc
) {
  const until = underWayUntil(sentAt, psp?.capabilities, now)
  if (until !== undefined) return { until }
  const says = psp === undefined ? undefined : yield* ask(psp)
  const stands = says === undefined ? undefined : wordStandsUntil(toldSince(says), now)
  return says === undefined || stands === undefined ? undefined : { until: stands, says }
})
