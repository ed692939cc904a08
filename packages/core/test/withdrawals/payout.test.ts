import { assert, describe, it } from "@effect/vitest"
import type { WithId } from "@pagora/testkit"
import { TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { WithdrawalId } from "../../src/kernel/Ids.ts"
import { Centavos } from "../../src/kernel/Money.ts"
import { DiscrepancyKind } from "../../src/discrepancies/Discrepancy.ts"
import type { PspPayout } from "../../src/ports/Psp.ts"
import { done, PspOutcome } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { PayoutWorker } from "../../src/withdrawals/PayoutWorker.ts"
import { WithdrawalKind } from "../../src/withdrawals/Withdrawal.ts"
import { Withdrawals } from "../../src/withdrawals/Withdrawals.ts"
import {
  codeOf,
  existing,
  pspThat,
  random,
  txidOf,
  world
} from "../world/ServiceWorld.test-data.ts"
import {
  before,
  holding,
  paid,
  shop,
  statusOf,
  toldKinds,
  watched
} from "./WithdrawalStories.test-data.ts"

const discrepancies = Effect.flatMap(Storage, (storage) =>
  Effect.map(storage.list(DiscrepancyKind, { order: "asc", limit: 100 }), (found) =>
    found.map(({ value }) => value.reason)
  )
)

describe("a payout", () => {
  it.effect("is asked for once, and completes by the PSP's word", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      const made = yield* story.withdraw({
        holderName: "Ana",
        holderDocument: "12345678909",
        externalReference: "saque-1"
      })
      assert.deepStrictEqual(yield* story.figures, holding)
      yield* story.drain
      assert.strictEqual(yield* statusOf(story, made), "processing")
      assert.deepStrictEqual(sent as unknown, [
        {
          reference: txidOf(made.id),
          amount: 950n,
          pixKey: { type: "email", value: "ana@example.com" },
          holder: { name: "Ana", document: "12345678909" }
        }
      ])
      assert.deepStrictEqual(yield* story.figures, holding)
      const settled = yield* story.settleWithdrawal(made, "completed")
      assert.strictEqual(settled.status, "completed")
      assert.isString(settled.pspReference)
      assert.strictEqual(settled.processedAt, "2026-11-21T12:00:00.000Z")
      assert.deepStrictEqual(yield* story.figures, paid)

      yield* story.advance("1 day")
      assert.strictEqual(sent.length, 1)
      const [event, ...more] = yield* story.events()
      assert.deepStrictEqual(more, [])
      const { e2eId, pspReference, ...data } = event?.data ?? {}
      assert.match(String(e2eId), /^E99999999/)
      assert.strictEqual(pspReference, settled.pspReference)
      assert.strictEqual(event?.eventId, made.id)
      assert.deepStrictEqual(data as unknown, {
        withdrawalId: made.id,
        transactionId: made.id,
        environment: "sandbox",
        amount: 10,
        feeAmount: 0.5,
        netAmount: 9.5,
        currency: "BRL",
        paymentMethod: "pix",
        status: "completed",
        pixKey: "ana@example.com",
        pixKeyType: "email",
        holderName: "Ana",
        holderDocument: "12345678909",
        externalReference: "saque-1",
        counterpartName: "Ana",
        counterpartDocument: "12345678909",
        completedAt: "2026-11-21T12:00:00.000Z"
      })
      const transaction = yield* story.transaction(made.id)
      assert.strictEqual(transaction.status, "completed")
      assert.strictEqual(transaction.counterpartName, "Ana")
      assert.strictEqual(transaction.e2eId, e2eId)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("books the withdrawal and its fee apart, and the fee is a transaction of its own", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      const storage = yield* Storage
      const booked = yield* storage.movements({
        wallet: story.shop.id,
        order: "asc",
        limit: 100
      })
      const own = booked.filter(({ source }) => source === made.id)
      assert.deepStrictEqual(
        own.map(({ amount, kind }) => [kind, amount]),
        [
          ["hold", 1_000n],
          ["withdrawal", 950n],
          ["fee", 50n]
        ]
      )
      const fee = yield* story.transaction(existing(own[2]).id)
      assert.strictEqual(fee.type, "fee")
      assert.strictEqual(fee.amount, 0.5)
      const hidden = yield* story.shop.call("GET", `/transactions/${String(own[1]?.id)}`)
      assert.strictEqual(hidden.status, 404)
    }).pipe(Effect.provide(world))
  )

  it.effect("that is refused gives all back, and tells the amounts as accepted", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      const settled = yield* story.settleWithdrawal(made, "failed", "Conta encerrada.")
      assert.strictEqual(settled.status, "failed")
      assert.strictEqual(settled.failureReason, "REFUSED_BY_RECEIVER")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.drain
      const [event, ...more] = yield* story.events()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(event?.event, "withdrawal_failed")
      assert.strictEqual(event?.eventId, made.id)
      const { amount, failedAt, failureMessage, failureReason, feeAmount, netAmount, status } =
        event?.data ?? {}
      assert.deepStrictEqual(
        [amount, feeAmount, netAmount, status, failureReason, failureMessage, failedAt] as unknown,
        [
          10,
          0.5,
          9.5,
          "failed",
          "REFUSED_BY_RECEIVER",
          "Conta encerrada.",
          "2026-11-21T12:00:00.000Z"
        ]
      )
      const transaction = yield* story.transaction(made.id)
      assert.strictEqual(transaction.status, "failed")
      assert.strictEqual(transaction.failureReason, "REFUSED_BY_RECEIVER")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that comes back is reversed, gross and fee, and an adjustment records it", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      const settled = yield* story.settleWithdrawal(made, "reversed", "BE08")
      assert.strictEqual(settled.status, "reversed")
      assert.isNull(settled.failureReason)
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.drain
      const [, event, ...more] = yield* story.events()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(event?.event, "withdrawal_reversed")
      assert.strictEqual(event?.eventId, `withdrawal_reversed_${made.id}`)
      const { failureReason, returnId, reversedAmount, reversedAt, status } = event?.data ?? {}
      assert.match(String(returnId), /^D99999999/)
      assert.deepStrictEqual([status, failureReason, reversedAmount, reversedAt] as unknown, [
        "reversed",
        "BE08",
        10,
        "2026-11-21T12:00:00.000Z"
      ])
      assert.strictEqual((yield* story.transaction(made.id)).status, "completed")
      const storage = yield* Storage
      const wallet = story.shop.id
      const [last] = yield* storage.movements({ wallet, order: "desc", limit: 1 })
      const adjustment = yield* story.transaction(existing(last).id)
      assert.strictEqual(adjustment.type, "adjustment")
      assert.strictEqual(adjustment.amount, 10)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("paid and back before we asked is told as both, in order", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.drain
      yield* story.faults({ operation: "notify", kind: "dropRequest", times: 2 })
      yield* story.settleWithdrawal(made, "reversed")
      yield* story.drain
      assert.deepStrictEqual(yield* toldKinds(story), [
        "withdrawal_completed",
        "withdrawal_reversed"
      ])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("notified many times over is booked once", () =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* story.faults({ operation: "notify", kind: "duplicate", times: 5 })
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      yield* story.drain
      assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_completed"])
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("whose notices are all lost is asked about until it is known", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.drain
      const { findPayout } = yield* pspThat({})
      yield* pspThat({
        findPayout: (reference) =>
          Effect.map(findPayout(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done<PspPayout>({ ...outcome.value, status: "completed" })
              : outcome
          )
      })
      yield* story.advance("1 second")
      assert.strictEqual(yield* statusOf(story, made), "completed")
    }).pipe(Effect.provide(world))
  )

  it.effect("waits while the account may not pay", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      const made = yield* story.withdraw()
      yield* story.change({ status: "suspended" })
      yield* story.advance("1 hour")
      assert.strictEqual(sent.length, 0)
      yield* story.change({ status: "approved" })
      yield* story.advance("5 minutes")
      assert.strictEqual(sent.length, 1)
      assert.strictEqual(yield* statusOf(story, made), "processing")
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "that the PSP took not now is booked where it has paid it, though the account may not pay",
    () =>
      Effect.gen(function* () {
        const story = yield* shop
        const { sendPayout } = yield* pspThat({})
        const kept = PspOutcome.notNow("a request waits for a person", "15 minutes")
        yield* pspThat({ sendPayout: (asked) => Effect.as(sendPayout(asked), kept) })
        const made = yield* story.withdraw()
        yield* story.drain
        yield* story.change({ status: "suspended" })
        yield* story.settleWithdrawal(made, "completed")
        yield* story.advance("5 minutes")
        assert.strictEqual(yield* statusOf(story, made), "completed")
        assert.deepStrictEqual(yield* story.figures, paid)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

describe("a PSP that contradicts itself", () => {
  const saying = (status: PspPayout["status"]) =>
    Effect.gen(function* () {
      const { findPayout } = yield* pspThat({})
      yield* pspThat({
        findPayout: (reference) =>
          Effect.map(findPayout(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done<PspPayout>({ ...outcome.value, status })
              : outcome
          )
      })
    })

  /** The PSP tells of it once more, and we ask. */
  const noticed = (withdrawal: WithId) =>
    Effect.gen(function* () {
      const withdrawals = yield* Withdrawals
      const storage = yield* Storage
      const id = WithdrawalId.make(withdrawal.id)
      yield* withdrawals.lookNow(existing(yield* storage.find(WithdrawalKind, id)).value)
      yield* (yield* PayoutWorker).drain
    })

  it.effect.each([
    ["completed", "rejected", "completed_but_rejected", paid],
    ["failed", "completed", "failed_but_paid", before]
  ] as const)(
    "%s, and then %s: is recorded once, and nothing moves",
    ([outcome, said, reason, left]) =>
      Effect.gen(function* () {
        const story = yield* shop
        const made = yield* story.withdraw()
        yield* story.settleWithdrawal(made, outcome)
        yield* saying(said)
        for (let times = 0; times < 2; times++) yield* noticed(made)
        assert.deepStrictEqual(yield* discrepancies, [reason])
        assert.strictEqual(yield* statusOf(story, made), outcome)
        assert.deepStrictEqual(yield* story.figures, left)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

describe("a PSP that pays another amount", () => {
  it.effect("leaves it to the operator, and nothing moves before", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { operator } = yield* TestPagora
      const made = yield* story.withdraw()
      yield* story.drain
      const { findPayout } = yield* pspThat({})
      yield* pspThat({
        findPayout: (reference) =>
          Effect.map(findPayout(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done<PspPayout>({
                  ...outcome.value,
                  status: "completed",
                  amount: Centavos.make(951n)
                })
              : outcome
          )
      })
      yield* story.advance("1 minute")
      assert.deepStrictEqual(yield* discrepancies, ["amount_mismatch"])
      assert.strictEqual(yield* statusOf(story, made), "processing")
      assert.deepStrictEqual(yield* story.figures, holding)
      const path = `/withdrawals/${made.id}/resolve` as const
      const body = { outcome: "completed", reason: "Their report was wrong." }
      assert.strictEqual((yield* operator("POST", path, { body })).status, 200)
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("POST /withdrawals/{id}/settle of the sandbox", () => {
  const settle = (id: unknown, outcome: string) =>
    Effect.flatMap(TestPagora, ({ sandbox }) =>
      sandbox("POST", `/withdrawals/${String(id)}/settle`, { body: { outcome } })
    )

  it.effect.each(["completed", "failed", "reversed"] as const)(
    "%s: works at once, and answers when it is committed",
    (outcome) =>
      Effect.gen(function* () {
        const story = yield* shop
        const made = yield* story.withdraw()
        const answer = yield* settle(made.id, outcome)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.json.status, outcome)
        assert.strictEqual(yield* statusOf(story, made), outcome)
        assert.strictEqual((yield* settle(made.id, outcome)).status, 200)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["sendPayout", "dropRequest"],
    ["sendPayout", "dropAnswer"],
    ["sendPayout", "errorAfterDoing"],
    ["findPayout", "dropAnswer"],
    ["findPayout", "lie"],
    ["notify", "dropRequest"]
  ] as const)("works although %s meets %s", ([operation, kind]) =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* story.faults({ operation, kind, times: 1 })
      const made = yield* story.withdraw()
      const answer = yield* settle(made.id, "completed")
      assert.strictEqual(answer.json.status, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses what cannot be, and what is not there", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* settle(made.id, "failed")
      const impossible = yield* settle(made.id, "completed")
      assert.strictEqual(impossible.status, 409)
      assert.strictEqual(codeOf(impossible), "CANNOT_SETTLE")
      assert.strictEqual((yield* settle(random.uuid, "completed")).status, 404)
      assert.strictEqual((yield* settle("x", "completed")).status, 404)
      assert.strictEqual((yield* settle(made.id, "lost")).status, 400)
      assert.deepStrictEqual(yield* story.figures, before)
    }).pipe(Effect.provide(world))
  )
})
