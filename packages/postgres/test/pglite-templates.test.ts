import { PGlite } from "@electric-sql/pglite"
import { StorageDriver } from "@pagora/core"
import { pglite } from "@pagora/postgres/pglite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { schemaVersion } from "../src/Migrations.ts"

const aDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pagora-templates-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Opens a database and asks it something. */
const opens = (options: Parameters<typeof pglite>[0]) =>
  Effect.map(
    Effect.provide(
      StorageDriver.use(({ clock }) => clock),
      pglite(options)
    ),
    () => true
  )

describe("a database that is kept to be copied", () => {
  it.live(
    "is made by the first start, and taken by the next, in memory and in a directory",
    () =>
      Effect.gen(function* () {
        const root = yield* aDirectory
        const templates = join(root, "cache", "pagora")
        assert.isTrue(yield* opens({ templates }))
        const [name, ...others] = readdirSync(templates)
        assert.match(name ?? "", /^pglite-\d+\.\d+\.\d+-[0-9a-f]{12}\.tar\.gz$/)
        assert.lengthOf(others, 0)
        const file = join(templates, name ?? "")
        const mode = (path: string) => statSync(path).mode & 0o777
        assert.deepStrictEqual([mode(templates), mode(file)], [0o700, 0o600])

        const made = statSync(file).mtimeMs
        assert.isTrue(yield* opens({ templates }))
        const dataDir = join(root, "data")
        assert.isTrue(yield* opens({ templates, dataDir }))
        // What it holds is of the first start alone, and the directory opens without it.
        assert.strictEqual(statSync(file).mtimeMs, made)
        rmSync(templates, { recursive: true })
        assert.isTrue(yield* opens({ dataDir }))
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is made by a start in a directory as well, with the schema, and those nobody makes any more go",
    () =>
      Effect.gen(function* () {
        const root = yield* aDirectory
        const templates = join(root, "cache")
        mkdirSync(templates)
        const old = ["pglite-0.1.0.tar.gz", "pglite-0.2.0.tar.gz", "notes.txt"]
        for (const name of old) writeFileSync(join(templates, name), "")
        const monthsAgo = Date.now() / 1000 - 90 * 24 * 60 * 60
        for (const name of ["pglite-0.1.0.tar.gz", "notes.txt"])
          utimesSync(join(templates, name), monthsAgo, monthsAgo)
        assert.isTrue(yield* opens({ templates, dataDir: join(root, "data") }))
        const kept = readdirSync(templates).filter((name) => !old.includes(name))
        assert.lengthOf(kept, 1)
        assert.sameMembers(readdirSync(templates), [...kept, "pglite-0.2.0.tar.gz", "notes.txt"])

        const packed = new Blob([gunzipSync(readFileSync(join(templates, kept[0] ?? "")))])
        const copy = yield* Effect.promise(() => PGlite.create({ loadDataDir: packed }))
        const { rows } = yield* Effect.promise(() =>
          copy.query("select max(version) as version from pagora.schema_version")
        )
        const databases = yield* Effect.promise(() => copy.query("select datname from pg_database"))
        yield* Effect.promise(() => copy.close())
        assert.deepStrictEqual(rows, [{ version: schemaVersion }])
        // Nothing to make others from, which is as large again.
        assert.deepStrictEqual(databases.rows, [{ datname: "postgres" }])
        assert.isTrue(yield* opens({ templates }))
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "is made anew where it is damaged, and done without where it cannot be kept",
    () =>
      Effect.gen(function* () {
        const root = yield* aDirectory
        const templates = join(root, "cache")
        assert.isTrue(yield* opens({ templates }))
        const file = join(templates, readdirSync(templates)[0] ?? "")
        const whole = readFileSync(file)
        writeFileSync(file, whole.subarray(0, whole.length / 2))
        assert.isTrue(yield* opens({ templates, dataDir: join(root, "data") }))
        assert.isAbove(statSync(file).size, whole.length / 2)

        const noDirectory = join(root, "file")
        writeFileSync(noDirectory, "")
        assert.isTrue(yield* opens({ templates: join(noDirectory, "cache") }))
      }).pipe(Effect.scoped),
    120_000
  )
})
