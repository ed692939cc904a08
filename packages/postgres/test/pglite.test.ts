import { assert, describe, it } from "@effect/vitest"
import type { LedgerTxId, Uuid, WalletId } from "@pagora/core"
import { completeAudit, StorageDriver } from "@pagora/core"
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { pglite } from "../src/pglite/index.ts"

const aDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pagora-embedded-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

/** A process that writes to the directory; killed at the latest when the scope ends. */
const aWriter = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const script = fileURLToPath(new URL("./EmbeddedWriter.ts", import.meta.url))
      const args = ["--conditions=@pagora/source", script, dataDir]
      return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    }),
    (writer) => Effect.sync(() => writer.kill("SIGKILL"))
  )

const exitOf = (writer: ChildProcess) =>
  Effect.promise(async () => {
    if (writer.exitCode === null && writer.signalCode === null) await once(writer, "exit")
  })

/** What it said until it had said so many things, and a little more, and was killed. */
const killedAfter = Effect.fnUntraced(function* (dataDir: string, lines: number) {
  const writer = yield* aWriter(dataDir)
  const said: Array<string> = []
  const reader = createInterface({ input: writer.stdout ?? assert.fail() })
  reader.on("line", (line) => {
    said.push(line)
    if (said.length === lines) writer.kill("SIGKILL")
  })
  yield* Effect.promise(() => once(reader, "close"))
  yield* exitOf(writer)
  assert.isAtLeast(said.length, lines)
  return said.map((line) => line.split(" ") as [Uuid, LedgerTxId, WalletId])
})

const opening = <A, E>(dataDir: string, effect: Effect.Effect<A, E, StorageDriver>) =>
  Effect.provide(effect, pglite({ dataDir }))

const audit = StorageDriver.use((driver) => completeAudit(driver))

describe("the directory of an embedded database", () => {
  it.live(
    "has everything that was acknowledged after its process was killed, again and again",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* aDirectory
        for (const lines of [1, 200, 900]) {
          const said = yield* killedAfter(dataDir, lines)
          yield* opening(
            dataDir,
            Effect.gen(function* () {
              const driver = yield* StorageDriver
              const rows = yield* driver.rows(
                "operation",
                said.map(([row]) => row)
              )
              assert.strictEqual(rows.length, said.length)
              const txs = yield* driver.ledgerTxs(said.map(([, tx]) => tx))
              assert.strictEqual(txs.length, said.length)
              assert.deepStrictEqual((yield* completeAudit(driver)).violations, [])
            })
          )
        }
      }),
    180_000
  )

  it.live(
    "is refused to a second process, with a sentence that says what to do, until the first is gone",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* aDirectory
        const first = yield* aWriter(dataDir)
        yield* Effect.promise(() => once(first.stdout ?? assert.fail(), "data"))
        const error = yield* Effect.flip(opening(dataDir, audit))
        assert.strictEqual(
          error.message,
          `The directory ${dataDir} is in use by process ${first.pid}. Stop that process, or choose another ` +
            "directory. Several processes can share a PostgreSQL, but never an embedded database."
        )
        first.kill("SIGKILL")
        yield* exitOf(first)
        assert.deepStrictEqual((yield* opening(dataDir, audit)).violations, [])
      }),
    180_000
  )

  it.live(
    "is refused to a second storage of the same process, and free when the first has ended",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* aDirectory
        const error = yield* opening(
          dataDir,
          Effect.andThen(audit, Effect.flip(opening(dataDir, audit)))
        )
        assert.match(error.message, /is in use by process/)
        yield* opening(dataDir, audit)
      }),
    60_000
  )

  it.live(
    "is made anew when the first start was cut off, and holds nothing but what is told",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* aDirectory, "not", "there", "yet")
        mkdirSync(join(dataDir, "database.new", "base"), { recursive: true })
        writeFileSync(join(dataDir, "database.new", "PG_VERSION"), "half")
        yield* opening(dataDir, audit)
        assert.isFalse(existsSync(join(dataDir, "database.new")))
        assert.deepStrictEqual(readdirSync(dataDir).toSorted(), [
          "database",
          "database.lock",
          "database.lock.pid"
        ])
      }),
    60_000
  )

  it.live(
    "opens when its process was killed between making PostgreSQL's own lock file and writing it",
    () =>
      Effect.gen(function* () {
        const dataDir = yield* aDirectory
        yield* killedAfter(dataDir, 1)
        writeFileSync(join(dataDir, "database", "postmaster.pid"), "")
        assert.deepStrictEqual((yield* opening(dataDir, audit)).violations, [])
      }),
    60_000
  )

  it.live("that cannot be used is named", () =>
    Effect.gen(function* () {
      const file = join(yield* aDirectory, "file")
      writeFileSync(file, "")
      const error = yield* Effect.flip(opening(join(file, "below"), audit))
      assert.match(
        error.message,
        /^The embedded database in .*file\/below cannot be opened: ENOTDIR/
      )
    })
  )
})
