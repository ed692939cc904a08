import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import { realClock } from "./Database.ts"
import { statements as tables } from "./migrations/0001_tables.ts"
import { statements as write } from "./migrations/0002_write.ts"
import { statements as reads } from "./migrations/0003_reads.ts"
import { statements as claim } from "./migrations/0004_claim.ts"
import { statements as accountMovements } from "./migrations/0005_account_movements.ts"
import { StartError, startErrorOf } from "./StartError.ts"

/** In the order in which they are applied. One that was released is never changed again. */
const migrations: ReadonlyArray<ReadonlyArray<string>> = [
  tables,
  write,
  reads,
  claim,
  accountMovements
]

/** The version of the schema that this code needs. */
const schemaVersion = migrations.length

/**
 * Brings the schema to where this version needs it, in one transaction: all of it, or nothing. Whoever comes
 * second waits, and then finds nothing to do. Nothing outside the schema is ever touched.
 */
export const migrate = Effect.fnUntraced(
  function* (sql: PgClient.PgClient, schema: string) {
    if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
      const message = `"${schema}" is no name for a schema: use small letters, digits and underscores.`
      return yield* new StartError({ message })
    }
    yield* checkServer(sql)
    if ((yield* versionOf(sql, schema)) === schemaVersion) return
    yield* sql.withTransaction(upgrade(sql, schema))
  },
  (effect) => Effect.provideService(effect, Clock.Clock, realClock()),
  (effect) => Effect.catchTag(effect, "SqlError", (error) => startErrorOf(error))
)

const upgrade = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  yield* sql.unsafe("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `migrations of ${schema}`
  ])
  const from = yield* versionOf(sql, schema)
  if (from === undefined) {
    const known = yield* sql.unsafe("select 1 from pg_namespace where nspname = $1", [schema])
    if (known.length === 0) yield* sql.unsafe(`create schema ${schema}`)
    yield* sql.unsafe(
      `create table ${schema}.schema_version (version integer primary key, applied_at timestamptz not null)`
    )
  }
  const appliedAt = new Date(yield* Clock.currentTimeMillis)
  for (let version = from ?? 0; version < schemaVersion; version++) {
    for (const statement of migrations[version] ?? []) {
      yield* sql.unsafe(statement.replaceAll("pagora.", `${schema}.`))
    }
    yield* sql.unsafe(`insert into ${schema}.schema_version values ($1, $2)`, [
      version + 1,
      appliedAt
    ])
  }
})

/** Undefined when there is no schema of ours yet. */
const versionOf = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  // Not to_regclass: it remembers what was not there before somebody else's transaction made it.
  const found = yield* sql.unsafe(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relname = 'schema_version'`,
    [schema]
  )
  if (found.length === 0) return undefined
  const [last] = yield* sql.unsafe<{ version: number | null }>(
    `select max(version) as version from ${schema}.schema_version`
  )
  const version = last?.version ?? 0
  if (version <= schemaVersion) return version
  return yield* new StartError({
    message: `The schema ${schema} is at version ${version} and this Pagora knows ${schemaVersion}: start the newer one.`
  })
})

const checkServer = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [server] = yield* sql.unsafe<{ version: number; encoding: string }>(
    "select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding"
  )
  const major = Math.floor((server?.version ?? 0) / 10_000)
  if (major < 14) {
    return yield* new StartError({
      message: `PostgreSQL ${major} is too old: Pagora needs 14 or newer.`
    })
  }
  if (server?.encoding !== "UTF8") {
    return yield* new StartError({
      message: `The database stores text as ${server?.encoding}: Pagora needs one that was created with encoding UTF8.`
    })
  }
})
