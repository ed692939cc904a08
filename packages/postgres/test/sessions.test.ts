import { assert, describe, it } from "@effect/vitest"
import type { WalletId } from "@pagora/core"
import { completeAudit, GroupCommit, StorageDriver } from "@pagora/core"
import { execute } from "@pagora/testkit/postgres"
import { Context, Effect, Layer } from "effect"
import { postgres } from "../src/index.ts"
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
})
