import { Flag } from "effect/cli"

/** Why somebody decided as they did, and who it was: kept with what was decided. */
export const wordsFlags = {
  reason: Flag.String("reason").pipe(
    Flag.withDescription("Why: what was looked at, and what was done elsewhere")
  ),
  by: Flag.String("by").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("Who decided"),
    Flag.optional
  )
}

/** Only what is about one account. */
export const ofAccountFlag = Flag.String("account").pipe(
  Flag.withMetavar("id"),
  Flag.withDescription("Only what is about this account"),
  Flag.optional
)
