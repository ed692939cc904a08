import { assert, describe, it } from "@effect/vitest"
import { aClaim } from "../world/Claims.test-data.ts"
import type { Answer, Journey } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { TenantAnswers } from "../../src/app/RouteAnswers.ts"
import type { BlockId } from "../../src/kernel/Ids.ts"
import { Ids } from "../../src/time/Ids.ts"
import { Storage } from "../../src/storage/Storage.ts"
import type { Unit } from "../../src/units/Unit.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"
import {
  changeSubAccount,
  openSubAccount,
  patchSubAccount
} from "../sub-accounts/SubAccountWorld.test-data.ts"
import { watched } from "./WithdrawalStories.test-data.ts"

const body = { pixKey: "ana@example.com", pixKeyType: "email", amount: 10 }
const key = { "idempotency-key": "saque-0001" }
const loja = { "x-sub-account": "loja-1" }

/** A shop with a sub-account, R$ 100.00 in each wallet, and a dearer withdrawal in the second. */
const shops = Effect.gen(function* () {
  const story = yield* journey({
    subAccountAccess: true,
    fees: { withdrawal: { fixed: Centavos.make(50n) } },
    limits: { withdrawal: { daily: Centavos.make(5_000n) } }
  })
  yield* openSubAccount(story, "loja-1")
  yield* changeSubAccount(story, "loja-1", { fees: { withdrawal: { fixed: 1 } } })
  yield* story.endpoint()
  yield* story.fund(100)
  yield* story.adjust({ amount: 100, subAccount: "loja-1", reason: "funds" })
  return story
})

const withdraw = (
  { shop }: Journey,
  headers: Readonly<Record<string, string>>,
  over: object = {}
) => shop.call("POST", "/withdrawals", { body: { ...body, ...over }, headers })

const held = ({ shop }: Journey, headers: Readonly<Record<string, string>>) =>
  Effect.map(shop.call("GET", "/account", { headers }), ({ json }) => json.balance?.held?.amount)

describe("a withdrawal of a sub-account", () => {
  it.effect("takes its money, its fee and its events", () =>
    Effect.gen(function* () {
      const story = yield* shops
      const made = yield* withdraw(story, loja)
      assert.strictEqual(made.json.feeAmount, 1)
      assert.deepStrictEqual([yield* held(story, loja), yield* held(story, {})], [1_000, 0])
      yield* story.settleWithdrawal(made.json, "completed")
      yield* story.drain
      const [event] = yield* story.events()
      assert.strictEqual(event?.subAccount, "loja-1")
      assert.strictEqual((yield* story.figures).total, 10_000)
      const path = `/withdrawals/${made.json.id}` as const
      assert.strictEqual((yield* story.shop.call("GET", path, { headers: loja })).status, 200)
      assert.strictEqual((yield* story.shop.call("GET", path)).status, 404)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("comes to its end though the sub-account is suspended, which starts no other", () =>
    Effect.gen(function* () {
      const story = yield* shops
      const made = yield* withdraw(story, loja)
      // The PSP has been told of it by now.
      yield* story.drain
      yield* changeSubAccount(story, "loja-1", { status: "suspended" })
      assert.strictEqual(codeOf(yield* withdraw(story, loja)), "SUB_ACCOUNT_SUSPENDED")
      const settled = yield* story.settleWithdrawal(made.json, "completed")
      assert.strictEqual(settled.status, "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("waits, held, while the sub-account is suspended, and goes on afterwards", () =>
    Effect.gen(function* () {
      const story = yield* shops
      const sent = yield* watched
      const made = yield* withdraw(story, loja)
      yield* changeSubAccount(story, "loja-1", { status: "suspended" })
      yield* story.advance("1 hour")
      assert.strictEqual(sent.length, 0)
      yield* changeSubAccount(story, "loja-1", { status: "approved" })
      assert.strictEqual(yield* held(story, loja), 1_000)
      yield* story.advance("5 minutes")
      assert.strictEqual(sent.length, 1)
      const settled = yield* story.settleWithdrawal(made.json, "completed")
      assert.strictEqual(settled.status, "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not told to the PSP when its suspension comes between looking and telling", () =>
    Effect.gen(function* () {
      const story = yield* shops
      const sent = yield* watched
      yield* withdraw(story, loja)
      const storage = yield* Storage
      const { commit } = storage
      let isSuspended = false
      Object.assign(storage, {
        commit: (unit: Unit) =>
          Effect.suspend(() => {
            const isIntent = (unit.updates ?? []).some(({ row }) => row.document.includes("sentAt"))
            if (!isIntent || isSuspended) return commit(unit)
            isSuspended = true
            return Effect.andThen(
              Effect.orDie(changeSubAccount(story, "loja-1", { status: "suspended" })),
              commit(unit)
            )
          })
      })
      yield* story.drain
      assert.isTrue(isSuspended)
      assert.strictEqual(sent.length, 0)
      yield* changeSubAccount(story, "loja-1", { status: "approved" })
      assert.strictEqual(yield* held(story, loja), 1_000)
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["suspended", "not reached", { _tag: "NotSent", detail: "refused" }],
    ["suspended", "lost", { _tag: "Unknown", detail: "lost" }]
  ] as const)("%s meanwhile, is not told again after it was %s", ([status, , outcome]) =>
    Effect.gen(function* () {
      const story = yield* shops
      let sends = 0
      const { sendPayout } = yield* pspThat({})
      yield* pspThat({ sendPayout: () => Effect.sync(() => (sends++, outcome)) })
      const made = yield* withdraw(story, loja)
      yield* story.drain
      yield* changeSubAccount(story, "loja-1", { status })
      yield* story.advance("1 hour")
      assert.strictEqual(sends, 1)
      yield* pspThat({ sendPayout })
      yield* changeSubAccount(story, "loja-1", { status: "approved" })
      yield* story.advance("5 minutes")
      const settled = yield* story.settleWithdrawal(made.json, "completed")
      assert.strictEqual(settled.status, "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps the sub-account from being closed while it is under way", () =>
    Effect.gen(function* () {
      const story = yield* shops
      const made = yield* withdraw(story, loja, { amount: 50 })
      yield* story.adjust({ amount: -50, subAccount: "loja-1", reason: "emptied" })
      const early = yield* patchSubAccount(story, "loja-1", { status: "closed" })
      assert.strictEqual(early.status, 409, early.text)
      yield* story.settleWithdrawal(made.json, "completed")
      const late = yield* patchSubAccount(story, "loja-1", { status: "closed" })
      assert.strictEqual(late.status, 200, late.text)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that comes back after the sub-account was closed is the main account's", () =>
    Effect.gen(function* () {
      const story = yield* shops
      yield* story.adjust({
        amount: 0.25,
        bucket: "promotional",
        subAccount: "loja-1",
        reason: "x"
      })
      yield* story.adjust({ amount: -60, subAccount: "loja-1", reason: "x" })
      const made = yield* withdraw(story, loja, { amount: 40.25 })
      yield* story.settleWithdrawal(made.json, "completed")
      yield* changeSubAccount(story, "loja-1", { status: "closed" })
      const { available, promotional } = yield* story.figures
      yield* story.settleWithdrawal(made.json, "reversed")
      const after = yield* story.figures
      assert.deepStrictEqual(
        [after.available - available, after.promotional - promotional],
        [4_000, 25]
      )
      const { json } = yield* story.shop.call("GET", "/transactions?type=adjustment")
      assert.strictEqual(json.data[0]?.amount, 40.25)
      yield* story.drain
      const told = yield* story.events()
      const reversed = told.find(({ event }) => event === "withdrawal_reversed")
      assert.strictEqual(reversed?.subAccount, "loja-1")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("comes back to one of the two wallets while the sub-account is being closed", () =>
    Effect.gen(function* () {
      const outcomes = new Set<number>()
      for (let round = 0; round < 24; round++) {
        const story = yield* shops
        yield* story.adjust({ amount: -60, subAccount: "loja-1", reason: "emptied" })
        const made = yield* withdraw(story, loja, { amount: 40 })
        yield* story.settleWithdrawal(made.json, "completed")
        const waits = Effect.forEach(Array.from({ length: round }), () => Effect.yieldNow)
        const [closed] = yield* Effect.all(
          [
            Effect.andThen(waits, patchSubAccount(story, "loja-1", { status: "closed" })),
            story.settleWithdrawal(made.json, "reversed")
          ],
          { concurrency: "unbounded" }
        )
        outcomes.add(closed.status)
        const { total } = yield* story.figures
        assert.strictEqual(total, closed.status === 200 ? 14_000 : 10_000)
        yield* story.audit
      }
      assert.sameMembers([...outcomes], [200, 409])
    }).pipe(Effect.provide(world))
  )

  it.effect("has keys of its own", () =>
    Effect.gen(function* () {
      const story = yield* shops
      const main = yield* withdraw(story, key)
      const sub = yield* withdraw(story, { ...loja, ...key }, { amount: 20 })
      assert.deepStrictEqual([main.status, sub.status], [201, 201])
      const again = yield* withdraw(story, { ...loja, ...key }, { amount: 20 })
      assert.strictEqual(again.text, sub.text)
      assert.deepStrictEqual([yield* held(story, loja), yield* held(story, {})], [2_000, 1_000])
    }).pipe(Effect.provide(world))
  )

  it.effect("counts to the limits of the account", () =>
    Effect.gen(function* () {
      const story = yield* shops
      yield* withdraw(story, loja, { amount: 30 })
      const refused = yield* withdraw(story, {}, { amount: 20.01 })
      assert.strictEqual(codeOf(refused), "LIMIT_EXCEEDED")
      assert.strictEqual((yield* withdraw(story, {}, { amount: 20 })).status, 201)
    }).pipe(Effect.provide(world))
  )
})

describe("the project of a withdrawal", () => {
  const projectIn = ({ shop }: Journey, name: string) =>
    Effect.map(shop.call("POST", "/projects", { body: { name } }), ({ json }) => json.id)
  const projectOf = ({ json }: Answer<TenantAnswers["POST /withdrawals"]>) => json.projectId

  it.effect("is the one that is named, or the only one, and otherwise none", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      assert.isUndefined(projectOf(yield* withdraw(story, {})))
      const one = yield* projectIn(story, "Um")
      const inherited = yield* withdraw(story, {})
      assert.strictEqual(projectOf(inherited), one)
      const other = yield* projectIn(story, "Dois")
      assert.isUndefined(projectOf(yield* withdraw(story, {})))
      const named = yield* withdraw(story, {}, { projectId: other.toUpperCase() })
      assert.strictEqual(projectOf(named), other)
      const transaction = yield* story.transaction(named.json.id)
      assert.strictEqual(transaction.projectId, other)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not one of another account", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const stranger = yield* journey()
      yield* story.fund(100)
      const foreign = yield* withdraw(story, {}, { projectId: yield* projectIn(stranger, "Um") })
      assert.strictEqual(foreign.status, 404)
      assert.strictEqual(codeOf(foreign), "PROJECT_NOT_FOUND")
    }).pipe(Effect.provide(world))
  )
})

describe("what a balance block claims", () => {
  it.effect("is not there to be withdrawn", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const storage = yield* Storage
      const ids = yield* Ids
      yield* storage.commit({
        at: yield* DateTime.now,
        ...aClaim(yield* ids.next<BlockId>(), {
          wallet: story.shop.id,
          amount: Centavos.make(4_000n)
        })
      })
      const refused = yield* withdraw(story, {}, { amount: 60.01 })
      assert.strictEqual(codeOf(refused), "INSUFFICIENT_BALANCE")
      assert.strictEqual((yield* withdraw(story, {}, { amount: 60 })).status, 201)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
