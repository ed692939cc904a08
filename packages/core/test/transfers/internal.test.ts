import { assert, describe, it } from "@effect/vitest"
import { aClaim } from "../world/Claims.test-data.ts"
import type { Journey } from "@pagora/testkit"
import { expecting, journey } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { BlockId } from "../../src/kernel/Ids.ts"
import { Ids } from "../../src/time/Ids.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { codeOf, existing, random, world, Written } from "../world/ServiceWorld.test-data.ts"
import { as, opened, subAccountBecomes } from "../sub-accounts/SubAccounts.test-data.ts"

/** A shop with two sub-accounts and 10.00 in its main wallet. */
const shopWithMoney = Effect.gen(function* () {
  const story = yield* journey({ subAccountAccess: true })
  for (const reference of ["loja-1", "loja-2"]) yield* opened(story, reference)
  yield* story.adjust({ amount: 10, reason: "opening" })
  return story
})

const move = (
  { shop }: Pick<Journey, "shop">,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
) => shop.call("POST", "/internal-transfers", { body, headers })

const holds = (story: Journey, reference: string) => as(story, reference).available

describe("an internal transfer", () => {
  it.effect("moves money at once, whole, and answers 201 with every field", () =>
    Effect.gen(function* () {
      const story = yield* shopWithMoney
      const { json, status } = yield* move(story, {
        to: "loja-1",
        amount: 2.5,
        description: "repasse",
        externalReference: "rep-1"
      })
      assert.strictEqual(status, 201)
      const id = json.id
      assert.deepStrictEqual(json as unknown, {
        id,
        transferId: id,
        status: "completed",
        from: "principal",
        to: "loja-1",
        amount: 2.5,
        currency: "BRL",
        description: "repasse",
        externalReference: "rep-1",
        createdAt: "2026-11-21T12:00:00.000Z"
      })
      assert.strictEqual(yield* holds(story, "loja-1"), 250)
      assert.strictEqual((yield* story.figures).available, 750)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is a transaction of both wallets, once in each list, and of no third one", () =>
    Effect.gen(function* () {
      const story = yield* shopWithMoney
      const made = yield* Effect.flatMap(
        move(story, { to: "loja-1", amount: 2, description: "x", externalReference: "rep-1" }),
        expecting(201)
      )
      const id = made.id
      const sent = yield* story.transaction(id)
      assert.deepStrictEqual(sent as unknown, {
        id,
        status: "completed",
        type: "internal_transfer",
        paymentMethod: "pix",
        amount: 2,
        currency: "BRL",
        createdAt: made.createdAt,
        description: "x",
        externalReference: "rep-1",
        metadata: { from: "principal", to: "loja-1" }
      })
      const loja = as(story, "loja-1")
      const received = (yield* loja.call("GET", `/transactions/${id}`)).json
      const { externalReference: _, ...withoutReference } = sent
      assert.deepStrictEqual(received, withoutReference)
      assert.deepStrictEqual(yield* story.transaction("rep-1"), sent)
      const inList = (query: string, { call }: Pick<Journey["shop"], "call">) =>
        Effect.map(call("GET", `/transactions${query}`), ({ json }) => json.data)
      const own = yield* inList("?type=internal_transfer", story.shop)
      assert.deepStrictEqual(own, [sent])
      assert.deepStrictEqual(yield* inList("?externalReference=rep-1", story.shop), [sent])
      assert.strictEqual((yield* inList("", story.shop)).length, 2)
      for (const limit of [1, 2]) {
        assert.deepStrictEqual(
          (yield* inList(`?limit=${limit}`, story.shop)).map((line) => line.id)[0],
          id
        )
      }
      assert.deepStrictEqual(yield* inList("", loja), [received])
      const third = yield* as(story, "loja-2").call("GET", `/transactions/${id}`)
      assert.strictEqual(third.status, 404)
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves the wallet that the caller acts on, or the one that is named", () =>
    Effect.gen(function* () {
      const story = yield* shopWithMoney
      const steps: ReadonlyArray<readonly [object, object]> = [
        [{ to: "loja-1", amount: 4 }, {}],
        [{ to: "loja-2", amount: 3 }, { "x-sub-account": "loja-1" }],
        [{ from: "loja-2", to: "principal", amount: 1 }, {}],
        [{ from: "loja-2", to: "loja-1", amount: 1 }, { "x-sub-account": "loja-1" }]
      ]
      for (const [body, headers] of steps) {
        assert.strictEqual((yield* move(story, body, { ...headers })).status, 201)
      }
      assert.strictEqual(yield* holds(story, "loja-1"), 200)
      assert.strictEqual(yield* holds(story, "loja-2"), 100)
      assert.strictEqual((yield* story.figures).available, 700)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of more than is available is refused, and what a lien claims is not", () =>
    Effect.gen(function* () {
      const story = yield* shopWithMoney
      const storage = yield* Storage
      const ids = yield* Ids
      const wallet = story.shop.id
      yield* storage.commit({
        at: existing(yield* storage.wallet(wallet)).updatedAt,
        ...aClaim(yield* ids.next<BlockId>(), { wallet, amount: Centavos.make(4_00n) })
      })
      for (const amount of [6.01, 10, 9_999_999_999.99]) {
        const answer = yield* move(story, { to: "loja-1", amount })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(codeOf(answer), "INSUFFICIENT_BALANCE")
      }
      assert.strictEqual((yield* move(story, { to: "loja-1", amount: 6 })).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("needs two wallets of the account, one that may send and one that may be paid", () =>
    Effect.gen(function* () {
      const story = yield* shopWithMoney
      const stranger = yield* shopWithMoney
      yield* opened(stranger, "alheia")
      for (const status of ["suspended", "closed"] as const) {
        yield* opened(story, status)
        yield* subAccountBecomes(story, status, status)
      }
      const before = (yield* Written).units.length
      const refusals: ReadonlyArray<readonly [object, number, string]> = [
        [{ to: "principal", amount: 1 }, 400, "SAME_WALLET"],
        [{ from: "loja-1", to: "loja-1", amount: 1 }, 400, "SAME_WALLET"],
        [{ to: "alheia", amount: 1 }, 404, "SUB_ACCOUNT_NOT_FOUND"],
        [{ from: "alheia", to: "loja-1", amount: 1 }, 404, "SUB_ACCOUNT_NOT_FOUND"],
        [{ from: "suspended", to: "loja-1", amount: 1 }, 403, "SUB_ACCOUNT_SUSPENDED"],
        [{ from: "closed", to: "loja-1", amount: 1 }, 403, "SUB_ACCOUNT_SUSPENDED"],
        [{ to: "closed", amount: 1 }, 403, "SUB_ACCOUNT_SUSPENDED"],
        [{ amount: 1 }, 400, "VALIDATION_ERROR"],
        [{ to: "loja-1" }, 400, "VALIDATION_ERROR"],
        [{ to: "loja-1", amount: 0 }, 400, "VALIDATION_ERROR"],
        [{ to: "loja-1", amount: -1 }, 400, "VALIDATION_ERROR"],
        [{ to: "loja-1", amount: 0.001 }, 400, "VALIDATION_ERROR"],
        [{ to: "Loja", amount: 1 }, 400, "VALIDATION_ERROR"],
        [{ to: "loja-1", amount: 1, externalReference: "" }, 400, "VALIDATION_ERROR"]
      ]
      for (const [body, status, code] of refusals) {
        const answer = yield* move(story, body)
        assert.strictEqual(answer.status, status, JSON.stringify(body))
        assert.strictEqual(codeOf(answer), code, JSON.stringify(body))
      }
      assert.strictEqual((yield* Written).units.length, before)
      assert.strictEqual((yield* move(story, { to: "suspended", amount: 1 })).status, 201)
      yield* story.change({ status: "suspended" })
      const stopped = yield* move(story, { to: "loja-1", amount: 1 })
      assert.strictEqual(codeOf(stopped), "ACCOUNT_NOT_ACTIVE")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("needs WITHDRAWAL:WRITE and sub-account access, which nothing replaces", () =>
    Effect.gen(function* () {
      const [reader, closed] = [
        yield* journey({ permissions: ["PIX:WRITE"], subAccountAccess: true }),
        yield* journey({ permissions: ["FULL_ACCESS"] })
      ]
      const body = { to: "loja-1", amount: 1 }
      assert.strictEqual(codeOf(yield* move(reader, body)), "PERMISSION_DENIED")
      const answer = yield* move(closed, body)
      assert.strictEqual(answer.status, 403)
      assert.strictEqual(codeOf(answer), "SUB_ACCOUNT_FORBIDDEN")
    }).pipe(Effect.provide(world))
  )

  it.effect("is made once for an Idempotency-Key, and found by it", () =>
    Effect.gen(function* () {
      const story = yield* shopWithMoney
      const key = { "idempotency-key": "transfer-0001" }
      const body = { to: "loja-1", amount: 3 }
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => move(story, body, key)),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) {
        assert.strictEqual(answer.status, 201)
        assert.strictEqual(answer.text, answers[0]?.text)
      }
      const other = yield* move(story, { ...body, amount: 4 }, key)
      assert.strictEqual(other.status, 422)
      assert.strictEqual(yield* holds(story, "loja-1"), 300)
      const found = yield* story.transaction("transfer-0001")
      assert.strictEqual(found.id, answers[0]?.json.id)
      // Made for two other wallets, it is not the main one's to see.
      const between = { "idempotency-key": "transfer-0002" }
      yield* move(story, { from: "loja-1", to: "loja-2", amount: 1 }, between)
      const unseen = yield* story.shop.call("GET", "/transactions/transfer-0002")
      assert.strictEqual(unseen.status, 404)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("races its opposite and itself without overdrawing or losing a centavo", () =>
    Effect.gen(function* () {
      const story = yield* shopWithMoney
      yield* move(story, { to: "loja-1", amount: 5 })
      const there = Array.from({ length: 12 }, () => ({
        from: "principal",
        to: "loja-1",
        amount: 1
      }))
      const back = there.map(({ from, to }) => ({ from: to, to: from, amount: 1 }))
      const answers = yield* Effect.all(
        there.flatMap((body, index) => [move(story, body), move(story, back[index] ?? body)]),
        { concurrency: "unbounded" }
      )
      const made = (from: string) =>
        answers.filter(({ json, status }) => status === 201 && json.from === from).length
      for (const answer of answers) {
        if (answer.status !== 201) assert.strictEqual(codeOf(answer), "INSUFFICIENT_BALANCE")
      }
      const moved = made("principal") - made("loja-1")
      assert.strictEqual((yield* story.figures).available, 500 - moved * 100)
      assert.strictEqual(yield* holds(story, "loja-1"), 500 + moved * 100)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of two tenants with the same references never meet", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* shopWithMoney, yield* shopWithMoney]
      const { json } = yield* move(one, { to: "loja-1", amount: 2 })
      assert.strictEqual(yield* holds(other, "loja-1"), 0)
      const peek = (id: unknown) =>
        Effect.map(
          other.shop.call("GET", `/transactions/${String(id)}`),
          ({ json: { details, message }, status }) => ({
            status,
            message,
            code: details?.code
          })
        )
      assert.deepStrictEqual(yield* peek(json.id), yield* peek(random.uuid))
    }).pipe(Effect.provide(world))
  )
})
