import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgres } from "../src/index.ts"
import { writeColumns, writeSettings } from "../src/WriteColumns.ts"
import { aDatabase, sqlOn } from "./FreshDatabase.test-data.ts"

/** What the driver gives to `write`, each with the type that it says it has. */
const given = [
  ...Object.values(writeColumns).flatMap((columns) =>
    columns.map(({ encode, name }) => `${name} ${encode([]).oid}`)
  ),
  `write_id ${writeSettings.write_id("019a2b3c-dead-7000-8000-00000000beef").oid}`,
  `wait_millis ${writeSettings.wait_millis(1).oid}`,
  `births ${writeSettings.births("[]").oid}`
]

/** What the migrations have made of it. */
const taken = (url: string) =>
  Effect.map(
    sqlOn(
      url,
      `select unnest(proargnames) as name, unnest(proargtypes::oid[])::int as oid from pg_proc
         where proname = 'write' and pronamespace = 'pagora'::regnamespace`
    ),
    (rows) => rows.map(({ name, oid }) => `${String(name)} ${String(oid)}`)
  )

const migrated = Effect.gen(function* () {
  const { url } = yield* aDatabase
  yield* Effect.scoped(Layer.build(postgres({ url })))
  return url
})

describe("the function write of the schema", () => {
  it.live("takes what the driver gives it: the same columns of the same types, in one order", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* taken(yield* migrated), given)
    })
  )

  it.live("is seen to take a column that the driver does not know, and one of another type", () =>
    Effect.gen(function* () {
      const url = yield* migrated
      yield* sqlOn(
        url,
        "drop function pagora.write",
        `create function pagora.write(key_space text[], key_key text[], key_holder text[], key_born text[])
           returns text language sql return null`
      )
      const unknown = (yield* taken(url)).filter((column) => !given.includes(column))
      assert.deepStrictEqual(unknown, ["key_holder 1009", "key_born 1009"])
    })
  )
})
