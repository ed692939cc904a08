import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { woovi } from "../src/Woovi.ts"
import { running } from "./WooviWorld.test-data.ts"

const webhookUrl = "https://pay.example.com/v2/psp/id/webhook"
const found = (findings: ReadonlyArray<{ readonly name: string; readonly state: string }>) =>
  Object.fromEntries(findings.map(({ name, state }) => [name, state]))

const prepared = (psp: ReturnType<typeof woovi>, url = webhookUrl) =>
  psp.prepare?.({ webhookUrl: url }) ?? Effect.die("left out")
const checked = (psp: ReturnType<typeof woovi>) => psp.check?.() ?? Effect.die("left out")

describe("the setup at Woovi", () => {
  it.live("registers one webhook for each event, and none twice", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const { bank, options } = yield* running({
        send: async (url, { body }) => {
          sent.push(`${url} ${JSON.parse(Buffer.from(body).toString()).evento}`)
          return 200
        }
      })
      const psp = woovi(options)
      assert.deepStrictEqual(found(yield* checked(psp)), {
        credential: "ok",
        webhook: "warning",
        "signing-keys": "ok"
      })
      for (const _ of [1, 2]) assert.deepStrictEqual(found(yield* prepared(psp)), { webhook: "ok" })
      const events = bank.book.webhooks.map(({ event }) => event)
      assert.strictEqual(new Set(events).size, events.length)
      yield* Effect.promise(() => bank.idle())
      assert.deepStrictEqual(
        sent,
        events.map(() => `${webhookUrl} teste_webhook`)
      )
      assert.deepStrictEqual(found(yield* checked(psp)), {
        credential: "ok",
        webhook: "ok",
        "signing-keys": "ok"
      })
      yield* prepared(psp, "https://other.example.com/webhook")
      assert.strictEqual(bank.book.webhooks.length, events.length * 2)
    })
  )

  it.live(
    "says what is amiss: the AppID, a key that nobody configured, an address that is refused",
    () =>
      Effect.gen(function* () {
        const { bank, options } = yield* running()
        const foreign = yield* checked(woovi({ ...options, appId: "of-production" }))
        assert.deepStrictEqual(found(foreign), { credential: "failed", "signing-keys": "ok" })
        assert.isFalse(JSON.stringify(foreign).includes("of-production"))
        assert.deepStrictEqual(found(yield* prepared(woovi({ ...options, appId: "x" }))), {
          webhook: "failed"
        })
        const psp = woovi(options)
        bank.keys.rotate()
        assert.strictEqual(found(yield* checked(psp))["signing-keys"], "failed")
        bank.fault({ to: "public-keys", with: { status: 500 } })
        assert.strictEqual(found(yield* checked(psp))["signing-keys"], "warning")
        assert.deepStrictEqual(found(yield* prepared(psp, "no address")), { webhook: "failed" })
      })
  )
})
