import type { PgClient } from "@effect/sql-pg"
import { StorageDriver } from "@pagora/core"
import type { Scope } from "effect"
import { Clock, Effect, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { audit } from "./Audit.ts"
import { makeClaims } from "./Claims.ts"
import type { Database } from "./Database.ts"
import { makeDatabase, realClock } from "./Database.ts"
import { makeFacts, makeWitnesses } from "./Facts.ts"
import { makeLedger } from "./Ledger.ts"
import { migrate, schemaVersion } from "./Migrations.ts"
import { makeReads } from "./Reads.ts"
import { makeRows } from "./Rows.ts"
import { StartError, startErrorOf } from "./StartError.ts"
import { makeWrite } from "./Write.ts"

/**
 * The storage over a client, whose database it prepares: by bringing its schema up to date, or by looking whether it
 * is. PostgreSQL and PGlite differ only in the client.
 */
export const layerOver = (
  client: Effect.Effect<
    PgClient.PgClient,
    SqlError | StartError,
    Scope.Scope | Reactivity.Reactivity
  >,
  schema: string,
  prepare: (sql: PgClient.PgClient, schema: string) => Effect.Effect<unknown, StartError> = migrate
): Layer.Layer<StorageDriver, StartError> =>
  Layer.effect(
    StorageDriver,
    Effect.gen(function* () {
      const sql = yield* Effect.catchTag(client, "SqlError", (error) => startErrorOf(error))
      yield* prepare(sql, schema)
      return makeDriver(sql, schema)
    })
  ).pipe(
    Layer.provide(Reactivity.layer),
    // The pool and its sockets live on real time, whatever clock a test has.
    Layer.provide(Layer.succeed(Clock.Clock, realClock()))
  )

const makeDriver = (sql: PgClient.PgClient, schema: string): StorageDriver["Service"] => {
  const database = makeDatabase(sql, schema)
  return StorageDriver.of({
    ...makeRows(database),
    ...makeReads(database),
    ...makeLedger(database),
    ...makeClaims(database),
    write: makeWrite(database),
    facts: makeFacts(database),
    witnesses: makeWitnesses(database),
    audit: audit(database),
    isCurrent: isCurrent(database)
  })
}

/** Older than this code, as after a backup was restored, is not current; newer is, because upgrades are done that way. */
const isCurrent = (database: Database) =>
  Effect.map(
    database.read("select max(version) as version from pagora.schema_version", []),
    ([answer]) => Number(answer?.["version"] ?? 0) >= schemaVersion
  )
