import { assert, describe, it } from "@effect/vitest"
import { aClaim, aHolder } from "../world/Claims.test-data.ts"
import { journey, TestPagora } from "@pagora/testkit"
import type { Journey, RefundReceipt, WithId } from "@pagora/testkit"
import { Effect } from "effect"
import { Centavos } from "../../src/kernel/Money.ts"
import type { TenantAnswers } from "../../src/app/RouteAnswers.ts"
import type { BlockId, LedgerTxId, WithdrawalId } from "../../src/kernel/Ids.ts"
import * as TxId from "../../src/kernel/TxId.ts"
import { available, held } from "../../src/ledger/LedgerAccount.ts"
import { credit, post, spend } from "../../src/ledger/LedgerTx.ts"
import { Ids } from "../../src/time/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { bankThat, returnsOf, subAccountOf, sumOf } from "../returns/Returns.test-data.ts"
import { codeOf, existing, random, world } from "../world/ServiceWorld.test-data.ts"

const paid = Effect.fnUntraced(function* (
  story: Journey,
  body: Readonly<Record<string, unknown>> = {}
) {
  const charge = yield* story.charge(body)
  yield* story.pay(charge, { payerName: "Ana Beatriz", payerDocument: "52998224725" })
  return charge
})

/** The refund's id as a transaction, from its receipt. */
const idOf = (receipt: RefundReceipt): string => {
  const id = TxId.toUuid(TxId.TxId.make(receipt.pspRefundTransactionId))
  return "success" in id ? id.success : "?"
}

const withoutTimes = ({
  createdAt: _,
  updatedAt: __,
  ...rest
}: TenantAnswers["GET /transactions/:id"]) => rest

const settle = Effect.fnUntraced(function* (
  receipt: Pick<RefundReceipt, "pspRefundTransactionId">,
  body: unknown
) {
  const { sandbox } = yield* TestPagora
  return yield* sandbox("POST", `/refunds/${receipt.pspRefundTransactionId}/settle`, {
    body
  })
})

describe("a refund", () => {
  it.effect("goes from pending to completed, with its end-to-end id then", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story, { externalReference: "pedido-7" })
      const receipt = yield* story.refund(charge, { reason: "Arrependimento" })
      const id = idOf(receipt)
      const pending = {
        id,
        status: "pending",
        type: "refund",
        paymentMethod: "pix",
        amount: 10,
        currency: "BRL",
        description: "Arrependimento",
        counterpartName: "Ana Beatriz",
        counterpartDocument: "52998224725"
      }
      assert.deepStrictEqual<unknown>(withoutTimes(yield* story.transaction(id)), pending)
      yield* story.drain
      assert.deepStrictEqual<unknown>(withoutTimes(yield* story.transaction(id)), pending)
      assert.strictEqual((yield* story.figures).held, 1_000)

      const settled = yield* story.settleRefund(receipt, "confirmed")
      assert.deepStrictEqual<unknown>(settled, { ...receipt, status: "CONFIRMED" })
      const completed = yield* story.transaction(id)
      const { e2eId, ...rest } = withoutTimes(completed)
      assert.deepStrictEqual<unknown>(rest, { ...pending, status: "completed" })
      assert.match(String(e2eId), /^D/)
      // The caller's own reference still names the payment.
      assert.strictEqual((yield* story.transaction("pedido-7")).type, "payment")
      assert.strictEqual((yield* story.figures).total, 0)
      assert.strictEqual(yield* sumOf(story.shop.id, "psp_clearing"), 0n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "stands in the list of transactions, with what is on its way back and nothing else",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* paid(story)
        yield* story.pay(yield* story.charge(), { amount: 3 })
        const receipt = yield* story.refund(charge)
        const list = (query = "") =>
          Effect.map(story.shop.call("GET", `/transactions${query}`), ({ json }) => json.data)
        const shape = (rows: TenantAnswers["GET /transactions"]["data"]) =>
          rows.map(({ blockedDeposit, status, type }) => [
            type,
            status,
            ...(blockedDeposit === undefined ? [] : [blockedDeposit.refund?.status])
          ])
        assert.deepStrictEqual(shape(yield* list()), [
          ["refund", "pending"],
          ["payment", "failed", "pending"],
          ["payment", "pending"],
          ["payment", "completed"]
        ])
        yield* story.settleRefund(receipt, "confirmed")
        yield* story.advance("1 second")
        assert.deepStrictEqual(shape(yield* list()), [
          ["refund", "completed"],
          ["payment", "failed", "confirmed"],
          ["payment", "pending"],
          ["payment", "completed"]
        ])
        const refunds = yield* list("?type=refund&status=completed")
        assert.deepStrictEqual<unknown>(refunds, [yield* story.transaction(idOf(receipt))])
        assert.deepStrictEqual(yield* list("?type=refund&status=pending"), [])
      }).pipe(Effect.provide(world))
  )

  it.effect("that fails says so, gives everything back, and can be asked for again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint({ events: ["refund_completed"] })
      const charge = yield* paid(story)
      const receipt = yield* story.refund(charge)
      const settled = yield* story.settleRefund(receipt, "error")
      assert.strictEqual(settled.status, "ERROR")
      const failed = yield* story.transaction(idOf(receipt))
      assert.strictEqual(failed.status, "failed")
      assert.strictEqual(failed.failureReason, "REFUSED_BY_PAYER_BANK")
      assert.isUndefined(failed.e2eId)
      assert.strictEqual((yield* story.figures).available, 1_000)
      const next = yield* story.refund(charge)
      yield* story.settleRefund(next, "confirmed")
      yield* story.drain
      assert.deepStrictEqual(
        (yield* story.events()).map(({ eventId }) => eventId),
        [idOf(next)]
      )
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("reports refund_completed with the full amount as net, and the fee beside it", () =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { refund: { fixed: Centavos.make(30n) } } })
      yield* story.endpoint({ events: ["refund_completed"] })
      yield* story.adjust({ amount: 1, reason: "Saldo" })
      const metadata = { pedido: "7", itens: [1, 2] }
      const charge = yield* paid(story, { externalReference: "pedido-7", metadata })
      const receipt = yield* story.refund(charge, { reason: "Troca" })
      yield* story.settleRefund(receipt, "confirmed")
      yield* story.drain
      const [event, ...others] = yield* story.events()
      assert.deepStrictEqual(others, [])
      const payment = yield* story.transaction(charge.id)
      const { completedAt, returnId, ...data } = event?.data ?? {}
      assert.deepStrictEqual<unknown>(data, {
        transactionId: idOf(receipt),
        originalTransactionId: charge.id,
        environment: "sandbox",
        amount: 10,
        feeAmount: 0.3,
        netAmount: 10,
        currency: "BRL",
        paymentMethod: "pix",
        status: "completed",
        reason: "Troca",
        externalReference: "pedido-7",
        e2eId: payment.e2eId,
        counterpartName: "Ana Beatriz",
        counterpartDocument: "52998224725",
        metadata
      })
      const { e2eId, updatedAt } = yield* story.transaction(idOf(receipt))
      assert.strictEqual(returnId, e2eId)
      assert.strictEqual(completedAt, updatedAt)
      const { event: type, eventId, subAccount } = event ?? {}
      assert.deepStrictEqual<unknown>(
        { type, eventId, subAccount },
        { type: "refund_completed", eventId: idOf(receipt), subAccount: null }
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is settled when its PSP gives notice, and by asking where the notice is lost", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { settleRefund } = yield* SandboxPsp
      const told = yield* story.refund(yield* paid(story))
      const untold = yield* story.refund(yield* paid(story))
      yield* story.drain
      yield* Effect.orDie(settleRefund(told.pspRefundTransactionId, "confirmed"))
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      yield* Effect.orDie(settleRefund(untold.pspRefundTransactionId, "error"))
      yield* story.drain
      const statusOf = (receipt: RefundReceipt) =>
        Effect.map(story.transaction(idOf(receipt)), ({ status }) => status)
      assert.strictEqual(yield* statusOf(told), "completed")
      assert.strictEqual(yield* statusOf(untold), "pending")
      yield* story.advance("5 minutes")
      assert.strictEqual(yield* statusOf(untold), "failed")
      assert.strictEqual((yield* story.figures).total, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "races with other spending for what balance blocks leave free, and never takes more",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const storage = yield* Storage
        const ids = yield* Ids
        const account = story.shop.id
        const charges = yield* Effect.replicateEffect(paid(story), 10)
        const at = yield* Effect.flatMap(ServiceTime, ({ now }) => now)
        const lien = 3_500n as Centavos
        yield* storage.commit({
          at,
          ...aClaim(yield* ids.next<BlockId>(), { wallet: account, amount: lien })
        })
        const spending = Effect.gen(function* () {
          const amount = 1_000n as Centavos
          const source = yield* ids.next<WithdrawalId>()
          const tx = post({
            id: yield* ids.next<LedgerTxId>(),
            kind: "hold",
            account,
            wallet: account,
            source,
            leg: 0,
            amount,
            document: null,
            postings: [spend(available(account), amount), credit(held(account), amount)]
          })
          const holder = aHolder(source, { wallet: account, amount }, at)
          return yield* storage.commit({ at, ...holder, ledger: [tx] }).pipe(
            Effect.as(true),
            Effect.catchTag("InsufficientFunds", () => Effect.succeed(false))
          )
        })
        const refunding = (charge: WithId) =>
          Effect.map(
            story.shop.call("POST", `/transactions/${charge.id}/refund`),
            ({ status }) => status === 201
          )
        const done = yield* Effect.all(
          charges.flatMap((charge) => [refunding(charge), spending]),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(done.filter(Boolean).length, 6)
        const wallet = yield* storage.wallet(account)
        assert.deepStrictEqual(
          { available: wallet?.available, held: wallet?.held },
          { available: 4_000n as Centavos, held: 6_000n as Centavos }
        )
        yield* story.audit
      }).pipe(Effect.orDie, Effect.provide(world))
  )

  it.effect("of a sub-account's payment is the sub-account's event", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* story.endpoint({ events: ["refund_completed"] })
      const headers = yield* subAccountOf(story.shop.id, "loja-1")
      const { json: charge } = yield* story.shop.call("POST", "/pix", {
        headers,
        body: { amount: 10 }
      })
      yield* story.pay(charge)
      const path = `/transactions/${charge.id}/refund` as const
      const { json: receipt } = yield* story.shop.call("POST", path, { headers })
      yield* story.settleRefund(receipt, "confirmed")
      yield* story.drain
      const [event] = yield* story.events()
      assert.strictEqual(event?.subAccount, "loja-1")
      const find = (options: object) =>
        story.shop.call("GET", `/transactions/${idOf(receipt)}`, options)
      assert.strictEqual((yield* find({ headers })).status, 200)
      assert.strictEqual((yield* find({})).status, 404)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("the fee of a refund", () => {
  it.effect("is debited beside the amount and shows as a transaction of its own", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.change({ fees: { payment: { percent: 1 }, refund: { fixed: 0.4, percent: 1 } } })
      yield* story.adjust({ amount: 5, reason: "Saldo" })
      const charge = yield* paid(story)
      const receipt = yield* story.refund(charge)
      assert.deepStrictEqual(yield* story.figures, {
        available: 440,
        held: 1_050,
        promotional: 0,
        total: 1_490
      })
      yield* story.settleRefund(receipt, "confirmed")
      // The fee of the payment, ten centavos, is not given back.
      assert.strictEqual((yield* story.figures).total, 440)
      assert.strictEqual(yield* sumOf(story.shop.id, "fee_revenue"), 60n)
      const storage = yield* Storage
      const account = story.shop.id
      const movements = yield* Effect.orDie(
        storage.movements({ account, order: "desc", limit: 10 })
      )
      const fees = movements.filter(({ kind }) => kind === "fee")
      const shown = yield* Effect.forEach(fees, ({ id }) => story.transaction(id))
      assert.deepStrictEqual<unknown>(
        shown.map(({ amount, status, type }) => ({ amount, status, type })),
        [
          { amount: 0.5, status: "completed", type: "fee" },
          { amount: 0.1, status: "completed", type: "fee" }
        ]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is the one of the moment of the request", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.adjust({ amount: 5, reason: "Saldo" })
      yield* story.change({ fees: { refund: { fixed: 1 } } })
      const receipt = yield* story.refund(yield* paid(story))
      yield* story.change({ fees: { refund: { fixed: 4 } } })
      yield* story.settleRefund(receipt, "confirmed")
      assert.strictEqual((yield* story.figures).total, 400)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    { gift: 0.2, left: 0, available: 450, name: "a part of it" },
    { gift: 2, left: 130, available: 500, name: "all of it" }
  ])("is paid by promotional balance first: $name", ({ available, gift, left }) =>
    Effect.gen(function* () {
      const story = yield* journey({ fees: { refund: { fixed: Centavos.make(70n) } } })
      yield* story.adjust({ amount: 5, reason: "Saldo" })
      const charge = yield* paid(story)
      yield* story.adjust({ amount: gift, bucket: "promotional", reason: "Brinde" })
      const before = yield* story.figures
      const first = yield* story.refund(charge)
      assert.deepStrictEqual(yield* story.figures, {
        available,
        held: 1_070,
        promotional: left,
        total: before.total
      })
      yield* story.settleRefund(first, "error")
      assert.deepStrictEqual(yield* story.figures, before)
      const second = yield* story.refund(charge)
      yield* story.settleRefund(second, "confirmed")
      assert.deepStrictEqual(yield* story.figures, {
        available,
        held: 0,
        promotional: left,
        total: available + left
      })
      assert.strictEqual(yield* sumOf(story.shop.id, "fee_revenue"), 70n)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "leaves as much promotional balance as there is, where many refunds want it at once",
    () =>
      Effect.gen(function* () {
        const story = yield* journey({ fees: { refund: { fixed: Centavos.make(30n) } } })
        const charges = yield* Effect.replicateEffect(paid(story), 10)
        yield* story.adjust({ amount: 5, reason: "Saldo" })
        yield* story.adjust({ amount: 1, bucket: "promotional", reason: "Brinde" })
        yield* Effect.forEach(charges, (charge) => story.refund(charge), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(yield* story.figures, {
          available: 300,
          held: 10_300,
          promotional: 0,
          total: 10_600
        })
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

describe("POST /refunds/{pspRefundTransactionId}/settle of the sandbox", () => {
  it.effect("works as soon as the refund was accepted, and answers after it is booked", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      for (const [outcome, status] of [
        ["confirmed", "completed"],
        ["error", "failed"]
      ] as const) {
        const receipt = yield* story.refund(yield* paid(story))
        yield* story.settleRefund(receipt, outcome)
        assert.strictEqual((yield* story.transaction(idOf(receipt))).status, status)
      }
      assert.strictEqual((yield* story.figures).total, 1_000)
    }).pipe(Effect.provide(world))
  )

  it.effect("finds a way through faults that end", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const receipt = yield* story.refund(yield* paid(story))
      yield* story.faults(
        { operation: "refund", kind: "dropRequest", times: 2 },
        { operation: "refund", kind: "dropAnswer", times: 1 },
        { operation: "findRefund", kind: "dropAnswer", times: 3 },
        { operation: "notify", kind: "dropRequest" }
      )
      const settled = yield* story.settleRefund(receipt, "confirmed")
      assert.strictEqual(settled.status, "CONFIRMED")
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("settles the same way again, and no other way", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const receipt = yield* story.refund(yield* paid(story))
      yield* story.settleRefund(receipt, "confirmed")
      yield* story.settleRefund(receipt, "confirmed")
      const other = yield* settle(receipt, { outcome: "error" })
      assert.strictEqual(other.status, 409)
      assert.strictEqual(codeOf(other), "CANNOT_SETTLE")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses what it does not know", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const receipt = yield* story.refund(yield* paid(story))
      assert.strictEqual((yield* settle(receipt, { outcome: "maybe" })).status, 400)
      assert.strictEqual((yield* settle(receipt, {})).status, 400)
      const body = { outcome: "confirmed" }
      yield* story.pay(yield* story.charge(), { amount: 3 })
      const deposit = existing((yield* returnsOf(story.shop.id)).at(-1))
      const unknown = [random.uuid.replaceAll("-", ""), "nothing", deposit.reference]
      for (const pspRefundTransactionId of unknown) {
        const answer = yield* settle({ pspRefundTransactionId }, body)
        assert.strictEqual(answer.status, 404, pspRefundTransactionId)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("says so while the PSP does not take the refund", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* bankThat(Array.from({ length: 40 }, () => "is not reached" as const))
      const receipt = yield* story.refund(yield* paid(story))
      const answer = yield* settle(receipt, { outcome: "confirmed" })
      assert.strictEqual(answer.status, 409)
      assert.strictEqual((yield* story.figures).held, 1_000)
    }).pipe(Effect.provide(world))
  )
})
