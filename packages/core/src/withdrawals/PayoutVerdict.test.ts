import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import type { AccountId, PspCredentialId, WithdrawalId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspCapabilities, PspPayout } from "../ports/Psp.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import type { Cover } from "./PayoutFunds.ts"
import type { PayoutAnswer, PayoutVerdict } from "./PayoutConclusion.ts"
import type { PayoutLook } from "./PayoutVerdict.ts"
import { claimedTwice, decide, withoutPsp } from "./PayoutVerdict.ts"
import { isOperators, isToBeSent, operatorsSince, sending, Withdrawal } from "./Withdrawal.ts"

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

/** One of which no byte has left. */
const unsent = (over: Partial<Withdrawal> = {}) => {
  const { sentAt: _, unknownSince: __, ...rest } = withdrawal()
  return new Withdrawal({ ...rest, ...over })
}

const payout = (over: Partial<PspPayout> = {}): PspPayout => ({
  reference: withdrawal().reference,
  pspReference: "psp-1",
  status: "processing",
  amount: brl(9_50),
  ...over
})

const look = (
  seconds: number,
  capabilities: Partial<PspCapabilities> = {},
  over: Partial<PayoutLook> = {}
): PayoutLook => ({
  now: after(seconds),
  askedAt: after(seconds),
  isLate: false,
  mayPay: true,
  capabilities: {
    idempotentByReference: true,
    knowsPayer: true,
    notFoundIsFinalAfter: Duration.minutes(10),
    settlementLag: Duration.zero,
    ...capabilities
  },
  ...over
})
/** 5 s to leave, 15 s to be answered, 10 minutes until "not found" is final. */
const final = 620
const once = { idempotentByReference: false }

const unknown = { _tag: "Unknown", detail: "lost" } as const
const notSent = { _tag: "NotSent", detail: "refused" } as const
const rejected = { _tag: "Rejected", code: "limit_exceeded", message: "Too much." } as const
const absent: PspOutcome<PspPayout | undefined> = done(undefined)

const withdrawalOf = (verdict: PayoutVerdict): Withdrawal => {
  if (!("withdrawal" in verdict)) throw new Error(`${verdict._tag} has no withdrawal`)
  return verdict.withdrawal
}

/** A verdict in a word or two: what it is, how the withdrawal stands then, and when it is looked at again. */
const inWords = (verdict: PayoutVerdict, { now }: PayoutLook): string => {
  const waits = (again: DateTime.Utc | undefined) =>
    again === undefined
      ? "never"
      : `${(DateTime.toEpochMillis(again) - DateTime.toEpochMillis(now)) / 1_000}s`
  switch (verdict._tag) {
    case "Cover":
    case "Ask":
    case "Send":
    case "Again":
      return verdict._tag
    case "Ended":
      return `Ended ${verdict.withdrawal.status}${verdict.more ? " and more" : ""}`
    case "Contradicted":
      return `${verdict.reason} ${verdict.withdrawal.status} ${waits(verdict.again)}`
    case "Waiting":
    case "Unanswered":
      return `${verdict._tag} ${verdict.withdrawal.status} ${waits(verdict.again)}`
  }
}

/** Every state that decides differently. */
const states = {
  pending: unsent({ status: "pending" }),
  unsent: unsent(),
  short: unsent({ status: "pending", shortSince: start }),
  sent: withdrawal(),
  taken: withdrawal({ pspReference: "psp-1" }),
  "repeat refused": withdrawal({ refusedRepeat: rejected }),
  manual_review: withdrawal({ status: "manual_review" }),
  "manual_review of what is taken": unsent({
    status: "manual_review",
    sentAt: start,
    pspReference: "psp-1"
  }),
  completed: withdrawal({ status: "completed" }),
  failed: withdrawal({ status: "failed" }),
  reversed: withdrawal({ status: "reversed" })
}
type State = keyof typeof states

const notNow = { _tag: "NotNow", detail: "closed", after: Duration.minutes(1) } as const
const silences = {
  "refused to tell": rejected,
  "not asked": notSent,
  "not now": notNow,
  unknown
} as const
const told = {
  processing: done(payout()),
  completed: done(payout({ status: "completed" })),
  rejected: done(payout({ status: "rejected" })),
  reversed: done(payout({ status: "reversed" })),
  "another reference": done(payout({ status: "completed", reference: "other" })),
  "another amount": done(payout({ status: "completed", amount: brl(1) })),
  ...silences
} as const
const answers = { ...told, nothing: absent } as const
type Rows = Readonly<Record<keyof typeof answers | "no PSP", string>>

/** What decides a withdrawal whose outcome is not known, whoever waits for it. */
const undecided = {
  completed: "Ended completed",
  rejected: "Ended failed",
  reversed: "Ended completed and more",
  "another reference": "reference_mismatch manual_review 300s",
  "another amount": "amount_mismatch manual_review 300s"
}
/** What the PSP does not tell, or not news. */
const silent = <Words extends string>(words: Words) => ({
  "no PSP": words,
  "refused to tell": words,
  "not asked": words,
  "not now": words,
  unknown: words
})
const underWay = { ...undecided, ...silent("Waiting processing 30s") }
const reviewed = {
  ...undecided,
  ...silent("Waiting manual_review 300s"),
  nothing: "Waiting manual_review 300s"
}

/** What the PSP says a minute after it was told, where a repeat is safe. A withdrawal that it has not heard of is not asked about. */
const found: Readonly<Record<Exclude<State, "pending" | "unsent" | "short">, Rows>> = {
  sent: { ...underWay, processing: "Waiting processing 30s", nothing: "Send" },
  taken: { ...underWay, processing: "Waiting processing 30s", nothing: "Waiting processing 30s" },
  "repeat refused": {
    ...underWay,
    processing: "Waiting processing 30s",
    nothing: "Waiting processing 30s"
  },
  manual_review: { ...reviewed, processing: "Waiting processing 30s" },
  "manual_review of what is taken": { ...reviewed, processing: "Waiting manual_review 300s" },
  completed: {
    ...silent("Waiting completed 30s"),
    processing: "Waiting completed never",
    completed: "Waiting completed never",
    rejected: "completed_but_rejected completed never",
    reversed: "Ended reversed",
    "another reference": "reference_mismatch completed never",
    "another amount": "amount_mismatch completed never",
    nothing: "Waiting completed 30s"
  },
  failed: {
    ...silent("Waiting failed 30s"),
    processing: "Waiting failed never",
    completed: "failed_but_paid failed never",
    rejected: "Waiting failed never",
    reversed: "Waiting failed never",
    "another reference": "reference_mismatch failed never",
    "another amount": "failed_but_paid failed never",
    nothing: "Waiting failed never"
  },
  reversed: {
    ...silent("Waiting reversed 30s"),
    processing: "Waiting reversed never",
    completed: "Waiting reversed never",
    rejected: "Waiting reversed never",
    reversed: "Waiting reversed never",
    "another reference": "reference_mismatch reversed never",
    "another amount": "Waiting reversed never",
    nothing: "Waiting reversed never"
  }
}

const ask = (outcome: PspOutcome<PspPayout | undefined>): PayoutAnswer => ({
  _tag: "Found",
  outcome
})
const say = (of: Withdrawal, answer: PayoutAnswer, at: PayoutLook) =>
  inWords(decide(of, answer, at), at)

describe("what the PSP says when it is asked for a payout", () => {
  const at = look(60)
  for (const [state, rows] of Object.entries(found) as Array<[keyof typeof found, Rows]>) {
    const of = states[state]
    for (const [name, outcome] of Object.entries(answers)) {
      it(`${state}: ${name}`, () =>
        assert.strictEqual(say(of, ask(outcome), at), rows[name as keyof typeof answers]))
    }
    it(`${state}: no PSP`, () =>
      assert.strictEqual(inWords(withoutPsp(of, at), at), rows["no PSP"]))
  }

  it("what it has not heard of goes out once it is back", () => {
    for (const of of [states.pending, states.unsent, states.short])
      assert.strictEqual(inWords(withoutPsp(of, at), at), `Waiting ${of.status} 30s`)
  })

  it("no answer for a day is the operator's", () => {
    const day = 24 * 60 * 60
    assert.strictEqual(say(states.sent, ask(unknown), look(day - 1)), "Waiting processing 300s")
    assert.strictEqual(say(states.sent, ask(unknown), look(day)), "Unanswered manual_review 300s")
  })

  it("its word ends the time in which it said nothing", () => {
    const day = 24 * 60 * 60
    const known = withdrawalOf(decide(states.sent, ask(told.processing), look(1)))
    assert.isUndefined(known.unknownSince)
    const lost = withdrawalOf(decide(known, ask(unknown), look(day)))
    assert.strictEqual(lost.status, "processing")
    assert.deepStrictEqual(lost.unknownSince, after(day))
    // Under way without news for as long is the operator's all the same.
    assert.strictEqual(
      say(known, ask(told.processing), look(day + 1)),
      "Unanswered manual_review 300s"
    )
  })

  it("what it has paid it must know, an hour after it told so; what a person called paid it may not", () => {
    const { completed } = states
    const hour = 60 * 60
    assert.strictEqual(say(completed, ask(absent), look(hour - 1)), "Waiting completed 300s")
    assert.strictEqual(say(completed, ask(absent), look(hour)), "payment_gone completed never")
    const resolution = { reason: "Seen at the bank.", at: start }
    const persons = new Withdrawal({ ...completed, resolution })
    assert.strictEqual(say(persons, ask(absent), look(24 * hour - 1)), "Waiting completed 300s")
    assert.strictEqual(say(persons, ask(absent), look(24 * hour)), "Waiting completed never")
    assert.strictEqual(
      say(persons, ask(told["another amount"]), look(1)),
      "Waiting completed never"
    )
  })

  it("another end-to-end id under the same reference is another payout", () => {
    const completed = new Withdrawal({ ...states.completed, e2eId: "E1" })
    const other = done(payout({ status: "completed", endToEndId: "E2" }))
    assert.strictEqual(say(completed, ask(other), look(60)), "reference_mismatch completed never")
  })

  it("a payout that came back over another amount moves nothing", () => {
    const part = done(payout({ status: "reversed", amount: brl(1) }))
    assert.strictEqual(
      say(states.completed, ask(part), look(60)),
      "amount_mismatch completed never"
    )
  })

  it("a payout that another withdrawal has is shown to the operator", () => {
    const said = withdrawalOf(decide(states.sent, ask(told.completed), at))
    assert.strictEqual(
      inWords(claimedTwice(states.sent, said, at), at),
      "payment_claimed_twice manual_review 300s"
    )
  })

  it("a late look goes on to the next one, or waits for an answer as long as it takes", () => {
    const late = look(60 * 60, {}, { isLate: true })
    const again = 23 * 60 * 60
    assert.strictEqual(
      say(states.completed, ask(told.completed), late),
      `Waiting completed ${again}s`
    )
    assert.strictEqual(say(states.completed, ask(unknown), late), "Waiting completed 1800s")
  })
})

describe("a payout that the PSP does not find", () => {
  it("is sent again where a repeat is safe, unless its owner may not pay now", () => {
    assert.strictEqual(say(states.sent, ask(absent), look(1)), "Send")
    const suspended = look(1, {}, { mayPay: false })
    assert.strictEqual(say(states.sent, ask(absent), suspended), "Waiting processing 300s")
  })

  it("is a person's where the PSP may have forgotten that it is a repeat", () => {
    const hour = { repeatableFor: Duration.hours(1) }
    assert.strictEqual(say(states.sent, ask(absent), look(3_579, hour)), "Send")
    assert.strictEqual(
      say(states.sent, ask(absent), look(3_580, hour)),
      "Unanswered manual_review 300s"
    )
    const again = withdrawal({ sentAt: after(3_000), firstSentAt: after(0) })
    assert.strictEqual(say(again, ask(absent), look(3_600, hour)), "Unanswered manual_review 300s")
    // The first one that may have been heard is what counts.
    const later = withdrawal({ sentAt: after(3_000), firstSentAt: after(3_000) })
    assert.strictEqual(say(later, ask(absent), look(3_600, hour)), "Send")
  })

  it("has never been made, once it was not found three times when that is final", () => {
    let current = states.sent
    assert.strictEqual(say(current, ask(absent), look(final - 1, once)), "Waiting processing 300s")
    for (const seconds of [final, final + 60]) {
      const verdict = decide(current, ask(absent), look(seconds, once))
      assert.strictEqual(inWords(verdict, look(seconds, once)), "Waiting processing 300s")
      current = withdrawalOf(verdict)
    }
    const verdict = decide(current, ask(absent), look(final + 120, once))
    assert.strictEqual(inWords(verdict, look(final + 120)), "Ended failed")
    assert.strictEqual(withdrawalOf(verdict).failureReason, "psp_timeout")
  })

  it("though the PSP had it, is neither sent again nor given up", () => {
    assert.strictEqual(say(states.taken, ask(absent), look(final)), "Waiting processing 300s")
  })
})

/** What the PSP says when it is told: for the first time, and again while the first request may still arrive. */
const sent: Readonly<Record<keyof typeof told, readonly [string, string]>> = {
  processing: ["Waiting processing 1s", "Waiting processing 1s"],
  completed: ["Ended completed", "Ended completed"],
  rejected: ["Ended failed", "Ended failed"],
  reversed: ["Ended completed and more", "Ended completed and more"],
  "another reference": [
    "reference_mismatch manual_review 300s",
    "reference_mismatch manual_review 300s"
  ],
  "another amount": ["amount_mismatch manual_review 300s", "amount_mismatch manual_review 300s"],
  "refused to tell": ["Ended failed", "Waiting processing 30.5s"],
  "not asked": ["Waiting processing 1s", "Waiting processing 30.5s"],
  "not now": ["Waiting processing 1s", "Waiting processing 30.5s"],
  unknown: ["Waiting processing 1s", "Waiting processing 30.5s"]
}

const tell = (outcome: PspOutcome<PspPayout>, before?: DateTime.Utc): PayoutAnswer => ({
  _tag: "Sent",
  before,
  outcome
})
/** One that was told again after a minute. */
const repeated = withdrawal({ sentAt: after(60) })

describe("what the PSP says when a payout is sent", () => {
  for (const [name, outcome] of Object.entries(told)) {
    const [first, again] = sent[name as keyof typeof told]
    it(`${name}`, () => assert.strictEqual(say(states.sent, tell(outcome), look(1)), first))
    it(`${name}, the second time`, () =>
      assert.strictEqual(say(repeated, tell(outcome, start), look(61)), again))
  }

  it("a request that did not leave in time is decided on anew", () =>
    assert.strictEqual(say(states.sent, { _tag: "HeldUp" }, look(5)), "Again"))

  it("never sent may be sent again; lost may not", () => {
    const free = withdrawalOf(decide(states.sent, tell(notSent), look(1)))
    assert.isTrue(isToBeSent(free))
    const lost = withdrawalOf(decide(states.sent, tell(unknown), look(1)))
    assert.isFalse(isToBeSent(lost))
  })

  it("not sent for a day is shown to the operator, and is sent on", () => {
    const day = 24 * 60 * 60
    for (const outcome of [notSent, notNow]) {
      const current = withdrawal({ sentAt: after(day), firstSentAt: after(day) })
      const early = decide(current, tell(outcome), look(day - 1))
      assert.isUndefined(operatorsSince(withdrawalOf(early)))
      const verdict = decide(current, tell(outcome), look(day))
      assert.strictEqual(inWords(verdict, look(day)), "Waiting processing 300s")
      const shown = withdrawalOf(verdict)
      assert.deepStrictEqual(operatorsSince(shown), after(day))
      assert.strictEqual(say(shown, { _tag: "Due" }, look(day + 300)), "Send")
      const again = sending(shown, after(day + 300))
      assert.isUndefined(operatorsSince(again))
      const still = withdrawalOf(decide(again, tell(outcome), look(day + 300)))
      assert.deepStrictEqual(operatorsSince(still), after(day))
      // What may have been heard has a day of its own for its answer.
      const lost = decide(again, tell(unknown), look(2 * day + 299))
      assert.strictEqual(inWords(lost, look(2 * day + 299)), "Waiting processing 300s")
      assert.isUndefined(operatorsSince(withdrawalOf(lost)))
      assert.strictEqual(
        say(again, tell(unknown), look(2 * day + 300)),
        "Unanswered manual_review 300s"
      )
    }
  })

  it("never sent, after one that may have been heard, is asked about all the same", () => {
    const waiting = withdrawalOf(decide(repeated, tell(notSent, start), look(61)))
    assert.isFalse(isToBeSent(waiting))
    assert.deepStrictEqual(waiting.sentAt, start)
  })

  it("a repeat that is refused proves nothing while the first one may still arrive", () => {
    const waiting = withdrawalOf(decide(repeated, tell(rejected, start), look(61)))
    // It is not sent a third time, and fails when the first one's time is over.
    assert.strictEqual(say(waiting, ask(absent), look(final - 1)), "Waiting processing 300s")
    const failed = decide(waiting, ask(absent), look(final))
    assert.strictEqual(inWords(failed, look(final)), "Ended failed")
    assert.strictEqual(withdrawalOf(failed).failureReason, "limit_exceeded")
    // Unless the first one arrives.
    assert.strictEqual(say(waiting, ask(told.completed), look(100)), "Ended completed")
  })

  it("what was asked for while the first one could still arrive proves nothing, however late it comes", () => {
    const late = look(final + 3, {}, { askedAt: after(final - 1) })
    assert.strictEqual(say(repeated, tell(rejected, start), late), "Waiting processing 300s")
    const waiting = withdrawalOf(decide(repeated, tell(rejected, start), look(61)))
    assert.strictEqual(say(waiting, ask(absent), late), "Waiting processing 300s")
    const twice = withdrawal({ timesNotFound: 2 })
    const where = look(final + 3, once, { askedAt: after(final - 1) })
    assert.strictEqual(say(twice, ask(absent), where), "Waiting processing 300s")
  })

  it("a repeat that is refused when the first one's time is over fails", () => {
    const second = withdrawal({ sentAt: after(final) })
    assert.strictEqual(say(second, tell(rejected, start), look(final)), "Ended failed")
  })
})

describe("what is asked of the PSP first", () => {
  const notHeardOf: ReadonlyArray<string> = ["pending", "unsent", "short"] satisfies Array<State>
  for (const [state, of] of Object.entries(states)) {
    const words = notHeardOf.includes(state) ? "Cover" : "Ask"
    it(`${state}: ${words}`, () => assert.strictEqual(say(of, { _tag: "Due" }, look(60)), words))
  }

  it("nothing of what it took not now: it may keep that, and pay it when a person says so", () => {
    const kept = withdrawalOf(
      decide(states.unsent, { _tag: "Sent", before: undefined, outcome: notNow }, look(60))
    )
    assert.strictEqual(say(kept, { _tag: "Due" }, look(120)), "Send")
    const suspended = look(120, {}, { mayPay: false })
    assert.strictEqual(say(kept, { _tag: "Due" }, suspended), "Ask")
  })

  it("what it holds for what it has not heard of, however often nobody could make the request", () => {
    const sent = (of: Withdrawal, outcome: PspOutcome<PspPayout> | undefined, at: number) => {
      const answer = outcome ? { _tag: "Sent" as const, outcome } : { _tag: "NotMade" as const }
      const { sentAt: before } = of
      return withdrawalOf(decide(sending(of, after(at)), { ...answer, before }, look(at)))
    }
    const twice = sent(sent(states.pending, undefined, 60), undefined, 120)
    assert.strictEqual(say(twice, { _tag: "Due" }, look(180)), "Cover")
    // What it has heard once it may keep, whatever became of the next request.
    for (const heard of [notNow, notSent]) {
      const kept = sent(sent(twice, heard, 180), undefined, 240)
      assert.strictEqual(say(kept, { _tag: "Due" }, look(300)), "Send")
    }
  })

  it("of what it took not now, while its owner may not pay, for a day: then a person is shown it", () => {
    const day = 24 * 60 * 60
    const sent = { _tag: "Sent", before: undefined, outcome: notNow } as const
    const kept = withdrawalOf(decide(states.unsent, sent, look(0)))
    const asked = (at: number) =>
      withdrawalOf(decide(kept, ask(absent), look(at, {}, { mayPay: false })))
    assert.strictEqual(asked(day - 1), kept)
    assert.deepStrictEqual(operatorsSince(asked(day)), after(day))
  })

  it("of what it took not now, while its owner may not pay: it may have paid it", () => {
    const suspended = look(120, {}, { mayPay: false })
    for (const outcome of [absent, unknown])
      assert.strictEqual(say(states.unsent, ask(outcome), suspended), "Waiting processing 300s")
    assert.strictEqual(say(states.unsent, ask(told.completed), suspended), "Ended completed")
    const long = look(30 * 24 * 60 * 60, {}, { mayPay: false })
    assert.strictEqual(say(states.unsent, ask(absent), long), "Waiting processing 300s")
  })

  it("nothing of what it has not heard, while its owner may not pay", () => {
    const suspended = look(60, {}, { mayPay: false })
    assert.strictEqual(say(states.pending, { _tag: "Due" }, suspended), "Waiting pending 300s")
    assert.strictEqual(say(states.sent, { _tag: "Due" }, suspended), "Ask")
  })
})

describe("what the PSP holds for a payout", () => {
  const looked = (cover: Cover): PayoutAnswer => ({ _tag: "Looked", cover })
  const needsMoney = PspOutcome.needsMoney("too little", "1 minute")

  it("covers it, or is not told: then it is sent", () => {
    for (const cover of ["covered", "untold"] as const)
      for (const of of [states.pending, states.unsent, states.short])
        assert.strictEqual(say(of, looked(cover), look(60)), "Send")
  })

  it("cannot be asked for, as the PSP is left alone: then it waits as it is", () => {
    for (const of of [states.pending, states.unsent, states.short])
      assert.strictEqual(say(of, looked("unasked"), look(1)), `Waiting ${of.status} 1s`)
  })

  it("does not cover it: then it waits, however long, and is the operator's to decide", () => {
    const day = 24 * 60 * 60
    assert.strictEqual(say(states.pending, looked("short"), look(60)), "Waiting pending 1s")
    assert.strictEqual(say(states.short, looked("short"), look(60)), "Waiting pending 30s")
    assert.strictEqual(say(states.short, looked("short"), look(9 * day)), "Waiting pending 300s")
    const waiting = withdrawalOf(decide(states.unsent, looked("short"), look(60)))
    assert.deepStrictEqual(waiting.shortSince, after(60))
    assert.isUndefined(waiting.unknownSince)
    assert.isTrue(isOperators(waiting))
    // Nothing more is written while it goes on.
    assert.strictEqual(withdrawalOf(decide(waiting, looked("short"), look(120))), waiting)
  })

  it("covers it, and its owner may not pay by now: then it waits for that", () => {
    const suspended = look(60, {}, { mayPay: false })
    assert.strictEqual(say(states.pending, looked("covered"), suspended), "Waiting pending 300s")
  })

  it("is too little, as the PSP says when it is sent: then it waits likewise", () => {
    const waiting = withdrawalOf(decide(states.sent, tell(needsMoney), look(60)))
    assert.isTrue(isToBeSent(waiting))
    assert.isTrue(isOperators(waiting))
    assert.deepStrictEqual(waiting.shortSince, after(60))
  })

  it("is too little for a repeat: that says nothing of the first request", () => {
    const waiting = withdrawalOf(decide(repeated, tell(needsMoney, start), look(61)))
    assert.isFalse(isToBeSent(waiting))
    assert.isFalse(isOperators(waiting))
    assert.deepStrictEqual(waiting.sentAt, start)
  })

  it("does not matter any more once it is sent", () => {
    const next = sending(states.short, after(60))
    assert.isUndefined(next.shortSince)
    assert.isFalse(isOperators(next))
  })
})

it("the PSP is asked after a second, then less and less often, at least every 5 minutes", () => {
  const { sent: of } = states
  const wait = (seconds: number, one = of) => say(one, ask(unknown), look(seconds))
  assert.deepStrictEqual(
    [0, 2, 60, 600, 86_399].map((at) => wait(at)),
    [1, 1, 30, 300, 300].map((seconds) => `Waiting processing ${seconds}s`)
  )
  // Telling it again does not begin the waits anew.
  assert.strictEqual(wait(62, repeated), "Waiting processing 31s")
})
