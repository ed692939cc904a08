import { assert, describe, it } from "@effect/vitest"
import type { Centavos } from "../kernel/Money.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import { PayoutFunds } from "./PayoutFunds.ts"

const seconds = (count: number) => count * 1_000
const brl = (amount: number) => BigInt(amount * 100) as Centavos
const payout = (reference: string, amount: number) => ({ reference, amount: brl(amount) })

/** What a PSP told at the time 0 that it holds. */
const holding = (amount: number | undefined) => {
  const funds = new PayoutFunds()
  funds.tell(amount === undefined ? undefined : brl(amount), 0)
  return funds
}

describe("what a PSP holds", () => {
  it("has to be asked for first", () => {
    assert.isUndefined(new PayoutFunds().cover(payout("a", 1), 0))
  })

  it("covers payouts up to its last centavo, each of them once", () => {
    const funds = holding(100)
    assert.strictEqual(funds.cover(payout("a", 60), 0), "covered")
    assert.strictEqual(funds.cover(payout("a", 60), 0), "covered")
    assert.strictEqual(funds.cover(payout("b", 60), 0), "short")
    assert.strictEqual(funds.cover(payout("c", 40), 0), "covered")
    assert.strictEqual(funds.cover(payout("d", 0.01), 0), "short")
  })

  it("counts for 5 seconds while it covers, and for one while it does not", () => {
    const funds = holding(100)
    assert.strictEqual(funds.cover(payout("a", 10), seconds(5) - 1), "covered")
    assert.isUndefined(funds.cover(payout("b", 10), seconds(5)))
    assert.strictEqual(funds.cover(payout("c", 200), seconds(1) - 1), "short")
    assert.isUndefined(funds.cover(payout("c", 200), seconds(1)))
  })

  it("counts for nothing where time has gone back", () => {
    const funds = new PayoutFunds()
    funds.tell(brl(100), seconds(60))
    assert.isUndefined(funds.cover(payout("a", 10), seconds(59)))
  })

  it("counts from when it was told, however long that took, for whoever waited", () => {
    const funds = new PayoutFunds()
    assert.isFalse(funds.isToldSince(0))
    funds.tell(brl(100), 0, seconds(9))
    assert.isTrue(funds.isToldSince(seconds(9)))
    assert.isFalse(funds.isToldSince(seconds(9) + 1))
    assert.strictEqual(funds.cover(payout("a", 10), seconds(13)), "covered")
  })

  it("is without what a payout took by a clock that was ahead, once that is right again", () => {
    const funds = new PayoutFunds()
    funds.tell(brl(100), seconds(10_000))
    funds.cover(payout("ahead", 100), seconds(10_000))
    funds.sent("ahead", done({}), seconds(10_000))
    funds.tell(brl(100), 0)
    assert.strictEqual(funds.judge(payout("a", 100), 0), "covered")
  })

  it("is not asked for over and over where it is not told", () => {
    const funds = holding(undefined)
    assert.strictEqual(funds.cover(payout("a", 10), seconds(4)), "untold")
    assert.isUndefined(funds.cover(payout("a", 10), seconds(5)))
  })

  it("told anew, is without what was answered before; what is under way comes off", () => {
    const funds = holding(100)
    funds.cover(payout("answered", 30), 0)
    funds.cover(payout("under way", 30), 0)
    funds.sent("answered", done({}), seconds(1))
    funds.tell(brl(70), seconds(2))
    assert.strictEqual(funds.judge(payout("a", 41), seconds(2)), "short")
    assert.strictEqual(funds.judge(payout("a", 40), seconds(2)), "covered")
  })

  it("may have been told before a payout was answered that was under way then", () => {
    const funds = holding(100)
    funds.cover(payout("a", 60), 0)
    funds.tell(brl(100), seconds(1))
    funds.sent("a", done({}), seconds(2))
    assert.strictEqual(funds.judge(payout("b", 60), seconds(2)), "short")
  })

  it("is there for others where the PSP certainly did nothing", () => {
    const nothing = [
      undefined,
      PspOutcome.notSent("refused"),
      PspOutcome.rejected("no", "No."),
      PspOutcome.notNow("closed", "1 minute")
    ]
    for (const outcome of nothing) {
      const funds = holding(100)
      funds.cover(payout("a", 60), 0)
      funds.sent("a", outcome, 0)
      assert.strictEqual(funds.cover(payout("b", 60), 0), "covered")
    }
  })

  it("is not, for a minute, where nobody knows what became of a payout", () => {
    const funds = holding(100)
    funds.cover(payout("a", 60), 0)
    funds.sent("a", PspOutcome.unknown("lost"), seconds(15))
    funds.tell(brl(100), seconds(59))
    assert.strictEqual(funds.judge(payout("b", 60), seconds(59)), "short")
    funds.tell(brl(100), seconds(61))
    assert.strictEqual(funds.judge(payout("b", 60), seconds(61)), "covered")
  })

  it("is asked for at once, where the PSP says that it is too little", () => {
    const funds = holding(100)
    funds.cover(payout("a", 60), 0)
    funds.sent("a", PspOutcome.needsMoney("too little", "1 minute"), 0)
    assert.isUndefined(funds.cover(payout("b", 10), 0))
  })
})
