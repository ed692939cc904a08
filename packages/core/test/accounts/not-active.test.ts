import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey, WithId } from "@pagora/testkit"
import { expecting, journey } from "@pagora/testkit"
import { Effect, Result } from "effect"
import { Accounts } from "../../src/accounts/Accounts.ts"
import { Charges } from "../../src/charges/Charges.ts"
import type { Uuid } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import * as PixKey from "../../src/kernel/PixKey.ts"
import { Refunds } from "../../src/refunds/Refunds.ts"
import { Withdrawals } from "../../src/withdrawals/Withdrawals.ts"
import { operate } from "../reviews/Reviews.test-data.ts"
import { world, Written } from "../world/ServiceWorld.test-data.ts"
import { as, changeSubAccount, openSubAccount } from "../sub-accounts/SubAccountWorld.test-data.ts"

/** What an answer says, without what differs every time. */
const said = ({ json, status }: Answer): unknown => ({
  status,
  message: json.message,
  details: json.details
})

const refused = (status: number, message: string, details: object) => ({ status, message, details })

type Request = readonly [method: string, path: string, body?: Readonly<Record<string, unknown>>]

const withdrawal = { amount: 1, pixKey: "ana@example.com", pixKeyType: "email" }

/** Everything that an owner can begin; one of it gives back a payment. */
const beginnings = (paid: WithId): ReadonlyArray<Request> => [
  ["POST", "/pix", { amount: 1 }],
  ["POST", "/withdrawals", withdrawal],
  ["POST", `/transactions/${paid.id}/refund`],
  ["POST", "/internal-transfers", { from: "loja", to: "principal", amount: 1 }]
]

/** A shop with the sub-account `loja`; both were paid 10.00 once, and hold nothing any more. */
const paidShop = Effect.gen(function* () {
  const story = yield* journey({ subAccountAccess: true })
  yield* openSubAccount(story, "loja")
  const charges = { main: yield* story.charge(), loja: yield* as(story, "loja").charge() }
  yield* story.pay(charges.main)
  yield* story.pay(charges.loja)
  yield* story.adjust({ amount: -10, reason: "spent" })
  yield* story.adjust({ amount: -10, subAccount: "loja", reason: "spent" })
  return { ...story, paid: charges }
})

/** While it is closing, what is open in it has not come to its end yet. */
const statusOf = (state: string) => (state === "closing" ? "closed" : state)

const unwritten = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { units } = yield* Written
    const before = units.length
    yield* effect
    assert.strictEqual(units.length, before)
  })

describe("an account that is not active", () => {
  const messages: Readonly<Record<string, string>> = {
    pending: "This account is pending: it starts nothing until the operator approves it.",
    rejected: "This account is rejected: it starts nothing until the operator approves it.",
    suspended: "This account is suspended: it starts nothing until the operator approves it.",
    closed: "This account is closed for ever. Open another one."
  }

  it.effect.each(["pending", "rejected", "suspended", "closing", "closed"])(
    "that is %s begins nothing, and is told why in the same words everywhere",
    (state) =>
      Effect.gen(function* () {
        const story = yield* paidShop
        const id = story.shop.id
        const status = statusOf(state)
        if (status === "closed") yield* changeSubAccount(story, "loja", { status })
        yield* story.charge()
        yield* story.change({ status })
        if (state !== "closing") yield* story.drain
        const message = messages[status] ?? ""
        const details = { code: "ACCOUNT_NOT_ACTIVE", resource: "account", id, status }
        const opening: Request = ["POST", "/sub-accounts", { reference: "nova", name: "Nova" }]
        yield* unwritten(
          Effect.forEach([...beginnings(story.paid.main), opening], ([method, path, body]) =>
            Effect.gen(function* () {
              const answer = yield* story.shop.call(method, path, { body })
              assert.deepStrictEqual(said(answer), refused(403, message, details), path)
            })
          )
        )
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["closing", "closed"])(
    "that is %s is not changed by the operator, and gets no money",
    (state) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const id = story.shop.id
        yield* story.charge()
        yield* story.change({ status: "closed" })
        if (state === "closed") yield* story.drain
        const details = {
          code: "ACCOUNT_CLOSED",
          resource: "account",
          field: "status",
          value: id,
          status: "closed"
        }
        const requests: ReadonlyArray<Request> = [
          ["PATCH", "", { fees: {} }],
          ["POST", "/adjustments", { amount: 1, reason: "x" }],
          ["POST", "/referral-commissions", { amount: 1 }]
        ]
        yield* unwritten(
          Effect.forEach(requests, ([method, path, body]) =>
            Effect.gen(function* () {
              const answer = yield* operate(method, `/accounts/${id}${path}`, body)
              const message = "This account is closed for ever. Open another one."
              assert.deepStrictEqual(said(answer), refused(409, message, details), path)
            })
          )
        )
      }).pipe(Effect.provide(world))
  )
})

describe("a sub-account that is not active", () => {
  const messages: Readonly<Record<string, string>> = {
    suspended:
      "The sub-account loja is suspended: it starts nothing until the operator approves it again.",
    closed: "The sub-account loja is closed for ever. Use another one."
  }
  const becoming = Effect.fnUntraced(function* (story: Journey, state: string) {
    yield* as(story, "loja").charge()
    yield* changeSubAccount(story, "loja", { status: statusOf(state) })
    if (state !== "closing") yield* story.drain
  })
  const detailsOf = (status: string) => ({
    code: "SUB_ACCOUNT_SUSPENDED",
    resource: "sub-account",
    id: "loja",
    status
  })

  it.effect.each(["suspended", "closing", "closed"])(
    "that is %s does nothing for whoever acts as it",
    (state) =>
      Effect.gen(function* () {
        const story = yield* paidShop
        yield* becoming(story, state)
        const status = statusOf(state)
        const reads: ReadonlyArray<Request> = [
          ["GET", "/account"],
          ["GET", "/transactions"],
          ["POST", "/projects", { name: "x" }]
        ]
        yield* unwritten(
          Effect.forEach([...beginnings(story.paid.loja), ...reads], ([method, path, body]) =>
            Effect.gen(function* () {
              const answer = yield* as(story, "loja").call(method, path, body)
              const expected = refused(403, messages[status] ?? "", detailsOf(status))
              assert.deepStrictEqual(said(answer), expected, path)
            })
          )
        )
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["suspended", "closing", "closed"])(
    "that is %s is named with its field by whoever wants to move money with it",
    (state) =>
      Effect.gen(function* () {
        const story = yield* paidShop
        yield* openSubAccount(story, "outra")
        yield* story.fund(10)
        yield* becoming(story, state)
        const status = statusOf(state)
        const requests: ReadonlyArray<readonly [field: string, path: string, body: object]> = [
          ["split", "/pix", { amount: 10, split: [{ subAccount: "loja", amount: 1 }] }],
          ["from", "/internal-transfers", { from: "loja", to: "outra", amount: 1 }],
          ["to", "/internal-transfers", { to: "loja", amount: 1 }]
        ]
        for (const [field, path, body] of requests) {
          const answer = yield* story.shop.call("POST", path, { body })
          // Who is suspended still receives.
          if (field === "to" && status === "suspended") assert.strictEqual(answer.status, 201)
          else {
            const message = `${field}: ${(messages[status] ?? "").replace("The", "the")}`
            const details = { ...detailsOf(status), field }
            assert.deepStrictEqual(said(answer), refused(403, message, details), path)
          }
        }
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["closing", "closed"])(
    "that is %s is not changed by the operator, and gets no money",
    (state) =>
      Effect.gen(function* () {
        const story = yield* paidShop
        yield* becoming(story, state)
        const details = {
          code: "SUB_ACCOUNT_CLOSED",
          resource: "sub-account",
          field: "reference",
          value: "loja",
          status: "closed"
        }
        const requests: ReadonlyArray<Request> = [
          ["PATCH", "/sub-accounts/loja", { status: "approved" }],
          ["POST", "/adjustments", { amount: 1, subAccount: "loja", reason: "x" }],
          ["POST", "/adjustments", { amount: -1, subAccount: "loja", reason: "x" }],
          ["POST", "/referral-commissions", { amount: 1, subAccount: "loja" }]
        ]
        yield* unwritten(
          Effect.forEach(requests, ([method, path, body]) =>
            Effect.gen(function* () {
              const answer = yield* operate(method, `/accounts/${story.shop.id}${path}`, body)
              const expected = refused(409, messages["closed"] ?? "", details)
              assert.deepStrictEqual(said(answer), expected, path)
            })
          )
        )
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["suspended", "closed"] as const)(
    "that is %s since a request was let in is told by every service alike",
    (status) =>
      Effect.gen(function* () {
        const story = yield* paidShop
        const accounts = yield* Accounts
        const charges = yield* Charges
        const refunds = yield* Refunds
        const withdrawals = yield* Withdrawals
        const account = yield* accounts.find(story.shop.id as Uuid)
        const acting = yield* accounts.acting(account, "loja")
        yield* changeSubAccount(story, "loja", { status })
        const paid = story.paid.loja.id
        const amount = 1_00n as Centavos
        const pixKey = Result.getOrThrow(PixKey.parse("email", "ana@example.com"))
        for (const begun of [
          charges.create(acting, { amount }),
          refunds.request(acting, { transaction: paid }),
          withdrawals.create(acting, { pixKey, asked: { amount } })
        ]) {
          const told = yield* Effect.flip<unknown, { readonly _tag: string }, never>(begun)
          const expected = { _tag: "NotActive", resource: "sub-account", name: "loja", status }
          assert.deepInclude(told, expected)
        }
      }).pipe(Effect.provide(world))
  )
})

describe("a sub-account that was suspended", () => {
  it.effect("begins again what it wants once it is approved", () =>
    Effect.gen(function* () {
      const story = yield* paidShop
      yield* changeSubAccount(story, "loja", { status: "suspended" })
      yield* changeSubAccount(story, "loja", { status: "approved" })
      yield* Effect.flatMap(as(story, "loja").call("POST", "/pix", { amount: 1 }), expecting(201))
    }).pipe(Effect.provide(world))
  )
})
