import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { woovi } from "../src/Woovi.ts"
import { receiver, running } from "./WooviWorld.test-data.ts"

const found = (findings: ReadonlyArray<{ readonly name: string; readonly state: string }>) =>
  Object.fromEntries(findings.map(({ name, state }) => [name, state]))

const prepared = (psp: ReturnType<typeof woovi>, webhookUrl: string) =>
  psp.prepare?.({ webhookUrl }) ?? Effect.die("left out")
const checked = (psp: ReturnType<typeof woovi>) => psp.check?.() ?? Effect.die("left out")

describe("the setup at Woovi", () => {
  it.live("registers one webhook for each event, and none twice", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const { taken, url: webhookUrl } = yield* receiver
      const psp = woovi(options)
      const before = yield* checked(psp)
      assert.deepStrictEqual(found(before), {
        credential: "ok",
        webhook: "warning",
        "signing-keys": "ok"
      })
      assert.include(JSON.stringify(before), "pagora psp setup")
      for (const _ of [1, 2])
        assert.deepStrictEqual(found(yield* prepared(psp, webhookUrl)), { webhook: "ok" })
      const events = bank.webhooks.map(({ event }) => event)
      assert.strictEqual(new Set(events).size, events.length)
      yield* Effect.promise(() => bank.callbacks.idle())
      assert.deepStrictEqual(
        taken.map(({ body }) => JSON.parse(Buffer.from(body).toString()).evento),
        events.map(() => "teste_webhook")
      )
      assert.deepStrictEqual(found(yield* checked(psp)), {
        credential: "ok",
        webhook: "ok",
        "signing-keys": "ok"
      })
      yield* prepared(psp, `${webhookUrl}/other`)
      assert.strictEqual(bank.webhooks.length, events.length * 2)
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
        assert.include(JSON.stringify(foreign), "from its panel")
        const address = "https://pay.example.com/webhook"
        const refused = yield* prepared(woovi({ ...options, appId: "x" }), address)
        assert.deepStrictEqual(found(refused), { webhook: "failed" })
        assert.include(JSON.stringify(refused), `Woovi must reach ${address}`)
        const psp = woovi(options)
        bank.keys.rotate()
        assert.strictEqual(found(yield* checked(psp))["signing-keys"], "failed")
        bank.faults.set([{ kind: "status", operation: "listSigningKeys", status: 500, times: 1 }])
        assert.strictEqual(found(yield* checked(psp))["signing-keys"], "warning")
        assert.deepStrictEqual(found(yield* prepared(psp, "no address")), { webhook: "failed" })
      })
  )
})
