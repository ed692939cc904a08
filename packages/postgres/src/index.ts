import { PgClient } from "@effect/sql-pg"
import { StorageDriver } from "@pagora/core"
import { Effect, Layer, Redacted } from "effect"
import { layerOver } from "./SqlDriver.ts"
import { StartError } from "./StartError.ts"

export { StartError } from "./StartError.ts"

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. What an environment does not have is refused in one sentence. */
  readonly url: string | Redacted.Redacted | undefined
  /** Everything of Pagora lies in this schema and nothing of it outside. Default `pagora`. */
  readonly schema?: string
  /** Connections at most. Default 8: writes use one at a time, the others are for reads. */
  readonly poolMax?: number
  /** How the connections call themselves in `pg_stat_activity`. Default `pagora`. */
  readonly applicationName?: string
}

/**
 * Keeps everything in PostgreSQL 14 or newer, in a schema of its own inside any database, which it creates and
 * brings up to date when it starts. Any number of processes may share it.
 */
export const postgres = (options: PostgresOptions): Layer.Layer<StorageDriver, StartError> => {
  const { url } = options
  if (url === undefined || url === "")
    return Layer.effect(StorageDriver, Effect.fail(new StartError({ message: noUrl })))
  return layerOver(
    PgClient.make({
      url: typeof url === "string" ? Redacted.make(url) : url,
      maxConnections: options.poolMax ?? 8,
      applicationName: options.applicationName ?? "pagora",
      // A peer that is gone without a word is noticed.
      keepAlive: "30 seconds"
    }),
    options.schema ?? "pagora"
  )
}

const noUrl =
  "postgres() has no url: give it one such as postgres://user:password@host:5432/database, or set the variable that it is read from."
