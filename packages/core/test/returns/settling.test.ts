import { assert, describe, it } from "@effect/vitest"
import { aTakenBlock } from "../world/Claims.test-data.ts"
import { journey } from "@pagora/testkit"
import type { Journey } from "@pagora/testkit"
import { Duration, Effect, Logger } from "effect"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { ChargeKind } from "../../src/charges/Charge.ts"
import { DiscrepancyKind } from "../../src/discrepancies/Discrepancy.ts"
import type { BlockId, LedgerTxId, ReturnId } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import { available, suspense } from "../../src/ledger/LedgerAccount.ts"
import { credit, debit, post } from "../../src/ledger/LedgerTx.ts"
import { Ids } from "../../src/time/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { done } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import type { Unit } from "../../src/units/Unit.ts"
import { newReturn } from "../../src/returns/Return.ts"
import { begunReturn } from "../../src/returns/ReturnJobs.ts"
import { ReturnWorker } from "../../src/returns/ReturnWorker.ts"
import { ServiceClock } from "../../src/workers/ServiceClock.ts"
import type { Manner } from "./Returns.test-data.ts"
import { bankThat, refundOf, returnsOf, sumOf } from "./Returns.test-data.ts"
import { anHour, begin, keptFor, notice, purposes, verifyGone } from "./ReturnStories.test-data.ts"
import { pspThat, world } from "../world/ServiceWorld.test-data.ts"

describe.each(purposes)("a return of a %s", (purpose) => {
  it.effect.each([
    { name: "is confirmed at once", manners: ["confirms"], orders: 1 },
    { name: "was done, but the answer was lost", manners: ["loses the answer"], orders: 1 },
    { name: "was lost on the way", manners: ["loses the request", "confirms"], orders: 2 },
    { name: "could not be sent", manners: ["is not reached", "confirms"], orders: 2 },
    {
      name: "is lost, not sent, and lost again",
      manners: ["loses the request", "is not reached", "loses the request", "confirms"],
      orders: 4
    },
    {
      name: "is refused after a try that got lost",
      manners: ["loses the request", "refuses", "confirms"],
      orders: 3
    }
  ] as ReadonlyArray<{ name: string; manners: ReadonlyArray<Manner>; orders: number }>)(
    "reaches the payer once when it $name",
    ({ manners, orders }) =>
      Effect.gen(function* () {
        const { bank, current, story } = yield* begin(purpose, manners)
        yield* anHour(story)
        assert.strictEqual((yield* current).status, "confirmed")
        assert.strictEqual(bank.orders.length, orders)
        assert.strictEqual(new Set(bank.orders.map(({ reference }) => reference)).size, 1)
        assert.strictEqual(bank.sent(), 1_000n)
        yield* verifyGone(story, purpose)
      }).pipe(Effect.provide(world))
  )

  it.effect("tells its bank why, how much and for which payment", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, [])
      yield* story.drain
      const { amount, endToEndId, reference } = yield* current
      assert.deepStrictEqual(bank.orders, [
        {
          reference,
          endToEndId,
          amount,
          purpose: purpose === "refund" ? "requested" : "automatic"
        }
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("that is under way waits for its bank, which is asked and not told again", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["takes"])
      yield* anHour(story)
      assert.strictEqual((yield* current).status, "processing")
      assert.strictEqual(bank.orders.length, 1)
      assert.isAtLeast(bank.questions(), 5)
      bank.ends((yield* current).reference, { status: "confirmed", returnId: "D1" })
      yield* story.advance("1 hour")
      assert.strictEqual((yield* current).status, "confirmed")
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )

  it.effect("stays where it is while its bank does not tell", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["loses the request"])
      bank.silence(true)
      yield* anHour(story)
      yield* story.advance("30 days")
      assert.strictEqual((yield* current).status, "requested")
      assert.strictEqual(bank.orders.length, 1)
      bank.silence(false)
      yield* story.advance("10 minutes")
      assert.strictEqual((yield* current).status, "confirmed")
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )

  it.effect("is sent again to a bank that would do it twice when three looks found nothing", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["loses the request", "confirms"], {
        idempotentByReference: false,
        notFoundIsFinalAfter: Duration.minutes(10)
      })
      yield* story.drain
      const sentAt = (yield* current).sentAt
      yield* story.advance("10 minutes")
      assert.strictEqual(bank.orders.length, 1)
      assert.deepStrictEqual((yield* current).sentAt, sentAt)
      yield* story.advance("20 seconds")
      assert.strictEqual((yield* current).unfound?.times, 1)
      // A notice, or a worker whose clock is ahead, asks in between: that it finds nothing counts for nothing.
      for (let times = 0; times < 5; times++) yield* notice(yield* current)
      assert.strictEqual((yield* current).unfound?.times, 1)
      yield* story.advance("310 seconds")
      assert.strictEqual((yield* current).unfound?.times, 2)
      yield* story.advance("309 seconds")
      assert.strictEqual(bank.orders.length, 1)
      yield* story.advance("1 second")
      assert.strictEqual(bank.orders.length, 2)
      assert.isUndefined((yield* current).unfound)
      assert.strictEqual(bank.sent(), 1_000n)
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not sent twice when such a bank does not find it once, and finds it then", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["loses the answer", "confirms"], {
        idempotentByReference: false,
        notFoundIsFinalAfter: Duration.minutes(10)
      })
      yield* story.drain
      const { findRefund } = yield* pspThat({ findRefund: () => Effect.succeed(done(undefined)) })
      yield* story.advance("620 seconds")
      yield* story.advance("10 seconds")
      yield* pspThat({ findRefund })
      yield* anHour(story)
      assert.strictEqual(bank.orders.length, 1)
      assert.strictEqual((yield* current).status, "confirmed")
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )

  it.effect("is not believed to be another one", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["lies", "confirms"])
      yield* story.drain
      assert.strictEqual((yield* current).status, "requested")
      yield* anHour(story)
      assert.strictEqual((yield* current).status, "confirmed")
      assert.strictEqual(bank.sent(), 1_000n)
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )

  it.effect("is told to its bank once, however many work on it at a time", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin(purpose, ["takes"])
      const worker = yield* ReturnWorker
      yield* Effect.all(
        Array.from({ length: 20 }, () => worker.drain),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(bank.orders.length, 1)
      bank.ends((yield* current).reference, { status: "confirmed" })
      yield* anHour(story)
      yield* verifyGone(story, purpose)
    }).pipe(Effect.provide(world))
  )
})

describe("a worker that is held up between its intent and its request", () => {
  it.effect("does not send, but asks: somebody may count on its silence by now", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("deposit", [])
      const storage = yield* Storage
      const clock = yield* ServiceClock
      const { commit } = storage
      let holdUps = 0
      Object.assign(storage, {
        commit: (unit: Unit) =>
          Effect.tap(commit(unit), () => {
            const isIntent = (unit.updates ?? []).some(({ row }) => row.document.includes("sentAt"))
            if (!isIntent || holdUps++ > 0) return Effect.void
            assert.strictEqual(bank.orders.length, 0)
            return Effect.orDie(clock.advance(Duration.seconds(6)))
          })
      })
      yield* story.drain
      assert.strictEqual(bank.questions(), 1)
      assert.strictEqual(bank.orders.length, 1)
      assert.strictEqual((yield* current).status, "confirmed")
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )
})

describe("a bank that contradicts the end of a return", () => {
  it.effect.each([
    {
      purpose: "refund",
      manner: "takes and rejects",
      later: "confirmed",
      status: "failed",
      reason: "failed_but_paid"
    },
    {
      purpose: "deposit",
      manner: "confirms",
      later: "rejected",
      status: "confirmed",
      reason: "completed_but_rejected"
    }
  ] as const)(
    "after it was $status moves nothing, and is recorded",
    ({ later, manner, purpose, reason, status }) => {
      const errors: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Error") errors.push(String(message))
      })
      return Effect.gen(function* () {
        const { bank, current, story } = yield* begin(purpose, [manner])
        yield* story.drain
        const ended = yield* current
        assert.strictEqual(ended.status, status)
        const before = yield* story.figures
        const suspended = yield* sumOf(story.shop.id, "suspense")
        bank.ends(ended.reference, { status: later })
        const storage = yield* Storage
        const { account: group, id, updatedAt: at } = ended
        yield* storage.commit({
          at,
          jobs: [{ _tag: "Schedule", queue: "return", id, group, due: at }]
        })
        const questions = bank.questions()
        yield* anHour(story)
        // The notice, and the first late look.
        assert.strictEqual(bank.questions(), questions + 2)
        const found = yield* storage.list(DiscrepancyKind, {
          account: group,
          order: "asc",
          limit: 9
        })
        assert.deepStrictEqual(
          found.map(({ value }) => [value.subject, value.reason]),
          [[id, reason]]
        )
        assert.deepStrictEqual(errors, [
          "A PSP contradicts the end of a return; nothing was moved."
        ])
        assert.deepStrictEqual(yield* current, ended)
        assert.deepStrictEqual(yield* story.figures, before)
        assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), suspended)
        yield* story.audit
      }).pipe(Effect.provide(world), Effect.provide(Logger.layer([logger])))
    }
  )
})

describe("a return of a deposit that its bank definitely refuses", () => {
  it.effect.each(["refuses", "takes and rejects"] as ReadonlyArray<Manner>)(
    "is told again after growing rests and stays in suspense in the end, when the bank %s",
    (manner) =>
      Effect.gen(function* () {
        const { bank, charge, current, story } = yield* begin("deposit", [manner, manner, manner])
        yield* story.drain
        assert.strictEqual(bank.orders.length, 1)
        yield* story.advance("59 seconds")
        assert.strictEqual(bank.orders.length, 1)
        yield* story.advance("1 second")
        assert.strictEqual(bank.orders.length, 2)
        yield* story.advance("599 seconds")
        assert.strictEqual(bank.orders.length, 2)
        yield* story.advance("1 second")
        assert.strictEqual(bank.orders.length, 3)
        const money = yield* current
        assert.strictEqual(money.review?.reason, "refused")
        // What it took and then refused, it would answer "refused" to for ever under the same reference.
        const references = new Set(bank.orders.map(({ reference }) => reference))
        assert.strictEqual(references.size, manner === "refuses" ? 1 : 3)
        yield* story.advance("1 day")
        assert.strictEqual(bank.orders.length, 3)
        assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 1_000n)
        assert.strictEqual((yield* story.figures).total, keptFor.deposit)
        const shown = yield* story.transaction(money.source)
        assert.deepStrictEqual<unknown>(refundOf(shown), {
          status: "failed",
          e2eId: null,
          settledAt: null
        })
        assert.strictEqual((yield* story.transaction(charge.id)).status, "cancelled")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("goes through after all when the bank takes it later", () =>
    Effect.gen(function* () {
      const { bank, story } = yield* begin("deposit", ["refuses", "refuses", "confirms"])
      yield* anHour(story)
      assert.strictEqual(bank.orders.length, 3)
      assert.strictEqual(bank.sent(), 1_000n)
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )
})

describe("a return of a deposit that its bank took and then refused", () => {
  it.effect("goes through under another reference, and shows as one return", () =>
    Effect.gen(function* () {
      const { bank, current, story } = yield* begin("deposit", ["takes", "confirms"])
      yield* story.drain
      const first = yield* current
      bank.ends(first.reference, { status: "rejected" })
      yield* story.advance("2 seconds")
      const second = yield* current
      assert.strictEqual(second.replaces, first.id)
      const shown = yield* story.transaction(first.source)
      assert.strictEqual(refundOf(shown)?.status, "pending")
      yield* anHour(story)
      assert.deepStrictEqual(
        bank.orders.map(({ reference }) => reference),
        [first.reference, second.reference]
      )
      assert.strictEqual(bank.sent(), 1_000n)
      assert.strictEqual(refundOf(yield* story.transaction(first.source))?.status, "confirmed")
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )

  it.effect.each([1, 2])(
    "is not sent anew when the bank does what it had refused, the %sth try",
    (tries) =>
      Effect.gen(function* () {
        const { bank, current, story } = yield* begin("deposit", [
          "takes and rejects",
          "takes and rejects"
        ])
        yield* story.drain
        if (tries === 2) yield* story.advance("1 minute")
        assert.strictEqual(bank.orders.length, tries)
        // The first try, whichever is the newest.
        bank.ends(String(bank.orders[0]?.reference), { status: "confirmed" })
        yield* anHour(story)
        assert.strictEqual(bank.orders.length, tries)
        assert.strictEqual(bank.sent(), 1_000n)
        assert.strictEqual((yield* current).review?.reason, "contradicted")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("waits with the next try while the bank does not tell of the last", () =>
    Effect.gen(function* () {
      const { bank, story } = yield* begin("deposit", ["takes and rejects", "confirms"])
      yield* story.drain
      bank.silence(true)
      yield* story.advance("30 minutes")
      assert.strictEqual(bank.orders.length, 1)
      bank.silence(false)
      yield* story.advance("30 minutes")
      assert.strictEqual(bank.orders.length, 2)
      yield* verifyGone(story, "deposit")
    }).pipe(Effect.provide(world))
  )
})

describe("a refund that its bank definitely refuses", () => {
  it.effect.each(["refuses", "takes and rejects"] as ReadonlyArray<Manner>)(
    "fails at once and frees what it held, when the bank %s",
    (manner) =>
      Effect.gen(function* () {
        const { bank, current, story } = yield* begin("refund", [manner])
        yield* story.drain
        assert.strictEqual((yield* current).status, "failed")
        yield* anHour(story)
        assert.strictEqual(bank.orders.length, 1)
        assert.strictEqual(bank.sent(), 0n)
        const { available, held } = yield* story.figures
        assert.deepStrictEqual({ available, held }, { available: keptFor.refund, held: 0 })
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

describe("a return that a balance block asks for", () => {
  it.effect("leaves suspense when it is confirmed, and reports nothing by itself", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const bank = yield* bankThat(["refuses", "takes"])
      const chargeback = yield* chargebackOf(story)
      yield* anHour(story)
      assert.strictEqual(bank.orders[0]?.purpose, "automatic")
      bank.ends(String(bank.orders[0]?.reference), { status: "confirmed" })
      yield* story.advance("1 hour")
      const [money] = yield* returnsOf(story.shop.id)
      assert.strictEqual(money?.id, chargeback)
      assert.strictEqual(money?.status, "confirmed")
      assert.strictEqual(bank.sent(), 400n)
      assert.strictEqual(yield* sumOf(story.shop.id, "suspense"), 0n)
      assert.deepStrictEqual(
        (yield* story.events()).map(({ event }) => event),
        ["payment_completed"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** What an approved balance block of 4.00 writes: the money in suspense, and its return. */
const chargebackOf = Effect.fnUntraced(function* (story: Journey) {
  const storage = yield* Storage
  const ids = yield* Ids
  const charge = yield* story.charge()
  yield* story.pay(charge)
  const paid = yield* storage.find(ChargeKind, ChargeId.make(charge.id))
  if (paid === undefined) return yield* Effect.die(new Error("There is no charge."))
  const { account, e2eId, pspCredentialId, wallet } = paid.value
  const amount = 400n as Centavos
  const money = newReturn({
    id: yield* ids.next<ReturnId>(),
    account,
    wallet,
    purpose: "chargeback",
    source: yield* ids.next<BlockId>(),
    amount,
    pspCredentialId,
    endToEndId: String(e2eId),
    now: yield* (yield* ServiceTime).now
  })
  const begun = begunReturn(money)
  yield* storage.commit({
    at: money.createdAt,
    ledger: [
      post({
        id: yield* ids.next<LedgerTxId>(),
        kind: "chargeback",
        account,
        wallet,
        source: money.source,
        leg: 0,
        amount,
        document: null,
        postings: [debit(available(wallet), amount), credit(suspense(account), amount)]
      })
    ],
    jobs: begun.jobs,
    inserts: [
      ...begun.inserts,
      ...(aTakenBlock(money.source as BlockId, { wallet, amount }).inserts ?? [])
    ]
  })
  return money.id
})
