import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { world } from "../world/ServiceWorld.test-data.ts"

const headers = { "idempotency-key": "order-0001" }

describe("a name that more than one thing has", () => {
  it.effect.each([
    ["/projects", { name: "Loja", color: "#112233" }],
    ["/sub-accounts", { name: "Loja", reference: "loja" }]
  ] as const)("is the charge's, though POST %s had the same key later", ([path, body]) =>
    Effect.gen(function* () {
      const { audit, shop } = yield* journey()
      const charge = yield* shop.call("POST", "/pix", { body: { amount: 10 }, headers })
      const other = yield* shop.call("POST", path, { body, headers })
      assert.strictEqual(other.status, 201, other.text)
      const found = yield* shop.call("GET", "/transactions/order-0001")
      assert.strictEqual(found.json.id, charge.json.id)
      yield* audit
    }).pipe(Effect.provide(world))
  )

  it.effect("leads GET /withdrawals to the withdrawal, whatever else has it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const externalReference = "order-1"
      const to = { pixKey: "ana@example.com", pixKeyType: "email", amount: 10 }
      const made = yield* story.shop.call("POST", "/withdrawals", {
        body: { ...to, externalReference },
        headers
      })
      const body = { amount: 10, externalReference }
      const charge = yield* story.shop.call("POST", "/pix", { body, headers })
      for (const name of [externalReference, headers["idempotency-key"], made.json.id]) {
        const found = yield* story.shop.call("GET", `/withdrawals/${name}`)
        assert.strictEqual(found.json.id, made.json.id, found.text)
      }
      // A transaction is the newest of them.
      const newest = yield* story.transaction(externalReference)
      assert.strictEqual(newest.id, charge.json.id)
      assert.strictEqual(
        (yield* story.shop.call("GET", `/withdrawals/${charge.json.id}`)).status,
        404
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
