import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { StartError } from "./StartError.ts"

/** Which database, and where in it. */
export interface ConnectOptions {
  /** `postgres://user:password@host:port/database`. What an environment does not have is refused in one sentence. */
  readonly url: string | Redacted.Redacted | undefined
  /** Everything of Pagora lies in this schema and nothing of it outside. Default `pagora`. */
  readonly schema?: string
  /** How the connections call themselves in `pg_stat_activity`. Default `pagora`. */
  readonly applicationName?: string
}

export const schemaOf = ({ schema = "pagora" }: ConnectOptions): string => schema

/** Opens a pool of connections, for as long as the scope lasts. */
export const connect = Effect.fnUntraced(function* (
  options: ConnectOptions,
  maxConnections: number
) {
  const { applicationName = "pagora", url } = options
  if (url === undefined || url === "") return yield* new StartError({ message: noUrl })
  return yield* PgClient.make({
    url: typeof url === "string" ? Redacted.make(url) : url,
    maxConnections,
    applicationName,
    // A peer that is gone without a word is noticed.
    keepAlive: "30 seconds"
  })
})

const noUrl =
  "postgres() has no url: give it one such as postgres://user:password@host:5432/database, or set the variable that it is read from."
