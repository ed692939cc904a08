import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import { codeOf, world } from "../world/ServiceWorld.test-data.ts"

const body = { pixKey: "ana@example.com", pixKeyType: "email", amount: 10 }
const key = { "idempotency-key": "saque-0001" }

const ask = (
  { shop }: Journey,
  over: object = {},
  headers: Readonly<Record<string, string>> = key
) => shop.call("POST", "/withdrawals", { body: { ...body, ...over }, headers })

describe("POST /withdrawals with an Idempotency-Key", () => {
  it.effect("a repeat has the same bytes, whatever became of the withdrawal", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const first = yield* ask(story)
      assert.isNull(first.headers.get("idempotent-replayed"))
      const again = yield* ask(story)
      assert.strictEqual(again.status, 201)
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      yield* story.settleWithdrawal(first.json, "completed")
      yield* story.change({ fees: { withdrawal: { fixed: 1 } } })
      yield* story.advance("23 hours")
      assert.strictEqual((yield* ask(story)).text, first.text)
      assert.strictEqual((yield* story.figures).total, 9_000)
      yield* story.advance("1 hour")
      const anew = yield* ask(story)
      assert.strictEqual(anew.status, 201)
      assert.notStrictEqual(anew.json.id, first.json.id)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("twins are one withdrawal, and are answered alike", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const answers = yield* Effect.all(
        Array.from({ length: 20 }, () => ask(story)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      assert.strictEqual(answers[0]?.status, 201)
      assert.strictEqual((yield* story.figures).held, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("another body is 422, be it a field that means nothing", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      yield* ask(story)
      for (const over of [{ amount: 11 }, { unheardOf: 1 }]) {
        const answer = yield* ask(story, over)
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(codeOf(answer), "IDEMPOTENCY_KEY_REUSED")
      }
      assert.strictEqual((yield* story.figures).held, 1_000)
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["short", "x".repeat(256)])("a key of a wrong length is 400: %s", (wrong) =>
    Effect.gen(function* () {
      const story = yield* journey()
      const answer = yield* ask(story, {}, { "idempotency-key": wrong })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "IDEMPOTENCY_KEY_INVALID")
    }).pipe(Effect.provide(world))
  )

  it.effect("a refusal uses no key up", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      assert.strictEqual(codeOf(yield* ask(story)), "INSUFFICIENT_BALANCE")
      yield* story.fund(100)
      assert.strictEqual((yield* ask(story)).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("is the key of one account only", () =>
    Effect.gen(function* () {
      const one = yield* journey()
      const other = yield* journey()
      yield* one.fund(100)
      yield* other.fund(100)
      const first = yield* ask(one)
      const second = yield* ask(other, { amount: 20 })
      assert.strictEqual(second.status, 201)
      assert.notStrictEqual(second.json.id, first.json.id)
    }).pipe(Effect.provide(world))
  )
})

describe("a withdrawal that is looked up", () => {
  it.effect("is found by its id, its reference and its key, from the moment it is accepted", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const made = yield* ask(story, { externalReference: "saque do mês" })
      const id = made.json.id
      for (const name of [id, id.toUpperCase(), "saque do mês", "saque-0001"]) {
        const path = `/withdrawals/${encodeURIComponent(name)}` as const
        const withdrawal = yield* story.shop.call("GET", path)
        assert.strictEqual(withdrawal.status, 200)
        assert.strictEqual(withdrawal.text, made.text)
        const transaction = yield* story.transaction(name)
        assert.strictEqual(transaction.id, id)
        assert.strictEqual(transaction.type, "withdrawal")
        assert.strictEqual(transaction.status, "pending")
        assert.strictEqual(transaction.amount, 10)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("stands in the list of transactions, by its type and the status that it shows", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { withdrawal: { fixed: Centavos.make(50n) } } })
      yield* story.fund(100)
      const made = yield* ask(story)
      const listed = (query: string) =>
        Effect.map(story.shop.call("GET", `/transactions?${query}`), ({ json }) =>
          (json.data as unknown as ReadonlyArray<{ id: string; type: string }>).map(
            ({ id, type }) => [type, id === made.json.id]
          )
        )
      assert.deepStrictEqual(yield* listed("type=withdrawal&status=pending"), [
        ["withdrawal", true]
      ])
      yield* story.settleWithdrawal(made.json, "reversed")
      assert.deepStrictEqual(yield* listed("type=withdrawal&status=pending"), [])
      assert.deepStrictEqual(yield* listed("status=completed"), [
        ["adjustment", false],
        ["fee", false],
        ["withdrawal", true],
        ["adjustment", false]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("is not there for another account, nor is a random one", () =>
    Effect.gen(function* () {
      const one = yield* journey()
      const other = yield* journey()
      yield* one.fund(100)
      const made = yield* ask(one, { externalReference: "saque-1" })
      const id = made.json.id
      for (const path of ["/withdrawals", "/transactions"]) {
        for (const name of [id, "saque-1", "saque-0001"]) {
          const foreign = yield* other.shop.call("GET", `${path}/${name}`)
          const nothing = yield* other.shop.call("GET", `${path}/${name}x`)
          assert.strictEqual(foreign.status, 404)
          const bare = ({ text }: { readonly text: string }) =>
            text.replace(/"(?:timestamp|traceId)":"[^"]*"/g, "")
          assert.strictEqual(bare(foreign), bare(nothing).replaceAll(`${name}x`, name))
        }
      }
      assert.strictEqual(
        codeOf(yield* other.shop.call("GET", `/withdrawals/${id}`)),
        "WITHDRAWAL_NOT_FOUND"
      )
      assert.strictEqual(
        codeOf(yield* other.shop.call("GET", "/withdrawals/%00")),
        "WITHDRAWAL_NOT_FOUND"
      )
    }).pipe(Effect.provide(world))
  )
})
