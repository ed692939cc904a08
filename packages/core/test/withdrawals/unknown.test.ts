import { assert, describe, it } from "@effect/vitest"
import type { WithId } from "@pagora/testkit"
import { TestPagora, whileTimePasses } from "@pagora/testkit"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Uuid } from "../../src/kernel/Ids.ts"
import type { NewPspPayout, PspPayout } from "../../src/ports/Psp.ts"
import { done, PspDirectory, PspOutcome } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import type { Unit } from "../../src/units/Unit.ts"
import { PayoutWorker } from "../../src/withdrawals/PayoutWorker.ts"
import { WithdrawalKind } from "../../src/withdrawals/Withdrawal.ts"
import { ServiceClock } from "../../src/workers/ServiceClock.ts"
import { rowsOf } from "../reviews/Reviews.test-data.ts"
import { codeOf, pspThat, random, txidOf, world } from "../world/ServiceWorld.test-data.ts"
import {
  before,
  holding,
  paid,
  shop,
  statusOf,
  toldKinds,
  watched
} from "./WithdrawalStories.test-data.ts"

describe("a payout whose answer is lost", () => {
  it.effect.each(["dropRequest", "dropAnswer", "errorAfterDoing", "delay"])(
    "%s: is made once, under one reference",
    (kind) =>
      Effect.gen(function* () {
        const story = yield* shop
        const sent = yield* watched
        yield* story.faults({ operation: "sendPayout", kind, times: 1 })
        const made = yield* story.withdraw()
        yield* whileTimePasses(story.drain, "2 seconds")
        assert.strictEqual(yield* statusOf(story, made), "processing")
        yield* story.advance("1 minute")
        assert.deepStrictEqual(
          new Set(sent.map(({ reference }) => reference)),
          new Set([txidOf(made.id)])
        )
        assert.strictEqual(sent.length, kind === "dropRequest" ? 2 : 1)
        yield* story.settleWithdrawal(made, "completed")
        assert.deepStrictEqual(yield* story.figures, paid)
        yield* story.drain
        assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_completed"])
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "is not sent again once its PSP may have forgotten the first one, but is asked for",
    () =>
      Effect.gen(function* () {
        const story = yield* shop
        const directory = yield* PspDirectory
        const psp = directory.find(directory.default)
        if (psp === undefined) return assert.fail("There is no PSP.")
        yield* pspThat({ capabilities: { ...psp.capabilities, repeatableFor: Duration.hours(1) } })
        const sent = yield* watched
        yield* story.faults(
          { operation: "sendPayout", kind: "dropAnswer", times: 1 },
          { operation: "findPayout", kind: "lie" }
        )
        const made = yield* story.withdraw()
        yield* story.drain
        // Everything stands still until then.
        yield* story.advance("3 hours")
        assert.strictEqual(sent.length, 1)
        assert.strictEqual(yield* statusOf(story, made), "processing")
        const [review] = yield* rowsOf("/reviews")
        assert.strictEqual(review?.id, made.id)
        yield* story.faults()
        yield* story.settleWithdrawal(made, "completed")
        yield* story.advance("10 minutes")
        assert.strictEqual(yield* statusOf(story, made), "completed")
        assert.strictEqual(sent.length, 1)
        assert.deepStrictEqual(yield* story.figures, paid)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("counts as unknown after 15 seconds, and nothing is given back", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { sendPayout } = yield* pspThat({ sendPayout: () => Effect.never })
      const made = yield* story.withdraw()
      yield* whileTimePasses(story.drain, "15 seconds")
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
        Array.from({ length: 4 }, () => txidOf(made.id))
      )
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  it.effect("sent again is a repeat, unless nothing of it had left before", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent: Array<boolean | undefined> = []
      const { sendPayout } = yield* pspThat({})
      const outcomes: ReadonlyArray<PspOutcome<PspPayout>> = [
        { _tag: "NotSent", detail: "refused" },
        { _tag: "Unknown", detail: "lost" }
      ]
      yield* pspThat({
        sendPayout: (payout) => {
          const outcome = outcomes[sent.push(payout.isRepeat) - 1]
          return outcome === undefined ? sendPayout(payout) : Effect.succeed(outcome)
        }
      })
      const made = yield* story.withdraw()
      for (let round = 0; round < 10; round++) yield* story.advance("10 seconds")
      assert.deepStrictEqual(sent, [undefined, undefined, true])
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
        yield* story.drain
        for (let seconds = 0; seconds < 19; seconds++) yield* story.advance("1 second")
        assert.deepStrictEqual(yield* story.figures, holding)
        assert.strictEqual(yield* statusOf(story, made), "processing")
        for (let round = 0; round < 10; round++) yield* story.advance("20 seconds")
        assert.strictEqual(yield* statusOf(story, made), "failed")
        assert.strictEqual(sends, 1)
        assert.deepStrictEqual(yield* story.figures, before)
        const found = yield* story.transaction(made.id)
        assert.strictEqual(found.failureReason, "psp_timeout")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each([
    { what: "a look that takes long", first: 0, repeat: 0, look: 4 },
    { what: "a refusal that takes long", first: 12, repeat: 5, look: 0 }
  ])("is not failed on $what: the first request arrived after it was asked for", (takes) =>
    Effect.gen(function* () {
      const story = yield* shop
      const { findPayout, sendPayout } = yield* pspThat({})
      const pass = (seconds: number) => TestClock.adjust(Duration.seconds(seconds))
      const time = yield* ServiceTime
      const start = yield* time.now
      /** The first request reaches the PSP half a second before "not found" is final. */
      const arrives = DateTime.add(start, { milliseconds: 19_500 })
      const sent: Array<NewPspPayout> = []
      yield* pspThat({
        sendPayout: (payout) =>
          sent.push(payout) === 1
            ? Effect.as(pass(takes.first), PspOutcome.unknown("lost"))
            : Effect.as(pass(takes.repeat), PspOutcome.rejected("limit_exceeded", "Too much.")),
        findPayout: Effect.fnUntraced(function* (asked) {
          const [first] = sent
          const isThere = DateTime.isGreaterThanOrEqualTo(yield* time.now, arrives)
          if (isThere && first !== undefined) yield* sendPayout(first)
          const outcome = yield* findPayout(asked)
          yield* pass(takes.look)
          return outcome
        })
      })
      const made = yield* story.withdraw()
      for (let seconds = 0; seconds < 40; seconds++) yield* story.advance("1 second")
      assert.deepStrictEqual(
        sent.map(({ isRepeat }) => isRepeat),
        [undefined, true]
      )
      assert.strictEqual(yield* statusOf(story, made), "processing")
      assert.deepStrictEqual(yield* story.figures, holding)
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.advance("2 hours")
      assert.deepStrictEqual(yield* rowsOf("/reviews"), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is the operator's to decide after a day, and nobody else sees that", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { operator } = yield* TestPagora
      const resolve = (withdrawal: WithId, outcome: string) =>
        operator("POST", `/withdrawals/${withdrawal.id}/resolve`, {
          body: { outcome, reason: "The bank said so on the phone.", by: "Ana of operations" }
        })
      const lost = Effect.succeed({ _tag: "Unknown", detail: "down" } as const)
      yield* pspThat({ sendPayout: () => lost, findPayout: () => lost })
      const one = yield* story.withdraw()
      const other = yield* story.withdraw()
      yield* story.drain
      const early = yield* resolve(one, "failed")
      assert.strictEqual(early.status, 409)
      assert.strictEqual(codeOf(early), "WITHDRAWAL_NOT_IN_REVIEW")
      for (let hour = 0; hour < 25; hour++) yield* story.advance("1 hour")
      const late = yield* resolve(one, "failed")
      assert.strictEqual(late.status, 200, late.text)
      assert.strictEqual(yield* statusOf(story, one), "failed")
      assert.strictEqual(yield* statusOf(story, other), "processing")
      assert.strictEqual((yield* story.transaction(other.id)).status, "pending")
      assert.strictEqual((yield* resolve(other, "completed")).status, 200)
      assert.strictEqual((yield* resolve(other, "failed")).status, 409)
      assert.strictEqual((yield* resolve({ id: random.uuid }, "failed")).status, 404)
      assert.strictEqual((yield* resolve({ id: "x" }, "failed")).status, 404)
      assert.strictEqual((yield* resolve(other, "reversed")).status, 400)
      assert.strictEqual((yield* story.figures).total, before.total - 1_000)
      assert.strictEqual((yield* story.figures).held, 0)
      yield* story.drain
      assert.deepStrictEqual((yield* toldKinds(story)).toSorted(), [
        "withdrawal_completed",
        "withdrawal_failed"
      ])
      const kept = yield* (yield* Storage).find(WithdrawalKind, one.id as Uuid)
      assert.strictEqual(kept?.value.resolution?.by, "Ana of operations")
      // Why is the merchant's to know, who decided is not.
      const told = yield* story.events()
      const failed = told.find((event) => event.event === "withdrawal_failed")
      assert.strictEqual(failed?.data?.failureMessage, "The bank said so on the phone.")
      assert.notInclude(JSON.stringify([told, late.text]), "Ana of operations")
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

describe("a worker that is held up", () => {
  it.effect("after its intent does not send any more: somebody may count on that by now", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      const made = yield* story.withdraw()
      const storage = yield* Storage
      const worker = yield* PayoutWorker
      const clock = yield* ServiceClock
      // The commit of the intent takes 6 seconds to come back.
      let isHeldUp = false
      let intents = 0
      const commit = storage.commit
      Object.assign(storage, {
        commit: (unit: Unit) =>
          Effect.tap(commit(unit), () => {
            if (isIntent(unit)) intents++
            if (!isIntent(unit) || isHeldUp) return Effect.void
            isHeldUp = true
            return Effect.orDie(clock.advance(Duration.seconds(6)))
          })
      })
      yield* worker.drain
      assert.isTrue(isHeldUp)
      // It asks first, finds nothing, and tells the PSP with a new intent.
      assert.deepStrictEqual([intents, sent.length], [2, 1])
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  /** Told now, and nothing of it known. */
  const intended = /"sentAt":(?!.*"pspReference")/
  const isIntent = ({ updates = [] }: Unit) =>
    updates.some(({ row }) => row.kind === "withdrawal" && intended.test(row.document))
})
