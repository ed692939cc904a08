import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { TestPagora, whileTimePasses } from "@pagora/testkit"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { WithdrawalId } from "../../src/kernel/Ids.ts"
import { PspCredentialId } from "../../src/kernel/Ids.ts"
import type { Centavos } from "../../src/kernel/Money.ts"
import type { PspBalance, PspShape } from "../../src/ports/Psp.ts"
import { PspDirectory, PspOutcome } from "../../src/ports/Psp.ts"
import { circuitLimits, makeCircuit } from "../../src/psp-calls/PspCircuit.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import * as Kind from "../../src/units/Kind.ts"
import { sending, Withdrawal, WithdrawalKind } from "../../src/withdrawals/Withdrawal.ts"
import { operate, rowsOf, waiting } from "../reviews/Reviews.test-data.ts"
import { codeOf, existing, pspThat, random, world } from "../world/ServiceWorld.test-data.ts"
import {
  before,
  holding,
  paid,
  shop,
  statusOf,
  toldKinds,
  watched
} from "./WithdrawalStories.test-data.ts"

/** What the account at the PSP holds from now on, whatever wallets hold by an operator's adjustment. */
const holds = Effect.fnUntraced(function* (available: number) {
  const { sandbox } = yield* TestPagora
  const set = yield* sandbox("PUT", "/balance", { body: { available } })
  assert.strictEqual(set.status, 200, set.text)
})

const atPsp = Effect.gen(function* () {
  const { sandbox } = yield* TestPagora
  return (yield* sandbox("GET", "/balance")).json
})

const resolve = ({ id }: WithId, outcome: string) =>
  operate("POST", `/withdrawals/${id}/resolve`, { outcome, reason: "The bank has no more." })

describe("a withdrawal that its PSP's balance does not cover", () => {
  it.effect("waits with its hold where the operator sees it, and goes when money comes in", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      yield* holds(9.49)
      const made = yield* story.withdraw()
      yield* story.drain
      yield* story.advance("30 hours")
      assert.strictEqual(sent.length, 0)
      assert.strictEqual(yield* statusOf(story, made), "pending")
      assert.deepStrictEqual(yield* story.figures, holding)
      const [review, ...others] = yield* rowsOf(`/reviews?account=${story.shop.id}`)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(review?.id, made.id)
      assert.strictEqual(review?.type, "withdrawal")
      assert.strictEqual(review?.reason, "psp_short")
      assert.deepStrictEqual(review?.calls, [`POST /withdrawals/${made.id}/resolve`])
      yield* story.audit

      yield* story.pay(yield* story.charge())
      yield* story.advance("5 minutes")
      assert.strictEqual(sent.length, 1)
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* story.settleWithdrawal(made, "completed")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      assert.strictEqual((yield* story.figures).held, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("goes alone, where there are two and the balance covers one of them", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      yield* holds(18.99)
      const one = yield* story.withdraw()
      const other = yield* story.withdraw()
      yield* story.drain
      assert.strictEqual(sent.length, 1)
      assert.deepStrictEqual(
        (yield* Effect.all([statusOf(story, one), statusOf(story, other)])).toSorted(),
        ["pending", "processing"]
      )
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal psp_short"])
      // Nothing comes in, so it goes on waiting.
      yield* story.advance("1 hour")
      assert.strictEqual(sent.length, 1)
      yield* holds(9.5)
      yield* story.advance("5 minutes")
      assert.strictEqual(sent.length, 2)
      assert.deepStrictEqual(yield* waiting(story), [])
      assert.deepStrictEqual(yield* atPsp, { available: 0, blocked: 0 })
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("can be given up by the operator, and is never sent then", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      yield* holds(0)
      const made = yield* story.withdraw()
      yield* story.drain
      const given = yield* resolve(made, "failed")
      assert.strictEqual(given.status, 200, given.text)
      assert.deepStrictEqual(yield* story.figures, before)
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* holds(1_000)
      yield* story.advance("1 hour")
      assert.strictEqual(sent.length, 0)
      assert.strictEqual(yield* statusOf(story, made), "failed")
      assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_failed"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is nobody's to give up once it is under way", () =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* holds(0)
      const made = yield* story.withdraw()
      yield* story.drain
      yield* holds(1_000)
      yield* story.advance("5 minutes")
      assert.strictEqual(codeOf(yield* resolve(made, "failed")), "WITHDRAWAL_NOT_IN_REVIEW")
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  it.effect("waits as well where the PSP tells that only when it is sent", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { sendPayout } = yield* pspThat({})
      let sends = 0
      yield* pspThat({
        sendPayout: (payout) =>
          ++sends < 3
            ? Effect.succeed(PspOutcome.needsMoney("too little", "1 minute"))
            : sendPayout(payout)
      })
      const made = yield* story.withdraw()
      yield* story.drain
      assert.deepStrictEqual([sends, yield* statusOf(story, made)], [1, "processing"])
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal psp_short"])
      assert.deepStrictEqual(yield* story.figures, holding)
      yield* story.advance("59 seconds")
      assert.strictEqual(sends, 1)
      for (const again of [2, 3]) {
        yield* story.advance("2 minutes")
        assert.strictEqual(sends, again)
      }
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** The PSP refuses payouts for want of money until it is let go; answers how often it was asked to pay, and the way to let go. */
const refusingForMoney = Effect.gen(function* () {
  const sent: Array<string> = []
  let refuses = true
  const { sendPayout } = yield* pspThat({})
  yield* pspThat({
    sendPayout: (payout) => {
      sent.push(payout.reference)
      return refuses
        ? Effect.succeed(PspOutcome.needsMoney("too little", "1 minute"))
        : sendPayout(payout)
    }
  })
  const letGo = Effect.sync(() => {
    refuses = false
  })
  return { sent, letGo }
})

const minutes = (story: Journey, count: number) =>
  Effect.replicateEffect(story.advance("1 minute"), count, { discard: true })

describe("a withdrawal that its PSP refuses for want of money, though its balance covers it", () => {
  it.effect("is sent less and less often, and stands in the line since it was short first", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { letGo, sent } = yield* refusingForMoney
      yield* holds(0)
      const made = yield* story.withdraw()
      yield* story.drain
      const [short] = yield* rowsOf(`/reviews?account=${story.shop.id}`)
      assert.isUndefined(short?.refusals)
      yield* minutes(story, 10)
      yield* holds(1_000)
      yield* minutes(story, 60)
      assert.isAtLeast(sent.length, 5)
      assert.isAtMost(sent.length, 9)
      yield* minutes(story, 3 * 60)
      assert.isAtMost(sent.length, 9 + 3 * 4)
      const [review, ...others] = yield* rowsOf(`/reviews?account=${story.shop.id}`)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(review?.reason, "psp_short")
      assert.strictEqual(review?.since, short?.since)
      assert.strictEqual(review?.refusals, sent.length)
      assert.deepStrictEqual(yield* story.figures, holding)

      yield* letGo
      const refused = sent.length
      yield* minutes(story, 20)
      assert.strictEqual(sent.length, refused + 1)
      assert.strictEqual(new Set(sent).size, 1)
      assert.deepStrictEqual(yield* waiting(story), [])
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.drain
      assert.deepStrictEqual(yield* toldKinds(story), ["withdrawal_completed"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is told with what to do about it, which is something else than bringing money", () => {
    const told: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") told.push(String(message))
    })
    return Effect.gen(function* () {
      const story = yield* shop
      const { letGo } = yield* refusingForMoney
      yield* holds(1_000)
      yield* story.withdraw()
      yield* minutes(story, 5)
      assert.strictEqual(told.length, 1)
      assert.match(
        told[0] ?? "",
        /though the balance that it tells covers it: ask it what it keeps/
      )
      yield* holds(0)
      yield* minutes(story, 15)
      assert.isTrue(told.some((message) => message.includes("bring money to the account")))
      yield* letGo
    }).pipe(Effect.provide([world, Logger.layer([logger])]))
  })

  it.effect("can be given up by the operator, and is never sent then", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { letGo, sent } = yield* refusingForMoney
      yield* holds(1_000)
      const made = yield* story.withdraw()
      yield* minutes(story, 5)
      const given = yield* resolve(made, "failed")
      assert.strictEqual(given.status, 200, given.text)
      const refused = sent.length
      yield* letGo
      yield* minutes(story, 60)
      assert.strictEqual(sent.length, refused)
      assert.deepStrictEqual(yield* story.figures, before)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a withdrawal that waits for money, and that a program of before has sent", () => {
  /** That program keeps nothing of what it does not know, and of the line only what it does. */
  const writtenByBefore = Effect.fnUntraced(function* ({ id }: WithId) {
    const storage = yield* Storage
    const { now } = yield* ServiceTime
    const found = existing(yield* storage.find(WithdrawalKind, id as WithdrawalId))
    const { shortSince: _, waitedForMoney: __, ...known } = found.value
    const next = sending(new Withdrawal(known), yield* now)
    yield* storage.commit({
      at: next.updatedAt,
      updates: [Kind.update(WithdrawalKind, found, next)]
    })
    return next
  })

  it.effect("is in nobody's line any more", () =>
    Effect.gen(function* () {
      const story = yield* shop
      yield* holds(0)
      const made = yield* story.withdraw()
      const other = yield* story.withdraw()
      yield* story.drain
      const { reference, netAmount: amount, recipient: pixKey } = yield* writtenByBefore(made)
      const directory = yield* PspDirectory
      const psp = existing(directory.find(directory.default))
      yield* holds(9.5)
      yield* psp.sendPayout({ reference, amount, pixKey, holder: {} })
      const [still, ...others] = yield* rowsOf(`/reviews?account=${story.shop.id}&limit=1`)
      assert.deepStrictEqual([still?.id, others], [other.id, []])
      yield* story.settleWithdrawal(made, "completed")
      yield* story.advance("2 hours")
      assert.strictEqual(yield* statusOf(story, made), "completed")
      const line = yield* Effect.flatMap(Storage, (storage) =>
        storage.jobs({ queue: "review", limit: 10 })
      )
      assert.deepStrictEqual(
        line.map(({ id }) => id),
        [other.id]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** The PSP tells this of its balance. */
const pspWithBalance = (balance: NonNullable<PspShape["balance"]>) =>
  Effect.map(PspDirectory, (directory) => {
    const psp = existing(directory.find(directory.default))
    Object.defineProperty(psp, "balance", { get: () => balance })
  })

describe("a PSP's balance", () => {
  const told = (available: bigint) =>
    PspOutcome.done({ available: available as Centavos, blocked: 0n as Centavos })

  it.effect("is looked at anew for a payout that nobody sent, as the PSP was left alone", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const { call } = makeCircuit(PspCredentialId.make(random.uuid))
      const { silencesMax, silentAfter } = circuitLimits
      const silence = Effect.delay(Effect.succeed(PspOutcome.unknown("silence")), silentAfter)
      for (let silences = 0; silences < silencesMax; silences++)
        yield* whileTimePasses(
          call(() => silence),
          silentAfter
        )
      const sent = yield* watched
      const { sendPayout } = yield* pspThat({})
      yield* pspThat({ sendPayout: (payout) => call(() => sendPayout(payout)) })
      let balance: PspOutcome<PspBalance> = PspOutcome.unknown("lost")
      yield* pspWithBalance(() => Effect.succeed(balance))
      const made = yield* story.withdraw()
      yield* story.drain
      assert.deepStrictEqual([sent.length, yield* statusOf(story, made)], [0, "processing"])
      // It answers again.
      yield* TestClock.adjust(circuitLimits.openFirst)
      yield* call(() => Effect.succeed(balance))
      balance = told(9_49n)
      yield* story.advance("10 minutes")
      assert.strictEqual(sent.length, 0)
      assert.deepStrictEqual(yield* waiting(story), ["withdrawal psp_short"])
      balance = told(9_50n)
      yield* story.advance("10 minutes")
      assert.strictEqual(sent.length, 1)
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that cannot be read holds up no payout", () =>
    Effect.gen(function* () {
      const story = yield* shop
      const sent = yield* watched
      yield* pspWithBalance(() => Effect.succeed(PspOutcome.unknown("lost")))
      const made = yield* story.withdraw()
      yield* story.drain
      assert.strictEqual(sent.length, 1)
      yield* story.settleWithdrawal(made, "completed")
      assert.deepStrictEqual(yield* story.figures, paid)
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked for once by a flood of payouts, and by none that may have been sent", () =>
    Effect.gen(function* () {
      const story = yield* shop
      let asked = 0
      yield* pspWithBalance(() => {
        asked++
        return Effect.succeed(told(100_000n))
      })
      yield* story.faults({ operation: "sendPayout", kind: "dropRequest", times: 1 })
      for (let count = 0; count < 8; count++) yield* story.withdraw()
      yield* story.drain
      assert.strictEqual(asked, 1)
      yield* story.advance("1 hour")
      assert.strictEqual(asked, 1)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
