import { PGlite } from "@electric-sql/pglite"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { wireStream } from "../src/pglite/WireStream.ts"

/** Megabytes in use once nothing is left that nobody holds. */
const heap = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
})

it.live(
  "what an embedded database has answered is not kept",
  () =>
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        Effect.promise(() => PGlite.create()),
        (database) => Effect.promise(() => database.close())
      )
      const sql = yield* PgClient.make({
        username: "postgres",
        database: "postgres",
        ssl: false,
        stream: () => wireStream(database),
        maxConnections: 1
      }).pipe(Effect.provide(Reactivity.layer))
      const ask = (times: number) =>
        Effect.replicateEffect(
          Effect.map(
            sql.unsafe<{ answer: string }>("select repeat('x', 1000000) as answer"),
            ([row]) => assert.strictEqual(row?.answer.length, 1_000_000)
          ),
          times,
          { discard: true }
        )
      yield* ask(5)
      const before = yield* heap
      yield* ask(40)
      assert.isBelow((yield* heap) - before, 10)
    }).pipe(Effect.scoped),
  60_000
)
