import { assert, describe, it } from "@effect/vitest"
import type { WalletId } from "@pagora/core"
import { completeAudit, GroupCommit, StorageDriver } from "@pagora/core"
import { execute } from "@pagora/testkit/postgres"
import { Context, Effect, Layer } from "effect"
import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"
import { sessionPlan } from "../src/Connection.ts"
import { postgres } from "../src/index.ts"
import { makeSessions } from "../src/Sessions.ts"
import { closeOrCredit } from "./Closing.test-data.ts"
import { aDatabase } from "./FreshDatabase.test-data.ts"
import { aPaidCharge, newId, unitOf } from "./Units.test-data.ts"

/** A storage of its own, for as long as the scope lasts. */
const driverAt = (options: Parameters<typeof postgres>[0]) =>
  Effect.map(Layer.build(postgres(options)), (context) => Context.get(context, StorageDriver))

/** Everything that an operator can get wrong in the database, or for the role. */
const hostile = [
  "default_transaction_isolation = 'repeatable read'",
  "default_transaction_read_only = on",
  "synchronous_commit = off",
  "timezone = 'America/Sao_Paulo'",
  "search_path = hostile, pg_catalog",
  "statement_timeout = 1",
  "lock_timeout = 1",
  "idle_in_transaction_session_timeout = 1"
]

/** What must hold all the same. Times in milliseconds. */
const wanted = {
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  synchronous_commit: "on",
  timezone: "UTC",
  search_path: "pg_catalog, pg_temp",
  statement_timeout: "4000",
  lock_timeout: "1000",
  idle_in_transaction_session_timeout: "10000"
}

const makeHostile = (url: string) =>
  Effect.promise(async () => {
    const name = new URL(url).pathname.slice(1)
    await execute(url, "create schema hostile")
    await execute(
      url,
      "create function hostile.lower(text) returns text language sql as 'select null::text'"
    )
    const statements = hostile.map((setting) => `alter database ${name} set ${setting};`)
    await execute(url, `do $$ begin ${statements.join(" ")} end $$`)
  })

describe("a session with PostgreSQL", () => {
  it.live(
    "has the settings that are written down, whatever the server's defaults say",
    () =>
      Effect.gen(function* () {
        const { url } = yield* aDatabase
        yield* makeHostile(url)
        const driver = yield* driverAt({ url })
        const commit = yield* GroupCommit.groupCommit(driver)
        const wallet = newId<WalletId>()
        yield* commit(unitOf({ opens: [wallet] }))
        yield* commit(aPaidCharge(wallet).opened)
        assert.deepStrictEqual(
          (yield* driver.wallets([wallet])).map(({ available }) => available),
          [0n]
        )
        yield* closeOrCredit(driver, yield* driverAt({ url }))
        assert.deepStrictEqual((yield* completeAudit(driver)).violations, [])
      }).pipe(Effect.scoped),
    60_000
  )

  it.live("that falls silent before it was looked at holds up nobody for long", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      const proxy = yield* fallingSilent(url)
      const times = { connectTimeout: 800, statementTimeout: 1_400, answerTimeout: 1_500 }
      const driver = yield* driverAt({ url: proxy.url, poolMax: 2, ...times })
      proxy.silenceNext()
      const before = performance.now()
      assert.deepStrictEqual(yield* driver.wallets([]), [])
      assert.strictEqual(proxy.silenced(), 1)
      assert.isBelow(performance.now() - before, 5_000)
    }).pipe(Effect.scoped)
  )

  it.live("has each of the settings that are written down", () =>
    Effect.gen(function* () {
      const { url } = yield* aDatabase
      yield* makeHostile(url)
      const { run } = yield* makeSessions(yield* sessionPlan({ url }), 1)
      const rows = yield* run(
        "select name, setting from pg_catalog.pg_settings where lower(name) = any (string_to_array($1, ','))",
        [Object.keys(wanted).join().toLowerCase()]
      )
      const found = rows.map(({ name, setting }) => [String(name).toLowerCase(), setting])
      assert.deepStrictEqual(Object.fromEntries(found), wanted)
    }).pipe(Effect.scoped)
  )
})

/** A wire whose next connection begins as it should, and carries nothing more once the server is ready for queries. */
const fallingSilent = Effect.fnUntraced(function* (url: string) {
  const target = new URL(url)
  const wires = new Set<Socket>()
  let isNextSilent = false
  let silenced = 0
  const server = createServer((client) => {
    const backend = connect(Number(target.port), target.hostname)
    let isSilent = false
    client.on("data", (chunk: Buffer) => isSilent || backend.write(chunk))
    backend.on("data", (chunk: Buffer) => {
      client.write(chunk)
      // ReadyForQuery.
      if (!isNextSilent || chunk.at(-6) !== 0x5a) return
      isNextSilent = false
      isSilent = true
      silenced++
    })
    for (const [wire, other] of [
      [client, backend],
      [backend, client]
    ] as const) {
      wires.add(wire)
      wire.on("error", () => wire.destroy()).on("close", () => other.destroy())
    }
  })
  const cut = () => {
    for (const wire of wires) wire.destroy()
  }
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))),
    () => Effect.sync(() => void server.close()).pipe(Effect.tap(() => Effect.sync(cut)))
  )
  const through = new URL(url)
  through.port = String((server.address() as AddressInfo).port)
  return {
    url: through.href,
    silenced: () => silenced,
    /** Ends all there are, so that the next thing asked needs a new one. */
    silenceNext: () => {
      isNextSilent = true
      cut()
    }
  }
})
