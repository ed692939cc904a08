import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { TenantAnswers } from "../../src/app/RouteAnswers.ts"
import { codeOf, noon, existing, world } from "../world/ServiceWorld.test-data.ts"
import { as, opened } from "../sub-accounts/SubAccounts.test-data.ts"

type Page = TenantAnswers["GET /transactions"]

const pageOf = Effect.fnUntraced(function* ({ shop }: Pick<Journey, "shop">, query = "") {
  const answer = yield* shop.call("GET", `/transactions${query}`)
  assert.strictEqual(answer.status, 200, answer.text)
  return { data: answer.json.data, next: answer.json.nextCursor }
})

const idsOf = (data: ReadonlyArray<WithId>) => data.map(({ id }) => id)
const typesOf = (data: Page["data"]) => data.map(({ type }) => type)

/** All pages of a query. */
const walk = Effect.fnUntraced(function* (story: Pick<Journey, "shop">, limit: number, query = "") {
  const pages: Array<Page["data"]> = []
  for (let cursor: string | null = ""; cursor !== null && pages.length < 50;) {
    const from = cursor === "" ? "" : `&cursor=${cursor}`
    const page: { readonly data: Page["data"]; readonly next: string | null } = yield* pageOf(
      story,
      `?limit=${limit}${query}${from}`
    )
    pages.push(page.data)
    cursor = page.next
  }
  return pages
})

/** A shop to which something of every kind has happened, a second apart. */
const busyShop = Effect.gen(function* () {
  const story = yield* journey({ subAccountAccess: true })
  yield* opened(story, "loja-1")
  const later = TestClock.adjust("1 second")
  yield* story.change({ fees: { payment: { fixed: 0.5 } } })
  yield* story.adjust({ amount: 20, reason: "opening" })
  yield* later
  const paid = yield* story.charge({ externalReference: "pedido" })
  yield* later
  yield* story.pay(paid)
  yield* later
  const wrong = yield* story.charge({ externalReference: "pedido" })
  yield* later
  yield* story.pay(wrong, { amount: 3 })
  yield* later
  const expired = yield* story.charge()
  yield* story.expire(expired)
  yield* later
  const split = yield* story.charge({ split: [{ subAccount: "loja-1", amount: 2 }] })
  yield* later
  yield* story.pay(split)
  return { story, paid, wrong, expired, split }
})

describe("the list of transactions", () => {
  it.effect("has everything that is one, once, newest first", () =>
    Effect.gen(function* () {
      const { story } = yield* busyShop
      const { data, next } = yield* pageOf(story)
      assert.isNull(next)
      assert.deepStrictEqual(
        data.map(({ amount, status, type }) => [type, status, amount]),
        [
          ["internal_transfer", "completed", 2],
          ["fee", "completed", 0.5],
          ["payment", "completed", 10],
          ["payment", "cancelled", 10],
          ["payment", "failed", 3],
          ["payment", "pending", 10],
          ["fee", "completed", 0.5],
          ["payment", "completed", 10],
          ["adjustment", "completed", 20]
        ]
      )
      const times = data.map(({ createdAt }) => createdAt)
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      for (const line of data) {
        assert.deepStrictEqual(yield* story.transaction(line.id), line)
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of nothing is empty", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* pageOf(yield* journey()), { data: [], next: null })
    }).pipe(Effect.provide(world))
  )

  it.effect.each([1, 2, 3, 4, 8, 9, 100])("is walked in pages of %i, each line once", (limit) =>
    Effect.gen(function* () {
      const { story } = yield* busyShop
      const all = (yield* pageOf(story)).data
      const pages = yield* walk(story, limit)
      assert.deepStrictEqual(pages.flat(), all)
      assert.strictEqual(pages.length, Math.ceil(all.length / limit))
      for (const page of pages) assert.isNotEmpty(page)
    }).pipe(Effect.provide(world))
  )

  it.effect("gives 20 where the caller does not say how many", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* Effect.replicateEffect(story.charge(), 21)
      const { data, next } = yield* pageOf(story)
      assert.strictEqual(data.length, 20)
      assert.isNotNull(next)
    }).pipe(Effect.provide(world))
  )

  it.effect("does not move under a reader while more comes", () =>
    Effect.gen(function* () {
      const { story } = yield* busyShop
      const all = (yield* pageOf(story)).data
      const first = yield* pageOf(story, "?limit=4")
      yield* story.pay(yield* story.charge())
      const second = yield* pageOf(story, `?limit=100&cursor=${first.next}`)
      assert.deepStrictEqual([...first.data, ...second.data], all)
    }).pipe(Effect.provide(world))
  )

  it.effect("is narrowed by type, status, reference and time, and by all of them together", () =>
    Effect.gen(function* () {
      const { expired, paid, split, story, wrong } = yield* busyShop
      const all = (yield* pageOf(story)).data
      const find = (query: string) => Effect.map(pageOf(story, `?${query}`), ({ data }) => data)
      for (const type of ["payment", "fee", "internal_transfer", "adjustment", "withdrawal"]) {
        assert.deepStrictEqual(
          yield* find(`type=${type}`),
          all.filter((line) => line.type === type)
        )
      }
      for (const status of ["pending", "completed", "failed", "cancelled"]) {
        const matching = all.filter((line) => line.status === status)
        assert.isNotEmpty(matching)
        assert.deepStrictEqual(yield* find(`status=${status}`), matching)
      }
      const ids = (query: string) => Effect.map(find(query), idsOf)
      assert.deepStrictEqual(yield* ids("externalReference=pedido"), idsOf([wrong, paid]))
      assert.deepStrictEqual(
        yield* ids("externalReference=pedido&status=completed&type=payment"),
        idsOf([paid])
      )
      assert.deepStrictEqual(yield* ids("externalReference=outro"), [])
      assert.deepStrictEqual(yield* ids("type=payment&status=cancelled"), idsOf([expired]))
      assert.deepStrictEqual(yield* ids("type=fee&status=pending"), [])
      const at = (seconds: number) => new Date(noon + seconds * 1_000).toISOString()
      assert.deepStrictEqual(yield* ids(`type=payment&from=${at(6)}`), idsOf([split]))
      assert.deepStrictEqual(yield* ids(`type=payment&from=${at(1)}&to=${at(1)}`), idsOf([paid]))
      assert.deepStrictEqual(yield* ids(`to=${new Date(noon - 1).toISOString()}`), [])
      assert.deepStrictEqual(yield* find("from=1900-01-01&to=2100-01-01T00:00:00%2B03:00"), all)
      const pages = yield* walk(story, 1, "&type=payment&status=completed")
      assert.deepStrictEqual(idsOf(pages.flat()), idsOf([split, paid]))
    }).pipe(Effect.provide(world))
  )

  it.effect("is that of one wallet; what moved between two stands in both", () =>
    Effect.gen(function* () {
      const { split, story } = yield* busyShop
      const stranger = yield* busyShop
      const loja = as(story, "loja-1")
      const { json } = yield* loja.call("GET", "/transactions")
      const [leg, ...more] = json.data
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(leg?.metadata, {
        from: "principal",
        to: "loja-1",
        paymentTransactionId: split.id
      })
      const seen = yield* loja.call("GET", `/transactions/${String(leg?.id)}`)
      assert.deepStrictEqual(seen.json, leg)
      assert.deepStrictEqual(yield* story.transaction(existing(leg).id), leg)
      const mine = new Set(idsOf((yield* pageOf(story)).data))
      const theirs = idsOf((yield* pageOf(stranger.story)).data)
      assert.strictEqual(theirs.length, mine.size)
      assert.isFalse(theirs.some((id) => mine.has(id)))
      const unseen = yield* stranger.story.shop.call("GET", `/transactions/${String(leg?.id)}`)
      assert.strictEqual(unseen.status, 404)
      // A cursor of somebody else's is a place in time, and shows nothing of theirs.
      const peeked = yield* pageOf(stranger.story, `?cursor=${[...mine][0]}`)
      assert.isFalse(idsOf(peeked.data).some((id) => mine.has(id)))
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    "type=charge",
    "status=expired",
    "limit=0",
    "limit=101",
    "limit=ten",
    "limit=1.5",
    "cursor=x",
    "cursor=00000000-0000-0000-0000-00000000000G",
    "from=yesterday",
    "from=2026-13-01",
    "to=1",
    "externalReference="
  ])("refuses %s", (query) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answer = yield* shop.call("GET", `/transactions?${query}`)
      assert.strictEqual(answer.status, 400, answer.text)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
    }).pipe(Effect.provide(world))
  )

  it.effect("needs TRANSACTION:READ", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ permissions: ["PIX:WRITE"] })
      const answer = yield* shop.call("GET", "/transactions")
      assert.strictEqual(answer.status, 403)
      assert.strictEqual(codeOf(answer), "PERMISSION_DENIED")
    }).pipe(Effect.provide(world))
  )
})

describe("the fee of a payment", () => {
  it.effect("is a transaction of its own, and the payment shows the whole amount", () =>
    Effect.gen(function* () {
      const { paid, story } = yield* busyShop
      assert.strictEqual((yield* story.transaction(paid.id)).amount, 10)
      const { data } = yield* pageOf(story, "?type=fee")
      assert.deepStrictEqual(typesOf(data), ["fee", "fee"])
      assert.deepStrictEqual(Object.keys(data[0] ?? {}).toSorted(), [
        "amount",
        "createdAt",
        "currency",
        "id",
        "paymentMethod",
        "status",
        "type"
      ])
    }).pipe(Effect.provide(world))
  )
})
