import { assert, describe, it } from "@effect/vitest"
import { completeAudit, StorageDriver } from "@pagora/core"
import { Effect } from "effect"
import type { PostgresOptions } from "../src/index.ts"
import { DatabaseSchema, postgres } from "../src/index.ts"
import { aDatabase, sqlOn } from "./FreshDatabase.test-data.ts"

/** Starts the storage, looks whether it answers, and stops it. */
const start = (options: PostgresOptions) =>
  Effect.provide(
    StorageDriver.use((driver) => completeAudit(driver)),
    postgres(options)
  )

const messageOf = (options: PostgresOptions) =>
  Effect.map(Effect.flip(start(options)), (error) => error.message)

/** Everything in the database that is not in these schemas, by name. */
const othersThan = (url: string, ...schemas: ReadonlyArray<string>) =>
  Effect.map(
    sqlOn(
      url,
      `select n.nspname || '.' || c.relname as name from pg_class c
         join pg_namespace n on n.oid = c.relnamespace
         where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
       union all select n.nspname || '.' || p.proname from pg_proc p
         join pg_namespace n on n.oid = p.pronamespace
         where n.nspname not in ('pg_catalog', 'information_schema')
       union all select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
       order by 1`
    ),
    (rows) =>
      rows
        .map(({ name }) => String(name))
        .filter((name) => !schemas.includes(name.split(".")[0] ?? ""))
  )

describe("the schema", () => {
  it.live("is made by the first start and kept by the next", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* start({ url })
      const first = yield* sqlOn(
        url,
        "select version, applied_at from pagora.schema_version order by 1"
      )
      yield* start({ url })
      assert.isAbove(first.length, 0)
      assert.deepStrictEqual(
        yield* sqlOn(url, "select version, applied_at from pagora.schema_version order by 1"),
        first
      )
    })
  )

  it.live("is made once when several processes start at the same time", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      const starts = Array.from({ length: 6 }, () => start({ url }))
      const reports = yield* Effect.all(starts, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        new Set(reports.map(({ violations }) => violations.length)),
        new Set([0])
      )
      const versions = yield* sqlOn(
        url,
        "select version from pagora.schema_version order by version"
      )
      assert.deepStrictEqual(
        versions.map(({ version }) => version),
        versions.map((_, index) => index + 1)
      )
    })
  )

  it.live("leaves everything else in the database as it is", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* sqlOn(
        url,
        "create table wallet (id int primary key, note text)",
        "insert into wallet values (1, 'the host''s own')",
        "create schema shop",
        "create table shop.operation (id int)"
      )
      const before = yield* othersThan(url)
      yield* start({ url })
      yield* start({ url, schema: "payments_2" })
      assert.deepStrictEqual(yield* othersThan(url, "pagora", "payments_2"), before)
      assert.deepStrictEqual(yield* sqlOn(url, "select * from wallet"), [
        { id: 1, note: "the host's own" }
      ])
    })
  )

  it.live("may have been made empty by an administrator", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* sqlOn(url, "create schema pagora")
      yield* start({ url })
    })
  )

  it.live("is not touched when it is newer than the code, and the message says so", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* start({ url })
      yield* sqlOn(url, "insert into pagora.schema_version values (1000, '2031-01-01')")
      assert.match(
        yield* messageOf({ url }),
        /version 1000 and this Pagora knows \d+: start the newer/
      )
    })
  )

  it.live("that cannot be completed leaves nothing behind", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* sqlOn(url, "create schema pagora", "create table pagora.job (of_somebody_else int)")
      assert.match(
        yield* messageOf({ url }),
        /could not be prepared: relation "job" already exists/
      )
      assert.deepStrictEqual(yield* othersThan(url, "public"), ["pagora", "pagora.job"])
    })
  )
})

describe("a process of the version before", () => {
  it.live("writes and looks up attempts on the schema of this one", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* DatabaseSchema.migrate({ url })
      const id = "01900000-0000-7000-8000-000000000001"
      const answers = yield* sqlOn(
        url,
        `prepare written (uuid[], smallint[]) as select pagora.write(
           attempt_delivery => $1, attempt_number => $2, attempt_at => array[now()],
           attempt_outcome => array['timeout'], attempt_http_status => array[null::smallint],
           attempt_duration_millis => array[1], attempt_status => array['queued']) as failed`,
        `prepare looked_up (uuid[], smallint[]) as select pagora.facts(
           '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', $1, $2,
           '{}', '{}')->'attempts' as attempts`,
        `execute written (array['${id}'::uuid], array[7::smallint])`,
        `execute looked_up (array['${id}'::uuid], array[7::smallint])`
      )
      assert.deepStrictEqual(answers, [{ attempts: [[id, 7]] }])
    })
  )
})

describe("a start that does not migrate", () => {
  it.live("is refused until somebody has, and changes nothing", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      assert.strictEqual(
        yield* messageOf({ url, migrate: false }),
        'There is no schema pagora yet: run "pagora migrate" first, as the owner of the schema.'
      )
      assert.deepStrictEqual(yield* othersThan(url, "public"), [])
      const before = yield* DatabaseSchema.status({ url })
      assert.strictEqual(before.version, 0)
      const steps: Array<number> = []
      const done = yield* DatabaseSchema.migrate({ url }, ({ version }) =>
        Effect.sync(() => void steps.push(version))
      )
      assert.deepStrictEqual(done, before)
      assert.deepStrictEqual(
        steps,
        done.pending.map(({ version }) => version)
      )
      assert.deepStrictEqual(yield* DatabaseSchema.status({ url }), {
        version: before.needed,
        needed: before.needed,
        pending: []
      })
      yield* start({ url, migrate: false })
      yield* sqlOn(url, "delete from pagora.schema_version where version > 1")
      assert.match(
        yield* messageOf({ url, migrate: false }),
        /^The schema pagora is at version 1 and this Pagora needs \d+: run "pagora migrate" first/
      )
    })
  )

  it.live("tells a probe when an older schema was restored under it", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      const isCurrent = StorageDriver.use((driver) => driver.isCurrent ?? Effect.die("no probe"))
      const [before, newer, older] = yield* Effect.all([
        isCurrent,
        Effect.andThen(
          sqlOn(url, "insert into pagora.schema_version values (1000, '2031-01-01')"),
          isCurrent
        ),
        Effect.andThen(sqlOn(url, "delete from pagora.schema_version where version > 1"), isCurrent)
      ]).pipe(Effect.provide(postgres({ url })))
      // While an upgrade goes on, the processes of before go on as well.
      assert.deepStrictEqual([before, newer, older], [true, true, false])
    })
  )
})

describe("the grants", () => {
  it.live("say of each table what may be done with it", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* DatabaseSchema.migrate({ url })
      const tables = yield* sqlOn(
        url,
        "select tablename from pg_tables where schemaname = 'pagora' and tablename <> 'schema_version'"
      )
      const inserts = DatabaseSchema.grants("pagora", "app").find((statement) =>
        statement.startsWith("grant insert")
      )
      assert.sameMembers(
        [...(inserts ?? "").matchAll(/pagora\.(\w+)/g)].map(([, table]) => table),
        tables.map(({ tablename }) => tablename)
      )
    })
  )
})

describe("a start is refused with a sentence", () => {
  it.live("when the database does not store text as UTF8", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      const name = `${new URL(url).pathname.slice(1)}_latin`
      yield* sqlOn(
        url,
        `create database ${name} encoding 'LATIN1' locale 'C' locale_provider libc template template0`
      )
      const latin = new URL(url)
      latin.pathname = `/${name}`
      assert.match(yield* messageOf({ url: latin.href }), /stores text as LATIN1/)
      yield* sqlOn(url, `drop database ${name} with (force)`)
    })
  )

  it.live("when nobody listens, and when the database is not there", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      const nobody = "postgres://postgres:secret-word@127.0.0.1:1/postgres"
      const refused = yield* messageOf({ url: nobody, startTimeout: 0 })
      assert.match(refused, /^PostgreSQL cannot be reached: .*ECONNREFUSED/)
      assert.notInclude(refused, "secret-word")
      const elsewhere = new URL(url)
      elsewhere.pathname = "/not_there"
      assert.match(
        yield* messageOf({ url: elsewhere.href }),
        /^PostgreSQL cannot be reached: database "not_there" does not exist/
      )
    })
  )

  it.live("when the name of the schema would need quotes", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      for (const schema of ["Pagora", "a b", 'x"; drop schema public; --', ""]) {
        assert.match(yield* messageOf({ url, schema }), /is no name for a schema/)
      }
    })
  )
})
