import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { Context, Effect, Fiber } from "effect"
import { sqlOn } from "./FreshDatabase.test-data.ts"
import { processAt, quietly } from "./Processes.test-data.ts"
import { aPair, until } from "./StandbyPair.test-data.ts"

describe("a primary that shows after a crash what its standby has not", () => {
  it.live(
    "acknowledges none of it until the standby has it, whoever asks again",
    () =>
      Effect.gen(function* () {
        const { primary, standby, wire } = yield* aPair
        // One for each change: a process writes two at a time.
        const [first, second, third] = yield* Effect.all([
          processAt(primary.url),
          processAt(primary.url),
          processAt(primary.url)
        ])
        const { shop } = yield* Effect.provideContext(journey(), first)
        const keyed = Context.get(first, TestPagora)
        const setting = Context.get(second, TestPagora)
        const ending = Context.get(third, TestPagora)
        const account = `/accounts/${shop.id}`
        yield* shop.call("POST", "/sub-accounts", { body: { reference: "loja", name: "Loja" } })
        const { json: credential } = yield* ending.operator("POST", `${account}/credentials`, {
          body: { permissions: ["FULL_ACCESS"] }
        })
        /** A change with a key, one that sets what may be set already, and one that ends what may have ended. */
        const changes = [
          keyed.operator("POST", `${account}/adjustments`, {
            body: { amount: 7, reason: "kept" },
            headers: { "idempotency-key": "asked-for-twice" }
          }),
          setting.operator("PATCH", `${account}/sub-accounts/loja`, {
            body: { status: "suspended" }
          }),
          ending.operator("DELETE", `${account}/credentials/${credential.clientId}`)
        ]
        const all = Effect.map(Effect.all(changes, { concurrency: "unbounded" }), (answers) =>
          answers.map(({ status }) => status)
        )

        wire.setAway(true)
        const asked = yield* Effect.forkChild(all)
        const held = sqlOn(
          primary.url,
          "select pid from pg_stat_activity where wait_event = 'SyncRep'"
        )
        yield* until(held, (rows) => rows.length >= changes.length)
        process.kill(primary.postmaster(), "SIGQUIT")
        assert.deepStrictEqual(yield* Fiber.join(asked), [503, 503, 503])
        yield* until(Effect.exit(sqlOn(primary.url, "select 1")), ({ _tag }) => _tag === "Success")
        const shown = yield* sqlOn(
          primary.url,
          "select key from pagora.idempotency where key = 'asked-for-twice'"
        )
        assert.lengthOf(shown, 1)
        assert.deepStrictEqual(yield* all, [503, 503, 503])

        wire.setAway(false)
        yield* until(all, (statuses) => statuses.every((status) => status < 300))
        const kept = sqlOn(
          standby.url,
          `select key from pagora.idempotency where key = 'asked-for-twice'`
        )
        assert.lengthOf(yield* until(kept, (rows) => rows.length > 0), 1)
      }).pipe(Effect.scoped, quietly),
    180_000
  )
})
