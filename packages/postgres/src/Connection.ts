import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schedule } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { isReadable } from "./ConnectionUrl.ts"
import type { SessionOptions } from "./SessionOptions.ts"
import { keepAliveOf, settingsOf, timesFault, timesOf } from "./SessionOptions.ts"
import { StartError } from "./StartError.ts"

/** Which database, and where in it. */
export interface ConnectOptions extends SessionOptions {
  /** `postgres://user:password@host:port/database`. What an environment does not have is refused in one sentence. */
  readonly url: string | Redacted.Redacted | undefined
  /** Everything of Pagora lies in this schema and nothing of it outside. Default `pagora`. */
  readonly schema?: string
  /** How the connections call themselves in `pg_stat_activity`. Default `pagora`. */
  readonly applicationName?: string
}

export const schemaOf = ({ schema = "pagora" }: ConnectOptions): string => schema

/** How connections are opened, and what their sessions are like. */
export const sessionPlan = Effect.fnUntraced(function* (options: ConnectOptions) {
  const { applicationName = "pagora", prepare = true, url } = options
  if (url === undefined || url === "") return yield* new StartError({ message: noUrl })
  const secretUrl = typeof url === "string" ? Redacted.make(url) : url
  if (!isReadable(Redacted.value(secretUrl)))
    return yield* new StartError({ message: unreadableUrl })
  const times = timesOf(options)
  const fault = timesFault(times)
  if (fault !== undefined) return yield* fault
  const settings = settingsOf(options, times)
  return {
    times,
    settings,
    config: {
      url: secretUrl,
      applicationName,
      connectTimeout: times.connect,
      prepare,
      // A pooler takes none of these: there the role has them.
      startupParameters: prepare ? { ...settings, ...keepAliveOf(times) } : {}
    }
  }
})

/**
 * Opens a pool of connections for preparing a database, for as long as the scope lasts. What it does may take as long as
 * it takes.
 */
export const connect = Effect.fnUntraced(function* (options: ConnectOptions) {
  const { config, times } = yield* sessionPlan(options)
  const { startupParameters } = config
  return yield* PgClient.make({
    ...config,
    startupParameters:
      options.prepare === false
        ? {}
        : { ...startupParameters, lock_timeout: "0", statement_timeout: "0" },
    maxConnections: 2,
    // A peer that is gone without a word is noticed.
    keepAlive: Math.max(1_000, times.keepAlive)
  })
})

/**
 * Tries again while the database is not there, and says so once. Who starts beside it need not start after it.
 *
 * @param most Milliseconds.
 */
export const waitingFor = <A, R>(
  start: Effect.Effect<A, StartError | SqlError, R>,
  most: number
): Effect.Effect<A, StartError | SqlError, R> =>
  Effect.suspend(() => {
    const until = performance.now() + most
    let isTold = most === 0
    const tell = (error: StartError | SqlError) =>
      Effect.suspend(() => {
        if (isTold) return Effect.void
        isTold = true
        return Effect.logWarning("PostgreSQL is not there yet; the start waits for it.").pipe(
          Effect.annotateLogs({ secondsMax: most / 1000, reason: codeOf(error) })
        )
      })
    return start.pipe(
      Effect.tapError((error) => (isAway(error) ? tell(error) : Effect.void)),
      Effect.retry({
        while: (error) => isAway(error) && performance.now() < until,
        schedule: Schedule.spaced("500 millis")
      })
    )
  })

const reasonOf = (error: StartError | SqlError): SqlError["reason"] | undefined => {
  const told = error._tag === "SqlError" ? error : error.cause
  return told instanceof SqlError ? told.reason : undefined
}

/** What Node or PostgreSQL calls it, such as `ECONNREFUSED` or `57P03`. */
const codeOf = (error: StartError | SqlError): string => {
  const cause = reasonOf(error)?.cause as { readonly code?: unknown } | undefined
  return String(cause?.code ?? "")
}

/** Not there, starting or stopping, or full: what passes by itself. */
const isAway = (error: StartError | SqlError): boolean =>
  reasonOf(error)?._tag === "ConnectionError" || /^(08(?!P)|57P|53)/.test(codeOf(error))

const unreadableUrl =
  "postgres() cannot read its url: give it one such as postgres://user:password@host:5432/database, with percent signs for what a URL cannot hold."
const noUrl =
  "postgres() has no url: give it one such as postgres://user:password@host:5432/database, or set the variable that it is read from."
