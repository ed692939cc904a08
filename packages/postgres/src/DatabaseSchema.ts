import { Clock, DateTime, Effect } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import type { PgClient } from "@effect/sql-pg"
import type { ConnectOptions } from "./Connection.ts"
import { connect, schemaOf, sessionPlan } from "./Connection.ts"
import { realClock } from "./Database.ts"
import type { Migration, SchemaStatus } from "./Migrations.ts"
import * as Migrations from "./Migrations.ts"
import { roleSettings } from "./SessionOptions.ts"
import { StartError, startErrorOf } from "./StartError.ts"

/** The version of the schema that this code needs. */
export const needed = Migrations.schemaVersion

/** Where the schema stands; nothing is changed. */
export const status = (options: ConnectOptions): Effect.Effect<SchemaStatus, StartError> =>
  using(options, (sql) => Migrations.schemaStatus(sql, schemaOf(options)))

/** What the clock of the server says. It comes without a schema. */
export const now = (options: ConnectOptions): Effect.Effect<DateTime.Utc, StartError> =>
  using(options, (sql) =>
    Effect.map(
      sql.unsafe<{ readonly millis: string }>(
        "select extract(epoch from clock_timestamp()) * 1000 as millis"
      ),
      ([row]) => DateTime.makeUnsafe(Number(row?.millis))
    )
  )

/** A foreign key onto a table of the schema; names as they stand in a statement. */
export interface ForeignKey {
  readonly table: string
  readonly constraint: string
  readonly refersTo: string
}

/**
 * Foreign keys onto tables of the schema, which has none itself. A row that refers to one of ours locks it, beside a writer
 * of ours too: then whoever rests on that row no longer sees that writer at work.
 */
export const foreignKeys = (
  options: ConnectOptions
): Effect.Effect<ReadonlyArray<ForeignKey>, StartError> =>
  using(options, (sql) =>
    sql.unsafe<ForeignKey>(
      `select format('%I.%I', n.nspname, t.relname) as "table", quote_ident(c.conname) as "constraint",
          format('%I.%I', o.nspname, u.relname) as "refersTo"
        from pg_constraint c
          join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
          join pg_class u on u.oid = c.confrelid join pg_namespace o on o.oid = u.relnamespace
        where c.contype = 'f' and c.conparentid = 0 and o.nspname = $1
        order by 1, 2`,
      [schemaOf(options)]
    )
  )

/**
 * Brings the schema to the version that this code needs, in one transaction; whoever comes second waits, and finds
 * nothing to do. Answers where it stood and what was done.
 */
export const migrate = (
  options: ConnectOptions,
  onStep?: (migration: Migration) => Effect.Effect<void>
): Effect.Effect<SchemaStatus, StartError> =>
  using(options, (sql) => Migrations.migrate(sql, schemaOf(options), onStep))

/** Fails where the server has no such role. */
export const requireRole = (
  options: ConnectOptions,
  role: string
): Effect.Effect<void, StartError> => using(options, (sql) => roleIn(sql, role))

const roleIn = Effect.fnUntraced(function* (sql: PgClient.PgClient, role: string) {
  const known = yield* sql.unsafe("select 1 from pg_roles where rolname = $1", [role])
  if (known.length === 0)
    return yield* new StartError({
      message: `There is no role ${role}: create it first, as in "create role ${role} login password '...'".`
    })
})

/** Gives a role what `grants` says. It is to be done again after each migration, and may be done any time. */
export const grant = (options: ConnectOptions, role: string): Effect.Effect<void, StartError> =>
  using(
    options,
    Effect.fnUntraced(function* (sql) {
      yield* roleIn(sql, role)
      yield* sql.withTransaction(
        Effect.forEach(grants(schemaOf(options), role), (statement) => sql.unsafe(statement), {
          discard: true
        })
      )
    })
  )

/**
 * The statements that give a role, for its sessions in this database, every setting that a service with these options
 * rests on. Behind a pooler that hands sessions over they cannot be sent when one begins.
 */
export const pins = (
  options: ConnectOptions,
  role: string
): Effect.Effect<ReadonlyArray<string>, StartError> =>
  using(options, (sql) => pinsIn(sql, options, role))

/** Gives a role what `pins` says: as a superuser, or whoever may change that role. */
export const pin = (options: ConnectOptions, role: string): Effect.Effect<void, StartError> =>
  using(
    options,
    Effect.fnUntraced(function* (sql) {
      const statements = yield* pinsIn(sql, options, role)
      yield* sql.withTransaction(
        Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
      )
    })
  )

const pinsIn = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  options: ConnectOptions,
  role: string
) {
  const { settings } = yield* sessionPlan(options)
  const [row] = yield* sql.unsafe<{ readonly name: string }>(
    "select current_database()::text as name"
  )
  return roleSettings(role, row?.name ?? "", settings)
})

/**
 * Written once and never changed: the ledger, what was told of it, and the names that are taken. Attempts go with their
 * deliveries.
 */
const appendOnly = ["ledger_tx", "posting", "event", "attempt", "unique_key"]
const changing = [
  "wallet",
  "operation",
  "registry",
  "idempotency",
  // Those of the past go by functions that have the owner's right, and know which they are.
  "delivery",
  "counter",
  // What audits proved; no business state.
  "audited"
]
/** Rows of these end: work that is done, and identities of writes that nobody asks about any more. */
const passing = ["job", "written"]

/**
 * What a role needs to run the service, and no more. It cannot change the schema, nor change or delete a posting, a
 * ledger transaction or an event, whatever program uses it (decision 0046).
 */
export const grants = (schema: string, role: string): ReadonlyArray<string> => {
  const to = `to "${role.replaceAll('"', '""')}"`
  const on = (tables: ReadonlyArray<string>) =>
    tables.map((table) => `${schema}.${table}`).join(", ")
  return [
    `grant usage on schema ${schema} ${to}`,
    `grant select on all tables in schema ${schema} ${to}`,
    `grant insert on ${on([...appendOnly, ...changing, ...passing])} ${to}`,
    `grant update on ${on([...changing, ...passing])} ${to}`,
    `grant delete on ${on(passing)} ${to}`,
    `grant execute on all functions in schema ${schema} ${to}`
  ]
}

const using = <A>(
  options: ConnectOptions,
  use: (sql: PgClient.PgClient) => Effect.Effect<A, StartError | SqlError>
): Effect.Effect<A, StartError> =>
  Effect.flatMap(connect({ applicationName: "pagora migrate", ...options }), use).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.provideService(Clock.Clock, realClock()),
    Effect.catchTag("SqlError", (error) => startErrorOf(error))
  )
