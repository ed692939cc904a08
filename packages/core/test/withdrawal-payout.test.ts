import { assert, describe, it } from "@effect/vitest"
import type { JsonBody, Journey } from "@pagora/testkit"
import { journey, TestPagora, whileTimePasses } from "@pagora/testkit"
import { Effect } from "effect"
import { DiscrepancyKind } from "../src/discrepancies/Discrepancy.ts"
import type { NewPspPayout, PspOutcome, PspPayout } from "../src/ports/Psp.ts"
import { done } from "../src/ports/Psp.ts"
import { Storage } from "../src/ports/Storage.ts"
import { PayoutWorker } from "../src/withdrawals/PayoutWorker.ts"
import type { Withdrawal } from "../src/withdrawals/Withdrawal.ts"
import { WithdrawalKind } from "../src/withdrawals/Withdrawal.ts"
import { Withdrawals } from "../src/withdrawals/Withdrawals.ts"
import { codeOf, pspThat, random, txidOf, world } from "./ServiceWorld.test-data.ts"

/** A shop with R$ 100.00 and a fee of R$ 0.50, of which the first R$ 0.20 are promotional. */
const shop = Effect.gen(function* () {
  const story = yield* journey({ fees: { withdrawal: { fixed: 50n as never } } })
  yield* story.endpoint()
  yield* story.fund(100)
  yield* story.adjust({ amount: 0.2, bucket: "promotional", reason: "gift" })
  return story
})

const before = { available: 10_000, promotional: 20, held: 0, total: 10_020 }
const holding = { available: 9_020, promotional: 0, held: 1_000, total: 10_020 }
const paid = { available: 9_020, promotional: 0, held: 0, total: 9_020 }

const statusOf = (story: Journey, withdrawal: JsonBody) =>
  Effect.map(story.shop.call("GET", `/withdrawals/${String(withdrawal["id"])}`), ({ json }) =>
    String(json["status"])
  )

const toldKinds = (story: Journey) =>
  Effect.map(story.told(), (told) => told.map(({ event }) => String(event)))

/** Notes what the PSP is sent, before it is handled as it would be. */
const watched = Effect.gen(function* () {
  const sent: Array<NewPspPayout> = []
  const { sendPayout } = yield* pspThat({})
  yield* pspThat({
    sendPayout: (payout) =>
      Effect.andThen(
        Effect.sync(() => sent.push(payout)),
        sendPayout(payout)
      )
  })
  return sent
})

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
      yield* story.settle
      assert.strictEqual(yield* statusOf(story, made), "processing")
      assert.deepStrictEqual(sent as unknown, [
        {
          reference: txidOf(made["id"]),
          amount: 950n,
          pixKey: { type: "email", value: "ana@example.com" },
          holder: { name: "Ana", document: "12345678909" }
        }
      ])
      assert.deepStrictEqual(yield* story.figures, holding)
      const settled = yield* story.settleWithdrawal(made, "completed")
      assert.strictEqual(String(settled["status"]), "completed")
      assert.isString(settled["pspReference"])
      assert.strictEqual(String(settled["processedAt"]), "2026-11-21T12:00:00.000Z")
      assert.deepStrictEqual(yield* story.figures, paid)

      yield* story.advance("1 day")
      assert.strictEqual(sent.length, 1)
      const [event, ...more] = yield* story.told()
      assert.deepStrictEqual(more, [])
      const { e2eId, pspReference, ...data } = event?.["data"] ?? {}
      assert.match(String(e2eId), /^E99999999/)
      assert.strictEqual(String(pspReference), String(settled["pspReference"]))
      assert.strictEqual(String(event?.["eventId"]), String(made["id"]))
      assert.deepStrictEqual(data as unknown, {
        withdrawalId: made["id"],
        transactionId: made["id"],
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
      const transaction = yield* story.transaction(made["id"])
      assert.strictEqual(String(transaction["status"]), "completed")
      assert.strictEqual(String(transaction["counterpartName"]), "Ana")
      assert.strictEqual(String(transaction["e2eId"]), String(e2eId))
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
        wallet: story.shop.id as never,
        order: "asc",
        limit: 100
      })
      const own = booked.filter(({ source }) => source === String(made["id"]))
      assert.deepStrictEqual(
        own.map(({ amount, kind }) => [kind, amount]),
        [
          ["hold", 1_000n],
          ["withdrawal", 950n],
          ["fee", 50n]
        ]
      )
      const fee = yield* story.transaction(own[2]?.id)
      assert.strictEqual(String(fee["type"]), "fee")
      assert.strictEqual(Number(fee["amount"]), 0.5)
      const hidden = yield* story.shop.call("GET", `/transactions/${String(own[1]?.id)}`)
      assert.strictEqual(hidden.status, 404)
    }).pipe(Effect.provide(world))
  )

  it.effect("that is refused gives all back, and tells the amounts as accepted", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      const settled = yield* story.settleWithdrawal(made, "failed", "Conta encerrada.")
      assert.strictEqual(String(settled["status"]), "failed")
      assert.strictEqual(String(settled["failureReason"]), "REFUSED_BY_RECEIVER")
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.settle
      const [event, ...more] = yield* story.told()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(String(event?.["event"]), "withdrawal_failed")
      assert.strictEqual(String(event?.["eventId"]), String(made["id"]))
      const { amount, failedAt, failureMessage, failureReason, feeAmount, netAmount, status } =
        event?.["data"] ?? {}
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
      const transaction = yield* story.transaction(made["id"])
      assert.strictEqual(String(transaction["status"]), "failed")
      assert.strictEqual(String(transaction["failureReason"]), "REFUSED_BY_RECEIVER")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that comes back is reversed, gross and fee, and an adjustment records it", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settleWithdrawal(made, "completed")
      const settled = yield* story.settleWithdrawal(made, "reversed", "BE08")
      assert.strictEqual(String(settled["status"]), "reversed")
      assert.isNull(settled["failureReason"])
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.settle
      const [, event, ...more] = yield* story.told()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(String(event?.["event"]), "withdrawal_reversed")
      assert.strictEqual(String(event?.["eventId"]), `withdrawal_reversed_${String(made["id"])}`)
      const { failureReason, returnId, reversedAmount, reversedAt, status } = event?.["data"] ?? {}
      assert.match(String(returnId), /^D99999999/)
      assert.deepStrictEqual([status, failureReason, reversedAmount, reversedAt] as unknown, [
        "reversed",
        "BE08",
        10,
        "2026-11-21T12:00:00.000Z"
      ])
      assert.strictEqual(String((yield* story.transaction(made["id"]))["status"]), "completed")
      const storage = yield* Storage
      const wallet = story.shop.id as never
      const [last] = yield* storage.movements({ wallet, order: "desc", limit: 1 })
      const adjustment = yield* story.transaction(last?.id)
      assert.strictEqual(String(adjustment["type"]), "adjustment")
      assert.strictEqual(Number(adjustment["amount"]), 10)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("paid and back before we asked is told as both, in order", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settle
      yield* story.faults({ operation: "notify", kind: "dropRequest", times: 2 })
      yield* story.settleWithdrawal(made, "reversed")
      yield* story.settle
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
      yield* story.settle
      assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_completed"])
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("whose notices are all lost is asked about until it is known", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* story.settle
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
})

describe("a payout whose answer is lost", () => {
  it.effect.each(["dropRequest", "dropAnswer", "errorAfterDoing", "delay"])(
    "%s: is made once, under one reference",
    (kind) =>
      Effect.gen(function* () {
        const story = yield* shop
        const sent = yield* watched
        yield* story.faults({ operation: "sendPayout", kind, times: 1 })
        const made = yield* story.withdraw()
        yield* whileTimePasses(story.settle, "2 seconds")
        assert.strictEqual(yield* statusOf(story, made), "processing")
        yield* story.advance("1 minute")
        assert.deepStrictEqual(
          new Set(sent.map(({ reference }) => reference)),
          new Set([txidOf(made["id"])])
        )
        assert.strictEqual(sent.length, kind === "dropRequest" ? 2 : 1)
        yield* story.settleWithdrawal(made, "completed")
        assert.deepStrictEqual(yield* story.figures, paid)
        yield* story.settle
        assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_completed"])
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("counts as unknown after 15 seconds, and nothing is given back", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { sendPayout } = yield* pspThat({ sendPayout: () => Effect.never })
      const made = yield* story.withdraw()
      yield* whileTimePasses(story.settle, "15 seconds")
      assert.strictEqual(yield* statusOf(story, made), "processing")
      assert.deepStrictEqual(yield* story.figures, holding)
      yield* pspThat({ sendPayout })
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  it.effect("never sent is sent again, however often it takes", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent: Array<string> = []
      const { capabilities, sendPayout } = yield* pspThat({})
      yield* pspThat({
        capabilities: { ...capabilities, idempotentByReference: false },
        sendPayout: (payout) =>
          sent.push(payout.reference) < 4
            ? Effect.succeed<PspOutcome<PspPayout>>({ _tag: "NotSent", detail: "refused" })
            : sendPayout(payout)
      })
      const made = yield* story.withdraw()
      yield* story.advance("1 second")
      for (let round = 0; round < 10; round++) yield* story.advance("10 seconds")
      assert.deepStrictEqual(
        sent,
        Array.from({ length: 4 }, () => txidOf(made["id"]))
      )
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "is never sent twice to a PSP that would pay twice, and fails when it cannot be there",
    () =>
      Effect.gen(function* () {
        const story = yield* shop
        let sends = 0
        const { capabilities } = yield* pspThat({})
        yield* pspThat({
          capabilities: { ...capabilities, idempotentByReference: false },
          sendPayout: () => {
            sends++
            return Effect.succeed({ _tag: "Unknown", detail: "lost" })
          },
          findPayout: () => Effect.succeed(done(undefined))
        })
        const made = yield* story.withdraw()
        yield* story.settle
        for (let seconds = 0; seconds < 19; seconds++) yield* story.advance("1 second")
        assert.deepStrictEqual(yield* story.figures, holding)
        assert.strictEqual(yield* statusOf(story, made), "processing")
        for (let round = 0; round < 10; round++) yield* story.advance("20 seconds")
        assert.strictEqual(yield* statusOf(story, made), "failed")
        assert.strictEqual(sends, 1)
        assert.deepStrictEqual(yield* story.figures, before)
        const found = yield* story.transaction(made["id"])
        assert.strictEqual(String(found["failureReason"]), "psp_timeout")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is the operator's to decide after a day, and nobody else sees that", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { operator } = yield* TestPagora
      const resolve = (withdrawal: JsonBody, outcome: string) =>
        operator("POST", `/withdrawals/${String(withdrawal["id"])}/resolve`, {
          body: { outcome, reason: "The bank said so on the phone." }
        })
      const lost = Effect.succeed({ _tag: "Unknown", detail: "down" } as const)
      yield* pspThat({ sendPayout: () => lost, findPayout: () => lost })
      const one = yield* story.withdraw()
      const other = yield* story.withdraw()
      yield* story.settle
      const early = yield* resolve(one, "failed")
      assert.strictEqual(early.status, 409)
      assert.strictEqual(codeOf(early), "WITHDRAWAL_NOT_IN_REVIEW")
      for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
      const late = yield* resolve(one, "failed")
      assert.strictEqual(late.status, 200, late.text)
      assert.strictEqual(yield* statusOf(story, one), "failed")
      assert.strictEqual(yield* statusOf(story, other), "processing")
      assert.strictEqual(String((yield* story.transaction(other["id"]))["status"]), "pending")
      assert.strictEqual((yield* resolve(other, "completed")).status, 200)
      assert.strictEqual((yield* resolve(other, "failed")).status, 409)
      assert.strictEqual((yield* resolve({ id: random.uuid as never }, "failed")).status, 404)
      assert.strictEqual((yield* resolve({ id: "x" as never }, "failed")).status, 404)
      assert.strictEqual((yield* resolve(other, "reversed")).status, 400)
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      assert.strictEqual((yield* story.figures).held, 0)
      yield* story.settle
      assert.deepStrictEqual((yield* toldKinds(story)).toSorted(), [
        "withdrawal_completed",
        "withdrawal_failed"
      ])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is decided by the PSP all the same when it speaks before the operator does", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const lost = Effect.succeed({ _tag: "Unknown", detail: "down" } as const)
      const psp = yield* pspThat({})
      yield* pspThat({ sendPayout: (payout) => Effect.andThen(psp.sendPayout(payout), lost) })
      yield* pspThat({ findPayout: () => lost })
      const made = yield* story.withdraw()
      for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
      yield* pspThat({ sendPayout: psp.sendPayout, findPayout: psp.findPayout })
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
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
  const noticed = (withdrawal: JsonBody) =>
    Effect.gen(function* () {
      const withdrawals = yield* Withdrawals
      const { value } = (yield* (yield* Storage).find(
        WithdrawalKind,
        String(withdrawal["id"]) as never
      )) as { readonly value: Withdrawal }
      yield* withdrawals.lookNow(value)
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
        const answer = yield* settle(made["id"], outcome)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(String(answer.json["status"]), outcome)
        assert.strictEqual(yield* statusOf(story, made), outcome)
        assert.strictEqual((yield* settle(made["id"], outcome)).status, 200)
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
      const answer = yield* settle(made["id"], "completed")
      assert.strictEqual(String(answer.json["status"]), "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("refuses what cannot be, and what is not there", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const made = yield* story.withdraw()
      yield* settle(made["id"], "failed")
      const impossible = yield* settle(made["id"], "completed")
      assert.strictEqual(impossible.status, 409)
      assert.strictEqual(codeOf(impossible), "CANNOT_SETTLE")
      assert.strictEqual((yield* settle(random.uuid, "completed")).status, 404)
      assert.strictEqual((yield* settle("x", "completed")).status, 404)
      assert.strictEqual((yield* settle(made["id"], "lost")).status, 400)
      assert.deepStrictEqual(yield* story.figures, before)
    }).pipe(Effect.provide(world))
  )
})
