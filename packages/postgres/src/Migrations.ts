import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import { realClock } from "./Database.ts"
import { statements as tables } from "./migrations/0001_tables.ts"
import { statements as write } from "./migrations/0002_write.ts"
import { statements as reads } from "./migrations/0003_reads.ts"
import { statements as claim } from "./migrations/0004_claim.ts"
import { statements as accountMovements } from "./migrations/0005_account_movements.ts"
import { statements as writeIdentity } from "./migrations/0006_write_identity.ts"
import { statements as claimPlaces } from "./migrations/0007_claim_places.ts"
import { statements as claimByClock } from "./migrations/0008_claim_by_clock.ts"
import { statements as audit } from "./migrations/0009_audit.ts"
import { statements as attemptNumbers } from "./migrations/0010_attempt_numbers.ts"
import { statements as countersOfPeriods } from "./migrations/0011_counters_of_periods.ts"
import { statements as lists } from "./migrations/0012_lists.ts"
import { statements as heads } from "./migrations/0013_heads.ts"
import { statements as writeByPlace } from "./migrations/0014_write_by_place.ts"
import { statements as listsByStatus } from "./migrations/0015_lists_by_status.ts"
import { statements as deliveriesOfThePast } from "./migrations/0016_deliveries_of_the_past.ts"
import { statements as claimLines } from "./migrations/0017_claim_lines.ts"
import { statements as look } from "./migrations/0018_look.ts"
import { statements as bornLeased } from "./migrations/0019_born_leased.ts"
import { statements as only } from "./migrations/0020_only.ts"
import { statements as spared } from "./migrations/0021_spared.ts"
import { statements as claimInPlace } from "./migrations/0022_claim_in_place.ts"
import { statements as lookByParts } from "./migrations/0023_look_by_parts.ts"
import { statements as settledByAWrite } from "./migrations/0024_settled_by_a_write.ts"
import { statements as keysAnsweredOnce } from "./migrations/0025_keys_answered_once.ts"
import { StartError, startErrorOf } from "./StartError.ts"

/** In the order in which they are applied. One that was released is never changed again. */
const migrations: ReadonlyArray<{
  readonly name: string
  readonly statements: ReadonlyArray<string>
}> = [
  { name: "tables", statements: tables },
  { name: "write", statements: write },
  { name: "reads", statements: reads },
  { name: "claim", statements: claim },
  { name: "account movements", statements: accountMovements },
  { name: "write identity", statements: writeIdentity },
  { name: "claim places", statements: claimPlaces },
  { name: "claim by clock", statements: claimByClock },
  { name: "audit", statements: audit },
  { name: "attempt numbers", statements: attemptNumbers },
  { name: "counters of periods", statements: countersOfPeriods },
  { name: "lists", statements: lists },
  { name: "heads", statements: heads },
  { name: "write by place", statements: writeByPlace },
  { name: "lists by status", statements: listsByStatus },
  { name: "deliveries of the past", statements: deliveriesOfThePast },
  { name: "claim lines", statements: claimLines },
  { name: "look", statements: look },
  { name: "born leased", statements: bornLeased },
  { name: "only", statements: only },
  { name: "spared", statements: spared },
  { name: "claim in place", statements: claimInPlace },
  { name: "look by parts", statements: lookByParts },
  { name: "settled by a write", statements: settledByAWrite },
  { name: "keys answered once", statements: keysAnsweredOnce }
]

/** The version of the schema that this code needs. */
export const schemaVersion = migrations.length

/** Differs with whatever is different in any of them, released or not. */
export const schemaFingerprint = createHash("sha256")
  .update(JSON.stringify(migrations))
  .digest("hex")
  .slice(0, 12)

/** One step of the way to the version that this code needs. */
export interface Migration {
  readonly version: number
  readonly name: string
}

/** Where a schema stands. */
export interface SchemaStatus {
  /** 0 when there is no schema of ours yet. */
  readonly version: number
  /** The version that this code needs. */
  readonly needed: number
  /** What is still to be done, in order. */
  readonly pending: ReadonlyArray<Migration>
}

const pendingAfter = (version: number): ReadonlyArray<Migration> =>
  migrations
    .map(({ name }, index) => ({ version: index + 1, name }))
    .filter((migration) => migration.version > version)

const foreseen = <A, R>(
  effect: Effect.Effect<A, StartError | SqlError, R>
): Effect.Effect<A, StartError, R> =>
  effect.pipe(
    Effect.provideService(Clock.Clock, realClock()),
    Effect.catchTag("SqlError", (error) => startErrorOf(error))
  )

/** Looks where the schema stands, and changes nothing. A schema that is newer than this code is an error. */
export const schemaStatus = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  schema: string
): Effect.fn.Return<SchemaStatus, StartError | SqlError> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    const message = `"${schema}" is no name for a schema: use small letters, digits and underscores.`
    return yield* new StartError({ message })
  }
  yield* checkServer(sql)
  const version = (yield* versionOf(sql, schema)) ?? 0
  return { version, needed: schemaVersion, pending: pendingAfter(version) }
}, foreseen)

/**
 * Brings the schema to where this version needs it, in one transaction: all of it, or nothing. Whoever comes
 * second waits, and then finds nothing to do. Nothing outside the schema is ever touched. Answers what it did.
 */
export const migrate = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  schema: string,
  onStep: (migration: Migration) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<SchemaStatus, StartError | SqlError> {
  const status = yield* schemaStatus(sql, schema)
  if (status.pending.length === 0) return status
  const from = yield* sql.withTransaction(upgrade(sql, schema, onStep))
  return { version: from, needed: schemaVersion, pending: pendingAfter(from) }
}, foreseen)

/** Leaves the schema alone, and fails unless it is where this code needs it. */
export const requireCurrent = Effect.fnUntraced(function* (sql: PgClient.PgClient, schema: string) {
  const { needed, version } = yield* schemaStatus(sql, schema)
  if (version === needed) return
  const standing =
    version === 0
      ? `There is no schema ${schema} yet`
      : `The schema ${schema} is at version ${version} and this Pagora needs ${needed}`
  return yield* new StartError({
    message: `${standing}: run "pagora migrate" first, as the owner of the schema.`
  })
})

const upgrade = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  schema: string,
  onStep: (migration: Migration) => Effect.Effect<void>
) {
  // Whoever comes second waits, and an index takes as long as it takes.
  yield* sql.unsafe("set local statement_timeout = 0")
  yield* sql.unsafe("set local lock_timeout = 0")
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
  for (const migration of pendingAfter(from ?? 0)) {
    for (const statement of migrations[migration.version - 1]?.statements ?? []) {
      yield* sql.unsafe(statement.replaceAll("pagora.", `${schema}.`))
    }
    yield* sql.unsafe(`insert into ${schema}.schema_version values ($1, now())`, [
      migration.version
    ])
    yield* onStep(migration)
  }
  return from ?? 0
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
