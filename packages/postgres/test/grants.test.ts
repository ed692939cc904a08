import { assert, describe, it } from "@effect/vitest"
import { CounterPeriod, idsAt, StorageDriver } from "@pagora/core"
import { Context, DateTime, Effect, Layer } from "effect"
import { DatabaseSchema, postgres } from "../src/index.ts"
import { aDatabase, aLogin, sqlOn } from "./FreshDatabase.test-data.ts"

/** A role that may run the service and owns nothing, gone before its database is. */
const aRole = Effect.fnUntraced(function* (url: string) {
  const { role, url: own } = yield* aLogin(url)
  yield* DatabaseSchema.grant({ url }, role)
  return own
})

describe("the role that serves", () => {
  it.live("may write to the log what nobody reads, to wait for a standby by it", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* DatabaseSchema.migrate({ url })
      const roleUrl = yield* aRole(url)
      const context = yield* Layer.build(postgres({ url: roleUrl, migrate: false }))
      yield* Context.get(context, StorageDriver).sync ?? Effect.die("no sync")
      const [told] = yield* sqlOn(
        roleUrl,
        "select pg_logical_emit_message(true, 'pagora', '')::text as at"
      )
      assert.match(String(told?.["at"]), /^[0-9A-F]+\/[0-9A-F]+$/)
    }).pipe(Effect.scoped)
  )

  it.live(
    "forgets counters of days and months that are over, and no others, whatever it asks for",
    () =>
      Effect.gen(function* () {
        const { url } = yield* aDatabase
        yield* DatabaseSchema.migrate({ url })
        const roleUrl = yield* aRole(url)
        const driver = Context.get(
          yield* Layer.build(postgres({ url: roleUrl, migrate: false })),
          StorageDriver
        )
        const now = yield* driver.clock
        const periodsAt = (at: DateTime.Utc) =>
          CounterPeriod.periods.map((period) => `x/${period}/${CounterPeriod.nameOf(period, at)}`)
        const over = periodsAt(DateTime.subtract(now, { days: 40 }))
        // Not over at the end of this test either.
        const living = [...periodsAt(DateTime.add(now, { hours: 1 })), "x/endpoints"]
        for (const key of [...over, ...living])
          yield* sqlOn(url, `insert into pagora.counter (key, value) values ('${key}', 7)`)
        const left = Effect.map(sqlOn(url, "select key from pagora.counter"), (rows) =>
          rows.map(({ key }) => String(key)).toSorted()
        )
        assert.strictEqual(
          yield* driver.purge("counter", DateTime.makeUnsafe("9999-12-31T12:00:00Z"), 500),
          over.length
        )
        assert.deepStrictEqual(yield* left, living.toSorted())

        // What the owner does for the role cannot be led astray by what the session calls things.
        yield* sqlOn(
          url,
          "create schema astray",
          "create function astray.to_char(timestamp, text) returns text language sql as $$ select '9999-12-31' $$",
          `grant usage on schema astray to public`
        )
        const [told] = yield* sqlOn(
          roleUrl,
          `with astray as materialized (select set_config('search_path', 'astray, pg_catalog', false))
           select pagora.forget_counters('9999-12-31', 500) as forgotten from astray`
        )
        assert.strictEqual(told?.["forgotten"], 0)
        assert.deepStrictEqual(yield* left, living.toSorted())
        const refused = yield* Effect.flip(sqlOn(roleUrl, "delete from pagora.counter"))
        assert.include(String(refused.reason.cause), "permission denied")
      }).pipe(Effect.scoped)
  )

  it.live(
    "forgets deliveries that are over with their attempts, none of the last seven days, and deletes none by itself",
    () =>
      Effect.gen(function* () {
        const { url } = yield* aDatabase
        yield* DatabaseSchema.migrate({ url })
        const roleUrl = yield* aRole(url)
        const driver = Context.get(
          yield* Layer.build(postgres({ url: roleUrl, migrate: false })),
          StorageDriver
        )
        const now = yield* driver.clock
        const madeBefore = Effect.fnUntraced(function* (
          passed: { readonly days: number; readonly hours?: number },
          status: string
        ) {
          const { first: id } = idsAt(DateTime.subtract(now, passed))
          yield* sqlOn(
            url,
            `insert into pagora.delivery (id, event, endpoint, account, attempts, status)
               values ('${id}', '${id}', '${id}', '${id}', 1, '${status}')`,
            `insert into pagora.attempt (at, delivery, duration_millis, number, status)
               values (now(), '${id}', 1, 1, '${status}')`
          )
          return id
        })
        yield* madeBefore({ days: 7, hours: 1 }, "delivered")
        const waiting = yield* madeBefore({ days: 8 }, "queued")
        const young = yield* madeBefore({ days: 6, hours: 23 }, "delivered")
        assert.strictEqual(
          yield* driver.purge("delivery", DateTime.makeUnsafe("9999-12-31T12:00:00Z"), 500),
          2
        )
        for (const [table, column] of [
          ["delivery", "id"],
          ["attempt", "delivery"]
        ] as const) {
          const left = yield* sqlOn(url, `select ${column} as id from pagora.${table} order by 1`)
          assert.deepStrictEqual(
            left.map(({ id }): unknown => id),
            [waiting, young],
            table
          )
          const refused = yield* Effect.flip(sqlOn(roleUrl, `delete from pagora.${table}`))
          assert.include(String(refused.reason.cause), "permission denied")
        }
      }).pipe(Effect.scoped)
  )

  it.live("is the only one beside the owner that may ask for it", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* DatabaseSchema.migrate({ url })
      for (const forget of ["forget_counters(text, int)", "forget_deliveries(timestamptz, int)"]) {
        const [answer] = yield* sqlOn(
          url,
          `select has_function_privilege('public', 'pagora.${forget}', 'execute') as allowed`
        )
        assert.strictEqual(answer?.["allowed"], false)
      }
    }).pipe(Effect.scoped)
  )
})
