import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, TestPagora, whileTimePasses } from "@pagora/testkit"
import { DateTime, Deferred, Effect, Fiber, Logger } from "effect"
import type { Centavos } from "../../src/kernel/Money.ts"
import { PspOutcome } from "../../src/ports/Psp.ts"
import {
  BalanceComparison,
  BalanceComparisonsKind,
  comparisonsId
} from "../../src/psp-reports/BalanceComparison.ts"
import { ledgerAtPsps, LedgerAtPspsKind } from "../../src/psp-reports/LedgerAtPsps.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import * as Kind from "../../src/units/Kind.ts"
import { operate } from "../reviews/Reviews.test-data.ts"
import { existing, pspThat, world } from "../world/ServiceWorld.test-data.ts"

/** What the account at the PSP holds from now on. */
const holds = Effect.fnUntraced(function* (available: number, blocked = 0) {
  const { sandbox } = yield* TestPagora
  const set = yield* sandbox("PUT", "/balance", { body: { available, blocked } })
  assert.strictEqual(set.status, 200, set.text)
})

/** The one PSP, as the operator sees it. */
const shown = Effect.gen(function* () {
  const answer = yield* operate("GET", "/psps")
  assert.strictEqual(answer.status, 200, answer.text)
  const [psp, ...others] = answer.json.data
  assert.deepStrictEqual(others, [])
  return psp ?? assert.fail("There is no PSP.")
})

/** A shop whose customer has paid R$ 10.00, at a service that compares. */
const paidShop = Effect.gen(function* () {
  yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
  const story = yield* journey()
  yield* story.pay(yield* story.charge())
  return story
})

const hours = (story: Journey, count: number) =>
  Effect.replicateEffect(story.advance("1 hour"), count, { discard: true })

/** Runs it, and answers what was told in the log of a difference. */
const toldBy = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const told: Array<string> = []
    const logger = Logger.make(({ message }) => {
      if (String(message).startsWith("What a PSP holds is not")) told.push(String(message))
    })
    return Effect.as(work.pipe(Effect.provide(Logger.layer([logger]))), told)
  })

describe("what a PSP holds", () => {
  it.effect("is what came since, too, where a clock that was ahead has kept a sum", () =>
    Effect.gen(function* () {
      const story = yield* paidShop
      const storage = yield* Storage
      const { now } = yield* ServiceTime
      const at = yield* now
      const ahead = yield* ledgerAtPsps(storage, DateTime.add(at, { days: 1 }))
      yield* storage.commit({ at, inserts: [LedgerAtPspsKind.row(ahead.next)] })
      yield* story.pay(yield* story.charge())
      yield* story.drain
      const { ledger } = yield* shown
      assert.strictEqual(ledger, 20)
    }).pipe(Effect.provide(world))
  )

  it.effect("is shown beside what the ledger has there", () =>
    Effect.gen(function* () {
      const story = yield* paidShop
      const untold = yield* shown
      assert.deepStrictEqual(
        [untold.balance, untold.difference, untold.ledger, untold.isDefault],
        [null, null, 10, true]
      )
      yield* holds(7, 2.5)
      yield* story.withdraw({ amount: 8 })
      yield* story.drain
      const short = yield* shown
      assert.deepStrictEqual(short.balance, { available: 7, blocked: 2.5 })
      assert.deepStrictEqual([short.ledger, short.difference], [10, -0.5])
      assert.deepStrictEqual(short.waiting, { count: 1, amount: 8 })
      assert.strictEqual(short.underWay, 0)
      yield* holds(8, 2)
      yield* story.advance("5 minutes")
      const sent = yield* shown
      assert.deepStrictEqual(sent.waiting, { count: 0, amount: 0 })
      assert.deepStrictEqual([sent.underWay, sent.ledger, sent.difference], [8, 10, -8])
    }).pipe(Effect.provide(world))
  )

  it.effect("is asked for once, however many want to know it at once", () =>
    Effect.gen(function* () {
      yield* journey()
      const gate = yield* Deferred.make<void>()
      let asked = 0
      yield* pspThat({
        balance: () => {
          asked++
          const held = { available: 700n as Centavos, blocked: 0n as Centavos }
          return Effect.as(Deferred.await(gate), PspOutcome.done(held))
        }
      })
      const looks = yield* Effect.forkChild(
        Effect.all([shown, shown, shown], { concurrency: "unbounded" })
      )
      yield* whileTimePasses(Effect.sleep("1 second"), "1 second")
      yield* Deferred.succeed(gate, undefined)
      const balances = (yield* Fiber.join(looks)).map(({ balance }) => balance?.available)
      assert.deepStrictEqual(balances, [7, 7, 7])
      assert.strictEqual(asked, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("is no finding while it is what the ledger has, payouts under way or not", () =>
    Effect.gen(function* () {
      const told = yield* toldBy(
        Effect.gen(function* () {
          const story = yield* paidShop
          yield* holds(10)
          yield* hours(story, 3)
          const made = yield* story.withdraw({ amount: 4 })
          yield* hours(story, 3)
          yield* story.settleWithdrawal(made, "completed")
          yield* hours(story, 3)
          const { difference, lastComparison } = yield* shown
          assert.deepStrictEqual([difference, lastComparison?.unexplained], [0, 0])
        })
      )
      assert.deepStrictEqual(told, [])
    }).pipe(Effect.provide(world))
  )

  it.effect("is told once when a difference stands still, and books nothing", () =>
    Effect.gen(function* () {
      const told = yield* toldBy(
        Effect.gen(function* () {
          const story = yield* paidShop
          // The bank has taken a fee.
          yield* holds(9.5)
          yield* hours(story, 6)
          const { difference, lastComparison, ledger } = yield* shown
          assert.deepStrictEqual(
            [ledger, difference, lastComparison?.unexplained],
            [10, -0.5, -0.5]
          )
          assert.deepStrictEqual((yield* operate("GET", "/reviews")).json.data, [])
          yield* story.audit
        })
      )
      assert.strictEqual(told.length, 1)
    }).pipe(Effect.provide(world))
  )
})

describe("a comparison that a clock which was ahead has noted", () => {
  it.effect("keeps away no look, once the clock is right again", () =>
    Effect.gen(function* () {
      const story = yield* paidShop
      yield* holds(10)
      yield* hours(story, 2)
      const storage = yield* Storage
      const { now } = yield* ServiceTime
      const found = existing(yield* storage.find(BalanceComparisonsKind, comparisonsId))
      const at = yield* now
      const ahead = Object.fromEntries(
        Object.entries(found.value.last).map(([id, one]) => [
          id,
          new BalanceComparison({ ...one, at: DateTime.add(at, { days: 30 }) })
        ])
      )
      const update = Kind.update(BalanceComparisonsKind, found, { last: ahead })
      yield* storage.commit({ at, updates: [update] })
      yield* holds(9.5)
      yield* hours(story, 2)
      assert.strictEqual((yield* shown).lastComparison?.unexplained, -0.5)
    }).pipe(Effect.provide(world))
  )
})

describe("what the ledger has at a PSP", () => {
  it.effect("is kept, and summed on to the same as from the beginning", () =>
    Effect.gen(function* () {
      const story = yield* paidShop
      yield* holds(1_000)
      const storage = yield* Storage
      const time = yield* ServiceTime
      for (let round = 0; round < 4; round++) {
        yield* hours(story, 1)
        yield* story.pay(yield* story.charge())
        const made = yield* story.withdraw({ amount: 3 })
        yield* story.settleWithdrawal(made, round === 1 ? "failed" : "completed")
      }
      const now = yield* time.now
      const kept = yield* ledgerAtPsps(storage, now)
      const anew = yield* ledgerAtPsps(storage, now, { isAfresh: true })
      assert.isDefined(kept.before)
      assert.isTrue(
        kept.before !== undefined &&
          DateTime.isLessThan(kept.before.value.through, DateTime.subtract(now, { minutes: 14 }))
      )
      assert.deepStrictEqual(kept.next, anew.next)
      assert.strictEqual((yield* shown).ledger, 50 - 9)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
