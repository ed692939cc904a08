import { Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** The storage cannot be used as it is; the message says why, or what to do. */
export class StartError extends Schema.TaggedError<StartError>()("StartError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

export const startErrorOf = (error: SqlError): StartError => {
  const { cause, message, operation } = error.reason
  const words = cause instanceof Error ? cause.message : (message ?? error.reason._tag)
  if (/unsupported startup parameter/.test(words))
    return new StartError({ message: pooled, cause: error })
  return new StartError({
    message:
      operation === "connect"
        ? `PostgreSQL cannot be reached: ${words}.`
        : `The schema could not be prepared: ${words}.`,
    cause: error
  })
}

const pooled =
  "A pooler stands before PostgreSQL and takes no settings for a session: set prepare: false (PAGORA_DB_PREPARE=false). The start then says which settings the role needs instead."
