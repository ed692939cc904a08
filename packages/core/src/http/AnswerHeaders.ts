import { Context, Effect } from "effect"

/** Headers that something inside a request adds to its answer, whatever the answer turns out to be. */
export const AnswerHeaders = Context.Reference<Map<string, string> | undefined>(
  "@pagora/core/http/AnswerHeaders",
  { defaultValue: () => undefined }
)

/** Takes back what was added to the answer of this request. */
export const noHeaders: Effect.Effect<void> = Effect.map(AnswerHeaders, (added) => added?.clear())

/** Adds to the headers of the answer of this request. */
export const addHeaders = (headers: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.map(AnswerHeaders, (added) => {
    for (const [name, value] of Object.entries(headers)) added?.set(name, value)
  })
