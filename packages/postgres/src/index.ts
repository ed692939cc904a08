import type { StorageDriver } from "@pagora/core"
import type { Layer } from "effect"
import { Effect } from "effect"
import type { ConnectOptions } from "./Connection.ts"
import { connect, schemaOf, sessionPlan, waitingFor } from "./Connection.ts"
import { migrate, requireCurrent } from "./Migrations.ts"
import { makeSessions } from "./Sessions.ts"
import { layerOver } from "./SqlDriver.ts"
import type { StartError } from "./StartError.ts"

export type { ConnectOptions } from "./Connection.ts"
export type { SessionOptions } from "./SessionOptions.ts"
export type { Migration, SchemaStatus } from "./Migrations.ts"
export * as DatabaseSchema from "./DatabaseSchema.ts"
export { StartError } from "./StartError.ts"

export interface PostgresOptions extends ConnectOptions {
  /** Connections at most. Default 8: writes use two at a time, the others are for reads. */
  readonly poolMax?: number
  /**
   * Whether a start brings the schema up to date. With `false` it is refused unless that was done before, by `pagora
   * migrate`: then the role of `url` needs no right to change the schema. Default true.
   */
  readonly migrate?: boolean
  /**
   * Whose clock all processes go by. Default `database`. With `process` it is Effect's clock, for tests on a test clock:
   * never where several processes share the database.
   */
  readonly clock?: "database" | "process"
}

const defaultPoolMax = 8
/** While one is flushed to the disk another one executes; four only get in each other's way (decision 0091). */
const writesAtOnceMax = 2

/**
 * Keeps everything in PostgreSQL 14 or newer, in a schema of its own inside any database, which it creates and
 * brings up to date when it starts, unless told otherwise. Any number of processes may share it.
 */
export const postgres = (options: PostgresOptions): Layer.Layer<StorageDriver, StartError> =>
  layerOver(
    Effect.gen(function* () {
      const { migrate: isMigrating = true, poolMax = defaultPoolMax } = options
      const plan = yield* sessionPlan(options)
      const schema = schemaOf(options)
      yield* waitingFor(
        Effect.scoped(
          Effect.gen(function* () {
            const sql = yield* connect(options)
            yield* (isMigrating ? migrate : requireCurrent)(sql, schema)
          })
        ),
        plan.times.start
      )
      const { check, ...opened } = yield* makeSessions(plan, poolMax)
      yield* check
      return opened
    }),
    schemaOf(options),
    options.clock ?? "database",
    {
      // Reads find a connection, too.
      writesAtOnce: (options.poolMax ?? defaultPoolMax) > writesAtOnceMax ? writesAtOnceMax : 1,
      mayHaveStandbys: true
    }
  )
