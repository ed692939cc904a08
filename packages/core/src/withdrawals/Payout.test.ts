import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import type { AccountId, PspCredentialId, WithdrawalId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspCapabilities, PspOutcome, PspPayout } from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import type { PayoutContext, Verdict } from "./Payout.ts"
import { afterAsking, afterSending, isToBeSent, mayStillLeave, nextLook } from "./Payout.ts"
import { Withdrawal } from "./Withdrawal.ts"

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`
const start = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const after = (seconds: number) => DateTime.add(start, { seconds })
const brl = (centavos: number) => BigInt(centavos) as Centavos

const withdrawal = (over: Partial<ConstructorParameters<typeof Withdrawal>[0]> = {}) =>
  new Withdrawal({
    id: id(2) as WithdrawalId,
    account: id(1) as AccountId,
    wallet: id(1) as AccountId,
    status: "processing",
    amount: brl(10_00),
    feeAmount: brl(50),
    promotionalAmount: brl(0),
    pixKey: "ana@example.com",
    pixKeyType: "email",
    pspCredentialId: id(3) as PspCredentialId,
    createdAt: start,
    updatedAt: start,
    sentAt: start,
    unknownSince: start,
    ...over
  })

const payout = (over: Partial<PspPayout> = {}): PspPayout => ({
  reference: withdrawal().reference,
  pspReference: "psp-1",
  status: "processing",
  amount: brl(9_50),
  ...over
})

const context = (seconds: number, capabilities: Partial<PspCapabilities> = {}): PayoutContext => ({
  now: after(seconds),
  deadline: Duration.seconds(15),
  capabilities: {
    idempotentByReference: true,
    knowsPayer: true,
    notFoundIsFinalAfter: Duration.minutes(10),
    settlementLag: Duration.zero,
    ...capabilities
  }
})
/** 5 s to leave, 15 s to be answered, 10 minutes until "not found" is final. */
const final = 620
const once = { idempotentByReference: false }

const unknown = { _tag: "Unknown", detail: "lost" } as const
const notSent = { _tag: "NotSent", detail: "refused" } as const
const rejected = { _tag: "Rejected", code: "limit_exceeded", message: "Too much." } as const
const absent: PspOutcome<PspPayout | undefined> = done(undefined)

const statusOf = (verdict: Verdict): string =>
  "withdrawal" in verdict ? verdict.withdrawal.status : "none"
const shapeOf = (verdict: Verdict): string => `${verdict._tag} ${statusOf(verdict)}`
const withdrawalOf = (verdict: Verdict): Withdrawal => {
  if (!("withdrawal" in verdict)) throw new Error(`${verdict._tag} has no withdrawal`)
  return verdict.withdrawal
}

describe("the answer to a request", () => {
  const rows: ReadonlyArray<readonly [string, PspOutcome<PspPayout>, string]> = [
    ["taken", done(payout()), "Waiting processing"],
    ["paid at once", done(payout({ status: "completed" })), "Settled completed"],
    ["taken and refused", done(payout({ status: "rejected" })), "Settled failed"],
    ["paid and back already", done(payout({ status: "reversed" })), "Settled completed"],
    ["refused", rejected, "Settled failed"],
    ["never sent", notSent, "Waiting processing"],
    ["lost", unknown, "Waiting processing"],
    ["another amount", done(payout({ amount: brl(1) })), "Contradicted manual_review"]
  ]
  for (const [name, outcome, shape] of rows) {
    it(name, () =>
      assert.strictEqual(shapeOf(afterSending(withdrawal(), undefined, outcome, context(1))), shape)
    )
  }

  it("paid and back again is booked as paid first", () => {
    const verdict = afterSending(
      withdrawal(),
      undefined,
      done(payout({ status: "reversed" })),
      context(1)
    )
    assert.isTrue(verdict._tag === "Settled" && verdict.more)
  })

  it("never sent may be sent again; lost may not", () => {
    const free = withdrawalOf(afterSending(withdrawal(), undefined, notSent, context(1)))
    assert.isTrue(isToBeSent(free))
    const lost = withdrawalOf(afterSending(withdrawal(), undefined, unknown, context(1)))
    assert.isFalse(isToBeSent(lost))
  })

  it("never sent, after one that may have been heard, is asked about all the same", () => {
    const second = withdrawal({ sentAt: after(60) })
    const waiting = withdrawalOf(afterSending(second, start, notSent, context(61)))
    assert.isFalse(isToBeSent(waiting))
    assert.deepStrictEqual(waiting.sentAt, start)
  })

  it("a repeat that is refused proves nothing while the first one may still arrive", () => {
    const second = withdrawal({ sentAt: after(60) })
    const verdict = afterSending(second, start, rejected, context(61))
    assert.strictEqual(shapeOf(verdict), "Waiting processing")
    const waiting = withdrawalOf(verdict)
    // It is not sent a third time, and fails when the first one's time is over.
    assert.strictEqual(
      shapeOf(afterAsking(waiting, absent, context(final - 1))),
      "Waiting processing"
    )
    const failed = afterAsking(waiting, absent, context(final))
    assert.strictEqual(shapeOf(failed), "Settled failed")
    assert.strictEqual(withdrawalOf(failed).failureReason, "limit_exceeded")
    // Unless the first one arrives.
    const paid = afterAsking(waiting, done(payout({ status: "completed" })), context(100))
    assert.strictEqual(shapeOf(paid), "Settled completed")
  })

  it("a repeat that is refused when the first one's time is over fails", () => {
    const second = withdrawal({ sentAt: after(final) })
    assert.strictEqual(
      shapeOf(afterSending(second, start, rejected, context(final))),
      "Settled failed"
    )
  })
})

describe("what the PSP says about a payout whose outcome is not known", () => {
  const day = 24 * 60 * 60
  const rows: ReadonlyArray<
    readonly [string, PspOutcome<PspPayout | undefined>, PayoutContext, string]
  > = [
    ["processing", done(payout()), context(1), "Waiting processing"],
    ["completed", done(payout({ status: "completed" })), context(1), "Settled completed"],
    ["rejected", done(payout({ status: "rejected" })), context(1), "Settled failed"],
    ["no answer", unknown, context(1), "Waiting processing"],
    ["no answer for nearly a day", unknown, context(day - 1), "Waiting processing"],
    ["no answer for a day", unknown, context(day), "Unanswered manual_review"],
    ["not found, where a repeat is safe", absent, context(1), "Send none"],
    [
      "not found too early, where it is not",
      absent,
      context(final - 1, once),
      "Waiting processing"
    ],
    ["not found for the first time that counts", absent, context(final, once), "Waiting processing"]
  ]
  for (const [name, outcome, at, shape] of rows) {
    it(name, () => assert.strictEqual(shapeOf(afterAsking(withdrawal(), outcome, at)), shape))
  }

  it("not found three times, when that is final, fails", () => {
    let current = withdrawal()
    for (const seconds of [final, final + 60]) {
      const verdict = afterAsking(current, absent, context(seconds, once))
      assert.strictEqual(shapeOf(verdict), "Waiting processing")
      current = withdrawalOf(verdict)
    }
    const verdict = afterAsking(current, absent, context(final + 120, once))
    assert.strictEqual(shapeOf(verdict), "Settled failed")
    assert.strictEqual(withdrawalOf(verdict).failureReason, "psp_timeout")
  })

  it("not found, though the PSP had it: it is neither sent again nor given up", () => {
    const taken = withdrawal({ pspReference: "psp-1" })
    assert.strictEqual(shapeOf(afterAsking(taken, absent, context(final))), "Waiting processing")
  })

  it("the PSP's word ends the time in which it said nothing", () => {
    const known = withdrawalOf(afterAsking(withdrawal(), done(payout()), context(1)))
    assert.isUndefined(known.unknownSince)
    const lost = withdrawalOf(afterAsking(known, unknown, context(day)))
    assert.strictEqual(lost.status, "processing")
    assert.deepStrictEqual(lost.unknownSince, after(day))
  })

  it("a definite answer decides what waits for the operator too, and nothing else does", () => {
    const review = withdrawal({ status: "manual_review" })
    const say = (outcome: PspOutcome<PspPayout | undefined>) =>
      shapeOf(afterAsking(review, outcome, context(day)))
    assert.strictEqual(say(done(payout({ status: "completed" }))), "Settled completed")
    assert.strictEqual(say(done(payout({ status: "rejected" }))), "Settled failed")
    for (const outcome of [unknown, absent, done(payout())]) {
      assert.strictEqual(say(outcome), "Unchanged none")
    }
  })
})

describe("what the PSP says about a payout that has ended", () => {
  const say = (
    status: "completed" | "failed" | "reversed",
    said: PspPayout["status"] | undefined
  ) =>
    shapeOf(
      afterAsking(
        withdrawal({ status }),
        said === undefined ? absent : done(payout({ status: said })),
        context(1)
      )
    )
  const rows = [
    ["completed", "reversed", "Settled reversed"],
    ["completed", "completed", "Unchanged none"],
    ["completed", "processing", "Unchanged none"],
    ["completed", "rejected", "Contradicted completed"],
    ["completed", undefined, "Waiting completed"],
    ["failed", "completed", "Contradicted failed"],
    ["failed", "reversed", "Unchanged none"],
    ["failed", "rejected", "Unchanged none"],
    ["failed", "processing", "Unchanged none"],
    ["failed", undefined, "Unchanged none"],
    ["reversed", "completed", "Unchanged none"],
    ["reversed", "reversed", "Unchanged none"],
    ["reversed", "rejected", "Unchanged none"],
    ["reversed", undefined, "Unchanged none"]
  ] as const
  for (const [status, said, shape] of rows) {
    it(`${status}, and now ${said ?? "not found"}`, () =>
      assert.strictEqual(say(status, said), shape))
  }
})

describe("the times of a payout", () => {
  it("a request leaves within 5 seconds of its intent, or not at all", () => {
    assert.isTrue(mayStillLeave(withdrawal(), after(4)))
    assert.isFalse(mayStillLeave(withdrawal(), after(5)))
  })

  it("the PSP is asked after a second, then less and less often, at least every 5 minutes", () => {
    const wait = (seconds: number, of = withdrawal()) =>
      (DateTime.toEpochMillis(nextLook(of, after(seconds))) -
        DateTime.toEpochMillis(after(seconds))) /
      1_000
    assert.deepStrictEqual(
      [0, 2, 60, 600, 86_400].map((at) => wait(at)),
      [1, 1, 30, 300, 300]
    )
    // Telling it again does not begin the waits anew.
    assert.strictEqual(wait(62, withdrawal({ sentAt: after(60) })), 31)
  })
})
