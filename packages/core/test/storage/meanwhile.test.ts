import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { expecting, hookUrl, journey } from "@pagora/testkit"
import { Effect } from "effect"
import type { AccountId } from "../../src/kernel/Ids.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { ReturnKind } from "../../src/returns/Return.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { subscriptionsId } from "../../src/subscribers/Subscription.ts"
import { block } from "../blocks/BalanceBlocks.test-data.ts"
import { decideReturn } from "../psp-reports/Infractions.test-data.ts"
import { operate } from "../reviews/Reviews.test-data.ts"
import {
  as,
  changeSubAccount,
  openSubAccount,
  patchSubAccount
} from "../sub-accounts/SubAccountWorld.test-data.ts"
import { booking, changing, delivering, making, twoProcesses } from "./Meanwhile.test-data.ts"

/** A shop that was paid, and its sub-account `loja` that was, too. */
const shopWithBranch = Effect.gen(function* () {
  const story = yield* journey({ subAccountAccess: true })
  yield* openSubAccount(story, "loja")
  const branch = as(story, "loja")
  const paid = { main: yield* story.charge(), loja: yield* branch.charge() }
  yield* story.pay(paid.main)
  yield* story.pay(paid.loja)
  return { ...story, branch, paid }
})
type Shop = Effect.Success<typeof shopWithBranch>

/** A shop with nothing, and its sub-account `loja` with nothing: both can be closed. */
const emptyShop = Effect.gen(function* () {
  const story = yield* journey({ subAccountAccess: true })
  yield* openSubAccount(story, "loja")
  return story
})

const suspension = ({ shop }: Journey) =>
  operate("PATCH", `/accounts/${shop.id}`, { status: "suspended" })

const closing = ({ shop }: Journey) =>
  Effect.andThen(
    operate("PATCH", `/accounts/${shop.id}/sub-accounts/loja`, { status: "closed" }),
    operate("PATCH", `/accounts/${shop.id}`, { status: "closed" })
  )

/** What `loja` was paid goes to the main wallet. */
const moveOut = ({ shop }: Journey) =>
  Effect.flatMap(
    shop.call("POST", "/internal-transfers", {
      body: { from: "loja", to: "principal", amount: 10 }
    }),
    expecting(201)
  )

const withdrawal = { amount: 1, pixKey: "ana@example.com", pixKeyType: "email" }
const toBranch = { from: "principal", to: "loja", amount: 1 }
const fromBranch = { from: "loja", to: "principal", amount: 1 }

/** What an owner begins, and the write of it. */
const beginnings = {
  withdrawal: {
    isAt: making("withdrawal"),
    main: ({ shop }: Shop) => shop.call("POST", "/withdrawals", { body: withdrawal }),
    branch: ({ branch }: Shop) => branch.call("POST", "/withdrawals", withdrawal)
  },
  refund: {
    isAt: making("return"),
    main: ({ paid, shop }: Shop) => shop.call("POST", `/transactions/${paid.main.id}/refund`),
    branch: ({ branch, paid }: Shop) => branch.call("POST", `/transactions/${paid.loja.id}/refund`)
  },
  transfer: {
    isAt: booking("internal_transfer"),
    main: ({ shop }: Shop) => shop.call("POST", "/internal-transfers", { body: toBranch }),
    branch: ({ shop }: Shop) => shop.call("POST", "/internal-transfers", { body: fromBranch })
  }
} as const
const names = ["withdrawal", "refund", "transfer"] as const

describe("what another process changes while a request is about to write", () => {
  it.effect.each(names)("a suspension of the account: the %s does not begin", (name) => {
    const { meanwhile, refused, service } = twoProcesses()
    return Effect.gen(function* () {
      const story = yield* shopWithBranch
      const before = yield* story.figures
      const { isAt, main } = beginnings[name]
      yield* meanwhile(isAt, suspension(story))
      const answer = yield* main(story)
      assert.deepStrictEqual(refused, ["StaleVersion"])
      assert.strictEqual(answer.status, 403, answer.text)
      assert.strictEqual(answer.json.details?.code, "ACCOUNT_NOT_ACTIVE")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect.each(names)("a suspension of the sub-account: its %s does not begin", (name) => {
    const { meanwhile, refused, service } = twoProcesses()
    return Effect.gen(function* () {
      const story = yield* shopWithBranch
      const { branch, isAt } = beginnings[name]
      yield* meanwhile(isAt, patchSubAccount(story, "loja", { status: "suspended" }))
      const answer = yield* branch(story)
      assert.deepStrictEqual(refused, ["StaleVersion"])
      assert.strictEqual(answer.status, 403, answer.text)
      assert.strictEqual(answer.json.details?.code, "SUB_ACCOUNT_SUSPENDED")
      yield* changeSubAccount(story, "loja", { status: "approved" })
      assert.strictEqual(yield* story.branch.available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect.each([
    ["adjustments", { amount: 1, reason: "a gift" }],
    ["adjustments", { amount: 1, reason: "a gift", subAccount: "loja" }],
    ["referral-commissions", { amount: 1 }],
    ["referral-commissions", { amount: 1, subAccount: "loja" }]
  ] as const)("a closing: of /%s %j nothing comes to what is closed", ([path, body]) => {
    const { meanwhile, refused, service } = twoProcesses()
    return Effect.gen(function* () {
      const story = yield* emptyShop
      const isOfBranch = "subAccount" in body
      yield* meanwhile(
        booking(path === "adjustments" ? "adjustment" : "referral_commission"),
        isOfBranch ? patchSubAccount(story, "loja", { status: "closed" }) : closing(story)
      )
      const answer = yield* operate("POST", `/accounts/${story.shop.id}/${path}`, body)
      assert.deepStrictEqual(refused, ["StaleVersion"])
      assert.strictEqual(answer.status, 409, answer.text)
      const code = isOfBranch ? "SUB_ACCOUNT_CLOSED" : "ACCOUNT_CLOSED"
      assert.strictEqual(answer.json.details?.code, code)
      assert.strictEqual((yield* story.operatorBalances).total?.amount, 0)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect(
    "a closing of the sub-account: a block of its payment claims of the main wallet",
    () => {
      const { meanwhile, refused, service } = twoProcesses()
      return Effect.gen(function* () {
        const story = yield* shopWithBranch
        yield* moveOut(story)
        const before = yield* story.figures
        yield* meanwhile(
          making("balance_block"),
          patchSubAccount(story, "loja", { status: "closed" })
        )
        yield* block(story, story.paid.loja)
        assert.deepStrictEqual(refused, ["StaleVersion"])
        assert.strictEqual((yield* story.figures).held, before.held + 1_000)
        yield* story.audit
      }).pipe(Effect.provide(service))
    }
  )

  it.effect("the refund that failed: what follows of it is decided anew", () => {
    const { meanwhile, refused, service, touch } = twoProcesses()
    return Effect.gen(function* () {
      const story = yield* shopWithBranch
      const { main, loja } = story.paid
      const refunding = (charge: WithId) => `/transactions/${charge.id}/refund` as const
      for (const [asked, next, isAt] of [
        [story.shop.call("POST", refunding(main)), story.refund(main), making("return")],
        [story.branch.call("POST", refunding(loja)), block(story, loja), making("balance_block")]
      ] as const) {
        const receipt = yield* Effect.flatMap(asked, expecting(201))
        yield* story.drain
        yield* story.settleRefund(receipt, "error")
        const { list } = yield* Storage
        const account = story.shop.id as AccountId
        const [failed] = yield* list(ReturnKind, { account, order: "desc", limit: 1 })
        assert.strictEqual(failed?.value.status, "failed")
        yield* meanwhile(isAt, touch(String(failed?.value.id)))
        yield* next
      }
      assert.deepStrictEqual(refused, ["StaleVersion", "StaleVersion"])
      yield* story.audit
    }).pipe(Effect.provide(service))
  })

  it.effect("the removal of an endpoint: nothing is put in line for it any more", () => {
    const { meanwhile, refused, service } = twoProcesses()
    return Effect.gen(function* () {
      const story = yield* shopWithBranch
      for (const begun of ["resend", "test"]) {
        const endpoint = yield* story.endpoint({ url: `https://${begun}.example.com/hook` })
        const at = `/accounts/${story.shop.id}/webhook-endpoints/${endpoint.id}` as const
        yield* Effect.flatMap(operate("POST", `${at}/test`), expecting(201))
        yield* story.drain
        const [delivery] = yield* story.deliveriesBy(`?endpoint=${endpoint.id}`)
        yield* meanwhile(delivering, operate("DELETE", at))
        const answer = yield* begun === "test"
          ? operate("POST", `${at}/test`)
          : operate("POST", `/deliveries/${String(delivery?.id)}/resend`)
        assert.strictEqual(answer.status, begun === "test" ? 404 : 409, answer.text)
      }
      assert.deepStrictEqual(refused, ["StaleVersion", "StaleVersion"])
      assert.deepStrictEqual(yield* story.deliveriesBy("?status=queued"), [])
    }).pipe(Effect.provide(service))
  })

  it.effect("another change of an endpoint: each is told with what the other one came to", () => {
    const { meanwhile, refused, service } = twoProcesses()
    return Effect.gen(function* () {
      const story = yield* shopWithBranch
      const { id } = yield* story.endpoint()
      const change = (body: object) =>
        operate("PATCH", `/accounts/${story.shop.id}/webhook-endpoints/${id}`, { ...body })
      const url = "https://other.example.com/hook"
      yield* meanwhile(changing("endpoint"), change({ events: ["payment_completed"] }))
      const moved = yield* change({ url })
      assert.deepInclude(moved.json, { url, events: ["payment_completed"] })

      yield* meanwhile(changing("routing_table"), change({ url: hookUrl }))
      const narrowed = yield* change({ events: ["payment_expired"] })
      assert.deepInclude(narrowed.json, { url: hookUrl, events: ["payment_expired"] })
      assert.deepStrictEqual(refused, ["StaleVersion", "StaleVersion"])
    }).pipe(Effect.provide(service))
  })

  it.effect(
    "a closing of the sub-account: the main wallet bears what a person charges to it",
    () => {
      const { meanwhile, refused, service } = twoProcesses()
      return Effect.gen(function* () {
        yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
        const story = yield* emptyShop
        const charge = yield* as(story, "loja").charge()
        const [endToEndId = ""] = yield* story.payAtBank(charge)
        yield* story.drain
        yield* moveOut(story)
        const { returnPayment } = yield* SandboxPsp
        yield* returnPayment(endToEndId)
        yield* story.drain
        const before = yield* story.figures
        yield* meanwhile(
          changing("psp_return"),
          changeSubAccount(story, "loja", { status: "closed" })
        )
        const decided = yield* decideReturn(story, "charged")
        assert.deepStrictEqual(refused, ["StaleVersion"])
        assert.strictEqual(decided.status, 200, decided.text)
        assert.strictEqual((yield* story.figures).total, before.total - 1_000)
        yield* story.audit
      }).pipe(Effect.provide(service))
    }
  )

  it.effect("who subscribes to events, and where events go: each is routed anew", () => {
    const { meanwhile, refused, service, touch } = twoProcesses()
    return Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* meanwhile(making("routing_table"), touch(story.shop.id))
      yield* story.pay(charge)
      assert.deepStrictEqual(refused, ["StaleVersion"])
      yield* meanwhile(booking("payment"), touch(subscriptionsId))
      yield* story.pay(yield* story.charge())
      assert.deepStrictEqual(refused, ["StaleVersion", "StaleVersion"])
      assert.strictEqual((yield* story.figures).available, 2_000)
      yield* story.audit
    }).pipe(Effect.provide(service))
  })
})
