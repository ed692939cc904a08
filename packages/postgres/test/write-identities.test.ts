import { assert, describe, it, layer } from "@effect/vitest"
import type { WriteId } from "@pagora/core"
import { MergedUnit, StorageDriver } from "@pagora/core"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pglite } from "../src/pglite/index.ts"
import { layerKnown, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import { brl, newId, rowOf, unitOf } from "./Units.test-data.ts"
import { templates } from "./Templates.test-data.ts"

const aWrite = () => MergedUnit.merge([unitOf({ inserts: [rowOf()] })], newId())

describe("the identities of writes", () => {
  it.live(
    "last when the storage is closed and opened again: what is in stays in, what is void never comes in",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "pagora-identities-"))),
          (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
        )
        const opened = <A, E>(use: (driver: StorageDriver["Service"]) => Effect.Effect<A, E>) =>
          Effect.provide(StorageDriver.use(use), pglite({ dataDir, templates }))
        const [written, voided] = [aWrite(), aWrite()]
        yield* opened((driver) =>
          Effect.gen(function* () {
            assert.isNull(yield* driver.write(written))
            assert.isFalse(yield* driver.resolveWrite(voided.id))
          })
        )
        yield* opened((driver) =>
          Effect.gen(function* () {
            assert.isTrue(yield* driver.resolveWrite(written.id))
            assert.deepStrictEqual(yield* driver.write(voided), { expectation: "written_once" })
            const ids = voided.inserts.map(({ row }) => row.id)
            assert.deepStrictEqual(yield* driver.rows("operation", ids), [])
          })
        )
      }).pipe(Effect.scoped),
    180_000
  )
})

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })("identities", (it) => {
  it.effect("are forgotten a day after they were stored, by the clock of the database", () =>
    Effect.gen(function* () {
      const [driver, url] = [yield* StorageDriver, yield* Url]
      const yesterday = (millis: number) =>
        (Date.now() - 26 * 3_600_000 + millis).toString(16).padStart(12, "0")
      const idOf = (time: string): WriteId =>
        `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000` as WriteId
      const old = [0, 1, 2].map((millis) => idOf(yesterday(millis)))
      // Of a process whose clock is behind: it was stored just now.
      const behind = idOf(yesterday(3))
      yield* sqlOn(
        url,
        `insert into pagora.written (id, at) select unnest('{${old.join()}}'::uuid[]), now() - interval '26 hours'`,
        `insert into pagora.written (id) values ('${behind}')`
      )
      const young = aWrite()
      yield* driver.write(young)
      assert.strictEqual(yield* driver.forgetWrites(2), 2)
      assert.strictEqual(yield* driver.forgetWrites(2), 1)
      assert.strictEqual(yield* driver.forgetWrites(2), 0)
      const left = yield* sqlOn(url, "select id from pagora.written order by id")
      assert.deepStrictEqual(
        left.map(({ id }) => id),
        [behind, young.id]
      )
    })
  )

  // What a server shows after its own crash may be on no standby yet: only a commit of one's own waits for that.
  it.effect("are settled by a write, also where the write is in", () =>
    Effect.gen(function* () {
      const [driver, url, write] = [yield* StorageDriver, yield* Url, aWrite()]
      const writer = sqlOn(
        url,
        `select xmin::text as by from pagora.written where id = '${write.id}'`
      )
      yield* driver.write(write)
      const before = yield* writer
      assert.isTrue(yield* driver.resolveWrite(write.id))
      const after = yield* writer
      assert.lengthOf(after, 1)
      assert.notDeepEqual(after, before)
      assert.isTrue(yield* driver.resolveWrite(write.id))
    })
  )

  it.effect("are not asked of processes of the version before, which write as they did", () =>
    Effect.gen(function* () {
      const [driver, url, key] = [yield* StorageDriver, yield* Url, newId()]
      const call = `select pagora.write(counter_key => '{${key}}', counter_add => '{1}', counter_highest => '{9}') as failed`
      assert.deepStrictEqual(yield* sqlOn(url, call), [{ failed: null }])
      const unit = unitOf({ counters: [{ key, add: brl(9), max: brl(9) }] })
      const write = MergedUnit.merge([unit], newId())
      assert.deepStrictEqual(yield* driver.write(write), { expectation: "counter" })
    })
  )
})
