import { Schema } from "effect"

/** What a person decided where no machine could, kept with what it decides. */
export const Resolution = Schema.Struct({
  /** Why, in that person's words: what was looked at, and what was done elsewhere. */
  reason: Schema.String,
  /** Who, as far as the operator says. */
  by: Schema.optionalKey(Schema.String),
  at: Schema.DateTimeUtcFromString
})
export type Resolution = typeof Resolution.Type

/** How a person ends what no machine could: as it was found at the PSP. */
export interface Decision extends Omit<Resolution, "at"> {
  readonly outcome: "completed" | "failed"
}
