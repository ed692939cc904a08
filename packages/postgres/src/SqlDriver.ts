import { StorageDriver } from "@pagora/core"
import type { Scope } from "effect"
import { Clock, Effect, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { makeAudit } from "./Audit.ts"
import type { ClockSource } from "./Claims.ts"
import { makeClaims } from "./Claims.ts"
import type { Database, Run } from "./Database.ts"
import { makeDatabase, realClock } from "./Database.ts"
import { makeFacts } from "./Facts.ts"
import { makeLedger } from "./Ledger.ts"
import { schemaVersion } from "./Migrations.ts"
import { makeIdentities } from "./Identities.ts"
import { makeReads } from "./Reads.ts"
import { makeRows } from "./Rows.ts"
import type { StartError } from "./StartError.ts"
import { startErrorOf } from "./StartError.ts"
import { makeWrite } from "./Write.ts"

/** The storage over whatever runs its statements, once its database is prepared. */
export const layerOver = (
  open: Effect.Effect<Opened, SqlError | StartError, Scope.Scope | Reactivity.Reactivity>,
  schema: string,
  clock: ClockSource,
  server: Server
): Layer.Layer<StorageDriver, StartError> =>
  Layer.effect(
    StorageDriver,
    Effect.map(
      Effect.catchTag(open, "SqlError", (error) => startErrorOf(error)),
      (opened) => StorageDriver.of(makeDriver(opened, schema, clock, server))
    )
  ).pipe(
    Layer.provide(Reactivity.layer),
    // The pool and its sockets live on real time, whatever clock a test has.
    Layer.provide(Layer.succeed(Clock.Clock, realClock()))
  )

/** Who runs the statements. */
interface Opened {
  readonly run: Run
  /** Which primary it is with, where there may be others. */
  readonly epoch?: () => number
}

/** What else than the statements depends on who runs them. */
interface Server {
  readonly writesAtOnce: number
  readonly mayHaveStandbys: boolean
}

const makeDriver = (
  { run, ...opened }: Opened,
  schema: string,
  clock: ClockSource,
  { mayHaveStandbys, writesAtOnce }: Server
): StorageDriver["Service"] => {
  const database = makeDatabase(run, schema)
  return StorageDriver.of({
    ...opened,
    ...makeRows(database),
    ...makeReads(database),
    ...makeLedger(database),
    ...makeClaims(database, clock),
    write: makeWrite(database, clock),
    ...makeIdentities(database),
    facts: makeFacts(database),
    audit: makeAudit(database),
    isCurrent: isCurrent(database),
    writesAtOnce,
    ...(mayHaveStandbys ? { sync: sync(database) } : {})
  })
}

/**
 * Only a commit waits for the synchronous standbys, and one waits until they have all that is before it in the log. So a message
 * that nobody reads is written to it, where there are any.
 */
const sync = (database: Database) =>
  Effect.asVoid(
    database.read(
      `select case when current_setting('synchronous_standby_names') <> ''
        then pg_logical_emit_message(true, 'pagora', '')::text end as at`,
      []
    )
  )

/** Older than this code, as after a backup was restored, is not current; newer is, because upgrades are done that way. */
const isCurrent = (database: Database) =>
  Effect.map(
    database.read("select max(version) as version from pagora.schema_version", []),
    ([answer]) => Number(answer?.["version"] ?? 0) >= schemaVersion
  )
