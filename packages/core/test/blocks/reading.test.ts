import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { expecting, journey } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { Block, BlockKind, blockStatuses } from "../../src/blocks/Block.ts"
import { blocksMax } from "../../src/blocks/Blocks.ts"
import type { BlockId } from "../../src/kernel/Ids.ts"
import { isUuid } from "../../src/kernel/Ids.ts"
import type { Kind } from "../../src/units/Kind.ts"
import { Ids } from "../../src/time/Ids.ts"
import { Storage } from "../../src/storage/Storage.ts"
import {
  askBlock,
  block,
  chargebacks,
  defend,
  listed,
  operator,
  operatorBlocks,
  paid,
  resolve,
  returns
} from "./BalanceBlocks.test-data.ts"
import { codeOf, random, world, Written } from "../world/ServiceWorld.test-data.ts"

const idsOf = (blocks: ReadonlyArray<WithId>) => blocks.map(({ id }) => id)

/** Opens a sub-account. */
const opened = ({ shop }: Journey, reference: string) =>
  Effect.flatMap(
    shop.call("POST", "/sub-accounts", { body: { reference, name: "Loja 1" } }),
    expecting(201)
  )

describe("GET /balance-blocks", () => {
  it.effect("of an account without blocks is an empty list", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answer = yield* shop.call("GET", "/balance-blocks")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.text, '{"items":[],"total":0}')
    }).pipe(Effect.provide(world))
  )

  it.effect("shows the fields of the specification, and leaves out those without a value", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story, 10, { externalReference: "pedido-1" })
      const bare = yield* paid(story, 3)
      const made = yield* block(story, charge, { reason: "fraud", referenceNumber: "7/2026" })
      yield* story.advance("1 minute")
      yield* resolve(made, "approved", "proved")
      const other = yield* block(story, bare, { blockType: "administrative" })
      const { json } = yield* story.shop.call("GET", "/balance-blocks")
      assert.deepStrictEqual(json as unknown, {
        items: [
          {
            id: other.id,
            transactionId: bare.id,
            amount: 3,
            status: "awaiting_response",
            blockType: "administrative",
            createdAt: "2026-11-21T12:01:00.000Z",
            e2eId: (yield* story.transaction(bare.id)).e2eId
          },
          {
            id: made.id,
            transactionId: charge.id,
            amount: 10,
            status: "approved",
            blockType: "med",
            referenceNumber: "7/2026",
            reason: "fraud",
            createdAt: "2026-11-21T12:00:00.000Z",
            externalReference: "pedido-1",
            e2eId: (yield* story.transaction(charge.id)).e2eId,
            resolutionReason: "proved",
            resolvedAt: "2026-11-21T12:01:00.000Z"
          }
        ],
        total: 2
      })
      assert.isTrue(isUuid(made.id))
    }).pipe(Effect.provide(world))
  )

  it.effect("filters by status, and answers all of them without a filter, newest first", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const blocks: Array<WithId> = []
      for (let count = 0; count < 6; count++) blocks.push(yield* block(story, yield* paid(story)))
      const [waiting, defended, approved, rejected, again, short] = blocks as [
        WithId,
        WithId,
        WithId,
        WithId,
        WithId,
        WithId
      ]
      yield* defend(defended)
      yield* resolve(approved, "approved")
      yield* resolve(rejected, "rejected")
      // Approved as well, and still short of something.
      yield* story.adjust({ amount: -10, reason: "spent" })
      const { returnedAmount } = yield* resolve(short, "approved")
      assert.strictEqual(returnedAmount, 10)
      const expected = {
        awaiting_response: [again, waiting],
        defended: [defended],
        approved: [short, approved],
        rejected: [rejected]
      }
      for (const status of blockStatuses) {
        const { json } = yield* story.shop.call("GET", `/balance-blocks?status=${status}`)
        const items = json.items
        assert.deepStrictEqual(idsOf(items), idsOf(expected[status]), status)
        assert.strictEqual(json.total, expected[status].length)
        for (const item of items) assert.strictEqual(item.status, status)
      }
      assert.deepStrictEqual(idsOf(yield* listed(story)), idsOf(blocks.toReversed()))
      const path = `/accounts/${story.shop.id}/balance-blocks?limit=1` as const
      for (const status of blockStatuses) {
        const found: Array<WithId> = []
        for (let cursor = ""; cursor !== "null";) {
          const { json } = yield* operator("GET", `${path}&status=${status}${cursor}`)
          found.push(...json.data)
          cursor = json.nextCursor === null ? "null" : `&cursor=${json.nextCursor}`
        }
        assert.deepStrictEqual(idsOf(found), idsOf(expected[status]), status)
      }
      assert.strictEqual((yield* operator("GET", `${path}&status=collecting`)).status, 400)
    }).pipe(Effect.provide(world))
  )

  it.effect("shows one that is still being collected as approved", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -10, reason: "spent before" })
      const made = yield* block(story, charge)
      yield* resolve(made, "approved")
      const collected = yield* block(story, yield* paid(story, 1))
      const [one] = yield* listed(story, "?status=approved")
      assert.strictEqual(one?.id, made.id)
      assert.strictEqual(one?.status, "approved")
      yield* paid(story, 20)
      yield* resolve(collected, "approved")
      const both = idsOf(yield* listed(story, "?status=approved"))
      assert.deepStrictEqual(both, idsOf([collected, made]))
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    "status=open",
    "status=",
    "status=APPROVED",
    "status=collecting",
    "status=approved&status=rejected"
  ])("refuses ?%s with 400", (query) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const answer = yield* shop.call("GET", `/balance-blocks?${query}`)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
    }).pipe(Effect.provide(world))
  )

  it.effect("needs a token before it looks at anything, and BALANCE_BLOCK:READ", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey({ permissions: ["ACCOUNT:READ"] })
      const reader = yield* journey({ permissions: ["BALANCE_BLOCK:READ"] })
      for (const path of ["/balance-blocks", "/balance-blocks?status=nothing"]) {
        const anonymous = yield* shop.call("GET", path, { headers: { authorization: "" } })
        assert.strictEqual(anonymous.status, 401)
        const answer = yield* shop.call("GET", path)
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(codeOf(answer), "PERMISSION_DENIED")
      }
      assert.strictEqual((yield* reader.shop.call("GET", "/balance-blocks")).status, 200)
    }).pipe(Effect.provide(world))
  )

  it.effect("shows an account its own blocks only", () =>
    Effect.gen(function* () {
      const one = yield* journey()
      const two = yield* journey()
      const mine = yield* block(one, yield* paid(one))
      const theirs = yield* block(two, yield* paid(two))
      assert.deepStrictEqual(idsOf(yield* listed(one)), idsOf([mine]))
      assert.deepStrictEqual(idsOf(yield* listed(two)), idsOf([theirs]))
      yield* resolve(theirs, "approved")
      assert.strictEqual((yield* one.figures).held, 1_000)
      assert.strictEqual((yield* chargebacks(one)).length, 0)
      yield* one.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("acts on the sub-account of X-Sub-Account, whose payment and wallet it is", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* story.endpoint()
      const subAccount = yield* opened(story, "loja-1")
      const headers = { "x-sub-account": "loja-1" }
      const made = yield* story.shop.call("POST", "/pix", { headers, body: { amount: 10 } })
      yield* story.pay(made.json)
      yield* paid(story, 4)
      const blocked = yield* block(story, made.json, { amount: 6 })
      assert.strictEqual(blocked.subAccount, "loja-1")
      assert.deepStrictEqual(idsOf(yield* listed(story)), [])
      const { json } = yield* story.shop.call("GET", "/balance-blocks", { headers })
      assert.strictEqual(json.total, 1)
      assert.deepStrictEqual(yield* story.figures, {
        available: 400,
        promotional: 0,
        held: 0,
        total: 400
      })
      const balance = (yield* story.shop.call("GET", "/account", { headers })).json.balance
      assert.strictEqual(balance?.held?.amount, 600)
      assert.strictEqual(balance?.available?.amount, 400)
      yield* resolve(blocked, "approved")
      const [money] = yield* returns(story)
      assert.strictEqual<string | undefined>(money?.wallet, subAccount.id)
      assert.strictEqual(money?.subAccount, "loja-1")
      yield* story.drain
      const told = yield* story.events()
      const events = told.filter(({ event }) => event.startsWith("balance_block"))
      assert.deepStrictEqual(
        events.map(({ subAccount }) => String(subAccount)),
        ["loja-1", "loja-1"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps a sub-account open that a block still claims money of", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* opened(story, "loja-1")
      const headers = { "x-sub-account": "loja-1" }
      const made = yield* story.shop.call("POST", "/pix", { headers, body: { amount: 10 } })
      yield* story.pay(made.json)
      yield* story.adjust({ amount: -10, subAccount: "loja-1", reason: "spent before" })
      const blocked = yield* block(story, made.json)
      const path = `/accounts/${story.shop.id}/sub-accounts/loja-1` as const
      const close = operator("PATCH", path, { status: "closed" })
      assert.strictEqual((yield* close).status, 409)
      yield* resolve(blocked, "rejected")
      assert.strictEqual((yield* close).status, 200)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "answers many thousand blocks, and no more than its bound",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* paid(story)
        yield* block(story, charge, { amount: 0.01 })
        const storage = yield* Storage
        const ids = yield* Ids
        const [stored] = yield* storage.list(BlockKind as Kind<Block>, {
          wallet: story.shop.id,
          order: "asc",
          limit: 1
        })
        if (stored === undefined) return assert.fail("no block")
        const rejected = { ...stored.value, status: "rejected" } as const
        const at = yield* DateTime.now
        for (let count = 0; count <= blocksMax; count += 500) {
          const inserts = yield* Effect.forEach(Array.from({ length: 500 }), () =>
            Effect.map(ids.next<BlockId>(), (id) =>
              (BlockKind as Kind<Block>).row(new Block({ ...rejected, id }))
            )
          )
          yield* storage.commit({ at, inserts })
        }
        const { json } = yield* story.shop.call("GET", "/balance-blocks")
        const items = json.items
        assert.strictEqual(items.length, blocksMax)
        assert.strictEqual(json.total, blocksMax)
        assert.strictEqual(new Set(idsOf(items)).size, blocksMax)
        assert.deepStrictEqual(idsOf(items), idsOf(items).toSorted().toReversed())
      }).pipe(Effect.provide(world)),
    60_000
  )
})

describe("the operator's balance blocks", () => {
  it.effect("come in pages of at most a hundred, newest first, of one account", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const other = yield* journey()
      const charge = yield* paid(story)
      yield* block(other, yield* paid(other))
      const made: Array<WithId> = []
      for (let count = 0; count < 101; count++) {
        made.push(yield* block(story, charge, { amount: 0.01 }))
      }
      const path = `/accounts/${story.shop.id}/balance-blocks?limit=100` as const
      const first = yield* operator("GET", path)
      const page = first.json.data
      assert.deepStrictEqual(idsOf(page), idsOf(made.toReversed().slice(0, 100)))
      const next = yield* operator("GET", `${path}&cursor=${String(first.json.nextCursor)}`)
      const rest = next.json.data
      assert.deepStrictEqual(idsOf(rest), idsOf(made.slice(0, 1)))
      assert.isNull(next.json.nextCursor)
      assert.strictEqual((yield* operator("GET", `${path}&cursor=x`)).status, 400)
      assert.strictEqual((yield* operatorBlocks(other)).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("need the operator's key and an account that exists", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      for (const id of [random.uuid, "x"]) {
        for (const [method, body] of [
          ["GET", undefined],
          ["POST", { transactionId: random.uuid, blockType: "med" }]
        ] as const) {
          const answer = yield* operator(method, `/accounts/${id}/balance-blocks`, body)
          assert.strictEqual(answer.status, 404)
          assert.strictEqual(answer.json.details?.resource, "account")
        }
      }
      // The tenants' API knows no way to make one.
      const before = (yield* Written).units.length
      const answer = yield* shop.call("POST", "/balance-blocks", { body: {} })
      assert.strictEqual(answer.status, 405)
      assert.strictEqual((yield* Written).units.length, before)
    }).pipe(Effect.provide(world))
  )

  it.effect("take the transaction's id in capital letters too", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      const id = charge.id.toUpperCase()
      const answer = yield* askBlock(story, charge, { transactionId: id })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.json.transactionId, charge.id)
    }).pipe(Effect.provide(world))
  )
})
