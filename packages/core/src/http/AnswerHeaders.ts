import { Context, Effect } from "effect"

/** What is added to the headers of an answer. */
export interface Added {
  headers: Map<string, string> | undefined
}

/** Headers that something inside a request adds to its answer, whatever the answer turns out to be. */
export const AnswerHeaders = Context.Reference<Added | undefined>(
  "@pagora/core/http/AnswerHeaders",
  { defaultValue: () => undefined }
)

/** Takes back what was added to the answer of this request. */
export const noHeaders: Effect.Effect<void> = Effect.map(AnswerHeaders, (added) => {
  if (added !== undefined) added.headers = undefined
})

/** Adds to the headers of the answer of this request. */
export const addHeaders = (headers: Readonly<Record<string, string>>): Effect.Effect<void> =>
  Effect.map(AnswerHeaders, (added) => {
    if (added === undefined) return
    added.headers ??= new Map()
    for (const [name, value] of Object.entries(headers)) added.headers.set(name, value)
  })
