import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { codeOf, world, Written } from "../world/ServiceWorld.test-data.ts"
import { as, changeSubAccount, openSubAccount } from "./SubAccountWorld.test-data.ts"

describe("a change of an account or a sub-account to what is there already", () => {
  it.effect("writes nothing, and answers as before", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(story, "loja-1")
      const fees = { payment: { fixed: 0.5, percent: 1.25 } }
      const change = {
        fees,
        limits: { withdrawal: { daily: 20 } },
        policy: { blockCnpjPayers: true }
      }
      const both = Effect.all([story.change(change), changeSubAccount(story, "loja-1", { fees })])
      const first = yield* both
      const { units } = yield* Written
      yield* story.advance("1 minute")
      const before = units.length
      assert.deepStrictEqual(yield* both, first)
      assert.strictEqual(units.length, before)
    }).pipe(Effect.provide(world))
  )
})

describe("a sub-account", () => {
  it.effect("has charges and a balance of its own, and its events say whose they are", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* story.endpoint()
      const subAccount = yield* openSubAccount(story, "loja-1")
      const shop = as(story, "loja-1")
      const made = yield* shop.call("POST", "/pix", { amount: 10, externalReference: "pedido" })
      assert.strictEqual(made.status, 201)
      yield* story.pay(made.json)
      yield* story.drain
      assert.strictEqual(yield* shop.available, 1_000)
      assert.strictEqual((yield* story.figures).total, 0)
      const [event] = yield* story.events()
      assert.strictEqual(event?.subAccount, "loja-1")
      const { account } = (yield* shop.call("GET", "/account")).json
      assert.strictEqual(account?.id, subAccount.id)
      assert.strictEqual(account?.status, "approved")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("sees nothing of its neighbours and of the main account, nor they of it", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(story, "loja-1")
      yield* openSubAccount(story, "loja-2")
      const callers = [as(story, "loja-1"), as(story, "loja-2"), as(story, "principal")]
      for (const owner of callers) {
        const { json } = yield* owner.call("POST", "/pix", {
          amount: 1,
          externalReference: "mesma"
        })
        for (const caller of callers) {
          const found = yield* caller.call("GET", `/transactions/${json.id}`)
          assert.strictEqual(found.status, caller === owner ? 200 : 404)
        }
      }
      const ids = yield* Effect.forEach(callers, (caller) =>
        Effect.map(caller.call("GET", "/transactions/mesma"), ({ json }) => json.id)
      )
      assert.strictEqual(new Set(ids).size, 3)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["suspended", "closed"] as const)(
    "that is %s answers 403 and does nothing",
    (status) =>
      Effect.gen(function* () {
        const story = yield* journey({ subAccountAccess: true })
        yield* openSubAccount(story, "loja-1")
        yield* changeSubAccount(story, "loja-1", { status })
        const before = (yield* Written).units.length
        for (const [method, path, body] of [
          ["POST", "/pix", { amount: 1 }],
          ["GET", "/account", undefined],
          ["GET", "/transactions/x", undefined]
        ] as const) {
          const answer = yield* as(story, "loja-1").call(method, path, body)
          assert.strictEqual(answer.status, 403)
          assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_SUSPENDED")
        }
        assert.strictEqual((yield* Written).units.length, before)
      }).pipe(Effect.provide(world))
  )

  it.effect("of another account is not found under its reference", () =>
    Effect.gen(function* () {
      const owner = yield* journey({ subAccountAccess: true })
      const stranger = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(owner, "loja-1")
      const answer = yield* as(stranger, "loja-1").call("GET", "/account")
      assert.strictEqual(answer.status, 404)
      assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_NOT_FOUND")
    }).pipe(Effect.provide(world))
  )

  it.effect("pays the fees of its own schedule where it has one, and the account's otherwise", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* story.change({ fees: { payment: { fixed: 1 } } })
      yield* openSubAccount(story, "cheap")
      yield* changeSubAccount(story, "cheap", { fees: { payment: { fixed: 0.25 } } })
      yield* openSubAccount(story, "plain")
      for (const [reference, available] of [
        ["cheap", 975],
        ["plain", 900]
      ] as const) {
        const shop = as(story, reference)
        const { json } = yield* shop.call("POST", "/pix", { amount: 10 })
        yield* story.pay(json)
        assert.strictEqual(yield* shop.available, available)
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("with an endpoint of its own has its events sent there only", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      const own = "https://loja-1.example.com/"
      const main = "https://main.example.com/"
      yield* openSubAccount(story, "loja-1")
      yield* openSubAccount(story, "loja-2")
      yield* story.endpoint({ url: main })
      yield* story.endpoint({ url: own, subAccount: "loja-1" })
      for (const reference of ["loja-1", "loja-2", "principal"]) {
        yield* story.pay((yield* as(story, reference).call("POST", "/pix", { amount: 1 })).json)
      }
      yield* story.drain
      const of = (url: string) =>
        Effect.map(story.events(url), (events) =>
          events.map(({ subAccount }) => subAccount as unknown)
        )
      assert.deepStrictEqual(yield* of(own), ["loja-1"])
      assert.deepStrictEqual(yield* of(main), ["loja-2", null])
    }).pipe(Effect.provide(world))
  )

  it.effect("can be adjusted by the operator, by its reference", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* openSubAccount(story, "loja-1")
      const made = yield* story.adjust({ amount: 3, reason: "opening", subAccount: "loja-1" })
      assert.strictEqual(made.status, 201)
      assert.strictEqual(yield* as(story, "loja-1").available, 300)
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
