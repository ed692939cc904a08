import type { PgClient } from "@effect/sql-pg"
import { StorageError } from "@pagora/core"
import { Clock, Duration, Effect } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"

/** One row of an answer; the statement knows its columns. */
export type Answer = Readonly<Record<string, unknown>>

/** What a statement failed of: it never reached the server, nobody knows, or the server refused it. */
export type Failure =
  | { readonly _tag: "NotSent"; readonly cause: unknown }
  | { readonly _tag: "Lost"; readonly cause: SqlError }
  | { readonly _tag: "Refused"; readonly code: string; readonly place: string }

/** Terms of one statement. */
interface RunTerms {
  /** The milliseconds that it has; what a statement usually has, where undefined. */
  readonly patience?: number | undefined
  /** It is sent to the primary of this epoch, or not at all. */
  readonly epoch?: number | undefined
}

/** Runs one statement in some session. */
export type Run = (
  text: string,
  parameters: ReadonlyArray<unknown>,
  terms?: RunTerms
) => Effect.Effect<ReadonlyArray<Answer>, Failure>

export interface Database {
  /** `pagora.` in a statement stands for the schema. Each text is prepared once per connection. */
  readonly run: Run
  /** The same for a statement that changes nothing, or whose change may be repeated. */
  readonly read: (
    text: string,
    parameters: ReadonlyArray<unknown>,
    patience?: Duration.Input
  ) => Effect.Effect<ReadonlyArray<Answer>, StorageError>
}

/** Milliseconds in which a read is tried again: one that waited for a dead connection is, but only once. */
const againWithin = 6_000

/**
 * Runs statements on real time, whatever clock the caller's fiber has: pools and sockets know no other.
 * Clock travel in a test or a sandbox must not end a connection.
 */
export const makeDatabase = (runOne: Run, schema: string): Database => {
  const clock = realClock()
  const texts = new Map<string, string>()
  const inSchema = (text: string): string => {
    const known = texts.get(text) ?? text.replaceAll("pagora.", `${schema}.`)
    texts.set(text, known)
    return known
  }
  const run: Database["run"] = (text, parameters, terms) =>
    Effect.provideService(runOne(inSchema(text), parameters, terms), Clock.Clock, clock)
  return {
    run,
    read: (text, parameters, patience) =>
      // A session that ended while it was idle shows only when it is used: another one answers.
      Effect.suspend(() => {
        const begun = performance.now()
        const millis =
          patience === undefined ? undefined : Duration.toMillis(Duration.fromInputUnsafe(patience))
        return run(text, parameters, { patience: millis }).pipe(
          Effect.retry({
            while: ({ _tag }) => _tag !== "Refused" && performance.now() - begun < againWithin,
            times: 2
          }),
          Effect.catch(unavailable)
        )
      })
  }
}

/** An embedded database that does not answer for so long is taken for dead. */
const embeddedMax = 30_000

/** Statements over a client that has its own sessions. */
export const runOver =
  (sql: PgClient.PgClient): Run =>
  (text, parameters, { patience = embeddedMax } = {}) =>
    sql
      .unsafe<Answer>(text, parameters)
      .pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(timedOut) }),
        Effect.mapError(failureOf)
      )

/** Time as it is, not as a test tells it. */
export const realClock = (): Clock.Clock => Effect.runSync(Effect.clockWith(Effect.succeed))

/** A read that did not come through has changed nothing, wherever it got lost. */
const unavailable = (failure: Failure): Effect.Effect<never, StorageError> => {
  if (failure._tag !== "Refused")
    return new StorageError({ reason: "Unavailable", cause: failure.cause })
  return isTransient(failure.code) || isConflict(failure.code)
    ? new StorageError({ reason: "Unavailable", cause: defectOf(failure) })
    : Effect.die(defectOf(failure))
}

/** The server is out of something, read only, or was told to give up: nothing was changed. */
export const isTransient = (code: string): boolean =>
  code.startsWith("53") || code === "25006" || code === "57014"

/** Two transactions got in each other's way and the server gave this one up. */
export const isConflict = (code: string): boolean =>
  code === "40001" || code === "40P01" || code === "55P03"

/** What is told of a refusal. Never the server's own words: they quote values, which may be anybody's CPF. */
export const defectOf = (failure: Extract<Failure, { readonly _tag: "Refused" }>): Error =>
  new Error(`PostgreSQL refused a statement of ours: SQLSTATE ${failure.code}${failure.place}.`)

/** What keeps a statement from being sent. */
export const notSent = (error: unknown): Failure => ({ _tag: "NotSent", cause: error })

export const failureOf = (error: SqlError): Failure => {
  const { cause, operation, _tag } = error.reason
  if (operation === "connect") return { _tag: "NotSent", cause: error }
  const fields = new Map<string, unknown>(
    typeof cause === "object" ? Object.entries(cause ?? {}) : []
  )
  const code = String(fields.get("code") ?? "")
  // Class 57P is the server going away; what it did before that, nobody knows.
  if (_tag === "ConnectionError" || code.startsWith("57P")) return { _tag: "Lost", cause: error }
  const places = ["table", "column", "constraint"].filter(
    (name) => typeof fields.get(name) === "string"
  )
  return {
    _tag: "Refused",
    code: code === "" ? _tag : code,
    place: places.map((name) => `, ${name} ${String(fields.get(name))}`).join("")
  }
}

const timedOut = new SqlError({
  reason: new ConnectionError({
    cause: new Error("no answer"),
    message: "PostgreSQL did not answer in time",
    operation: "query"
  })
})
