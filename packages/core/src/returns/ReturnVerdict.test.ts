import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import type { AccountId, PspCredentialId, PspReturnId, ReturnId, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspCapabilities, PspOutcome, PspRefund } from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import { goesOn, isAtRest, isHeldBack, Return } from "./Return.ts"
import type { Formers, ReturnAnswer, ReturnLook, ReturnVerdict } from "./ReturnVerdict.ts"
import { decide, formerSays, withoutPsp } from "./ReturnVerdict.ts"

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`
const start = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const after = (seconds: number) => DateTime.add(start, { seconds })
const brl = (centavos: number) => BigInt(centavos) as Centavos

const money = (over: Partial<ConstructorParameters<typeof Return>[0]> = {}) =>
  new Return({
    id: id(2) as ReturnId,
    account: id(1) as AccountId,
    wallet: id(1) as AccountId,
    purpose: "deposit",
    source: id(4) as Uuid,
    status: "requested",
    amount: brl(10_00),
    pspCredentialId: id(3) as PspCredentialId,
    endToEndId: "E1",
    createdAt: start,
    updatedAt: start,
    ...over
  })

const refund = (over: Partial<PspRefund> = {}): PspRefund => ({
  reference: money().reference,
  endToEndId: "E1",
  status: "processing",
  amount: brl(10_00),
  ...over
})

const look = (
  seconds: number,
  capabilities: Partial<PspCapabilities> = {},
  isLate = false
): ReturnLook => ({
  now: after(seconds),
  askedAt: after(seconds),
  isLate,
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
const hour = 60 * 60
const day = 24 * hour
const once = { idempotentByReference: false }

/** A verdict in a word or two: what it is, how the return stands then, who looks, and when it is looked at again. */
const inWords = (verdict: ReturnVerdict, { now }: ReturnLook): string => {
  const waits = (again: DateTime.Utc | undefined) =>
    again === undefined
      ? "never"
      : `${(DateTime.toEpochMillis(again) - DateTime.toEpochMillis(now)) / 1_000}s`
  const stands = ({ review, status }: Return) =>
    review === undefined ? status : `${status} (${review.reason})`
  switch (verdict._tag) {
    case "Ask":
      return "Ask"
    case "AskFormers":
      return verdict.isAlone ? "AskFormers alone" : "AskFormers"
    case "Send":
      return verdict.isAlone ? "Send alone" : "Send"
    case "Ended":
    case "Replaced":
      return `${verdict._tag} ${stands(verdict.money)}`
    case "Contradicted":
      return `${verdict.by.reason} ${stands(verdict.money)} ${waits(verdict.again)}`
    case "Waiting": {
      const doubt = verdict.doubt === undefined ? "" : `, ${verdict.doubt}`
      return `Waiting ${stands(verdict.money)} ${waits(verdict.again)}${doubt}`
    }
    case "Reopened":
      return `Reopened ${waits(verdict.again)}`
  }
}

const review = (reason: NonNullable<Return["review"]>["reason"]) => ({
  review: { since: start, reason }
})

/** Every state that decides differently. */
const states = {
  new: money(),
  resting: money({ rejections: 1 }),
  sent: money({ sentAt: start }),
  "in place of another": money({ replaces: id(9) as ReturnId }),
  "refund, sent": money({ sentAt: start, purpose: "refund" }),
  "refused twice, sent": money({ sentAt: start, rejections: 2 }),
  processing: money({ status: "processing", sentAt: start }),
  unanswered: money({ sentAt: start, ...review("unanswered") }),
  refused: money({ rejections: 3, ...review("refused") }),
  contradicted: money(review("contradicted")),
  confirmed: money({ status: "confirmed" }),
  failed: money({ status: "failed" }),
  replaced: money({ status: "replaced" })
}
type State = keyof typeof states

const notNow = { _tag: "NotNow", detail: "closed", after: Duration.minutes(1) } as const
const notSent = { _tag: "NotSent", detail: "refused" } as const
const unknown = { _tag: "Unknown", detail: "lost" } as const
const rejected = { _tag: "Rejected", code: "limit", message: "Too much." } as const
const told = {
  processing: done(refund()),
  confirmed: done(refund({ status: "confirmed" })),
  rejected: done(refund({ status: "rejected" })),
  "another reference": done(refund({ status: "confirmed", reference: "other" })),
  "another payment": done(refund({ status: "confirmed", endToEndId: "E2" })),
  "another amount": done(refund({ status: "confirmed", amount: brl(1) })),
  "refused to tell": rejected,
  "not asked": notSent,
  "not now": notNow,
  unknown
} as const
const absent: PspOutcome<PspRefund | undefined> = done(undefined)
const answers = { ...told, nothing: absent } as const

const ask = (outcome: PspOutcome<PspRefund | undefined>): ReturnAnswer => ({
  _tag: "Found",
  outcome
})
const tell = (outcome: PspOutcome<PspRefund>, isAlone = true): ReturnAnswer => ({
  _tag: "Sent",
  outcome,
  isAlone
})
const say = (of: Return, answer: ReturnAnswer, at: ReturnLook) =>
  inWords(decide(of, answer, at), at)

type Rows = Readonly<Record<keyof typeof answers | "no PSP", string>>

/** What is not believed, and what is not told, of a return that stands so. */
const inDoubt = <Stands extends string>(stands: Stands, wait = "15s") => ({
  "another reference": `reference_mismatch ${stands} ${wait}`,
  "another payment": `amount_mismatch ${stands} ${wait}`,
  "another amount": `amount_mismatch ${stands} ${wait}`,
  "refused to tell": `Waiting ${stands} ${wait}, Rejected`,
  "not asked": `Waiting ${stands} ${wait}, NotSent`,
  "not now": `Waiting ${stands} ${wait}, NotNow`,
  unknown: `Waiting ${stands} ${wait}, Unknown`,
  "no PSP": `Waiting ${stands} ${wait}`
})
const taken = { processing: "Waiting processing 2s", confirmed: "Ended confirmed" }
const persons = {
  processing: "Waiting processing (unanswered) 2s",
  confirmed: "Ended confirmed"
}
const ended = (stands: string) => ({
  processing: `Waiting ${stands} never`,
  rejected: `Waiting ${stands} never`,
  "another reference": `reference_mismatch ${stands} never`,
  "refused to tell": `Waiting ${stands} 15s`,
  "not asked": `Waiting ${stands} 15s`,
  "not now": `Waiting ${stands} 15s`,
  unknown: `Waiting ${stands} 15s`,
  nothing: `Waiting ${stands} never`,
  "no PSP": `Waiting ${stands} 15s`
})
const undone = (stands: string) => ({
  ...ended(stands),
  confirmed: `failed_but_paid ${stands} never`,
  "another payment": `failed_but_paid ${stands} never`,
  "another amount": `failed_but_paid ${stands} never`
})

/** What the PSP says when it is asked half a minute after it was told, where a repeat is safe. What it was not told of it is not asked about. */
const found: Readonly<Record<Exclude<State, "new" | "in place of another">, Rows>> = {
  resting: {
    ...inDoubt("requested"),
    ...taken,
    rejected: "Waiting requested 30s",
    nothing: "Waiting requested 30s"
  },
  sent: {
    ...inDoubt("requested"),
    ...taken,
    rejected: "Replaced requested",
    nothing: "Send"
  },
  "refund, sent": {
    ...inDoubt("requested"),
    ...taken,
    rejected: "Ended failed",
    nothing: "Send"
  },
  "refused twice, sent": {
    ...inDoubt("requested"),
    ...taken,
    rejected: "Waiting requested (refused) never",
    nothing: "Send"
  },
  processing: {
    ...inDoubt("processing"),
    ...taken,
    processing: "Waiting processing 15s",
    rejected: "Replaced requested",
    nothing: "Waiting processing 15s, NotFound"
  },
  unanswered: {
    ...inDoubt("requested (unanswered)"),
    ...persons,
    rejected: "Waiting requested (refused) never",
    nothing: "Send"
  },
  refused: {
    ...inDoubt("requested (refused)"),
    ...persons,
    rejected: "Waiting requested (refused) never",
    nothing: "Waiting requested (refused) never"
  },
  contradicted: {
    ...inDoubt("requested (contradicted)"),
    ...persons,
    rejected: "Waiting requested (contradicted) never",
    nothing: "Waiting requested (contradicted) never"
  },
  confirmed: {
    ...ended("confirmed"),
    confirmed: "Waiting confirmed never",
    rejected: "completed_but_rejected confirmed never",
    "another payment": "amount_mismatch confirmed never",
    "another amount": "amount_mismatch confirmed never"
  },
  failed: undone("failed"),
  replaced: undone("replaced")
}

describe("what the PSP says when it is asked for a return", () => {
  const at = look(30)
  for (const [state, rows] of Object.entries(found) as Array<[keyof typeof found, Rows]>) {
    const of = states[state]
    for (const [name, outcome] of Object.entries(answers)) {
      it(`${state}: ${name}`, () =>
        assert.strictEqual(say(of, ask(outcome), at), rows[name as keyof typeof answers]))
    }
    it(`${state}: no PSP`, () =>
      assert.strictEqual(inWords(withoutPsp(of, at), at), rows["no PSP"]))
  }

  it("of what it was not told, nothing: it waits where the PSP is not configured", () => {
    for (const of of [states.new, states["in place of another"]])
      assert.strictEqual(inWords(withoutPsp(of, at), at), "Waiting requested 15s")
  })

  it("without an end of what has one counts an hour after that", () => {
    const later = look(hour)
    const { confirmed, failed } = states
    const persons = new Return({ ...confirmed, resolution: { reason: "Paid by hand.", at: start } })
    for (const outcome of [told.processing, absent]) {
      assert.strictEqual(
        say(confirmed, ask(outcome), later),
        "completed_but_rejected confirmed never"
      )
      assert.strictEqual(say(persons, ask(outcome), later), "Waiting confirmed never")
    }
    assert.strictEqual(say(failed, ask(told.processing), later), "failed_but_paid failed never")
    assert.strictEqual(say(failed, ask(absent), later), "Waiting failed never")
  })

  it("and what has not ended in a day, a person looks at once", () => {
    const late = look(day)
    assert.strictEqual(
      say(states.processing, ask(unknown), late),
      "Waiting processing (unanswered) 300s, Unknown"
    )
    assert.strictEqual(
      say(states.processing, ask(told.processing), late),
      "Waiting processing (unanswered) 300s"
    )
    assert.strictEqual(
      say(states.sent, ask(told["another amount"]), late),
      "amount_mismatch requested (unanswered) 300s"
    )
    assert.strictEqual(
      say(states.refused, ask(unknown), late),
      "Waiting requested (refused) 300s, Unknown"
    )
  })
})

describe("a late look at a return", () => {
  const at = look(30, {}, true)
  const next = "3570s"

  it("goes on to the next one, or waits for an answer as long as it takes", () => {
    assert.strictEqual(say(states.confirmed, ask(told.confirmed), at), `Waiting confirmed ${next}`)
    assert.strictEqual(say(states.confirmed, ask(unknown), at), "Waiting confirmed 300s")
    assert.strictEqual(inWords(withoutPsp(states.confirmed, at), at), "Waiting confirmed 300s")
    assert.strictEqual(
      say(states.failed, ask(told.confirmed), at),
      `failed_but_paid failed ${next}`
    )
  })

  it("at one that was refused too often judges anew what it finds under way", () => {
    assert.strictEqual(say(states.refused, { _tag: "Due" }, at), "Ask")
    assert.strictEqual(say(states.refused, ask(told.confirmed), at), `Reopened ${next}`)
    assert.strictEqual(
      say(states.refused, ask(told.rejected), at),
      `Waiting requested (refused) ${next}`
    )
  })
})

describe("a return that the PSP does not find", () => {
  const { sent } = states

  it("is sent again where a repeat is safe; its refusal counts once nothing else can arrive", () => {
    assert.strictEqual(say(sent, ask(absent), look(final - 1)), "Send")
    assert.strictEqual(say(sent, ask(absent), look(final)), "Send alone")
  })

  it("is sent again elsewhere once it was not found three times at times that count", () => {
    assert.strictEqual(say(sent, ask(absent), look(final - 1, once)), "Waiting requested 1s")
    const first = decide(sent, ask(absent), look(final, once))
    assert.strictEqual(inWords(first, look(final)), `Waiting requested ${final / 2}s`)
    const one = first._tag === "Waiting" ? first.money : sent
    assert.deepStrictEqual(one.unfound, { times: 1, at: after(final) })
    const two = money({ sentAt: start, unfound: { times: 2, at: after(final * 1.5) } })
    assert.strictEqual(say(two, ask(absent), look(final * 2 - 1, once)), "Waiting requested 1s")
    assert.strictEqual(say(two, ask(absent), look(final * 2, once)), "Send alone")
  })

  it("was asked for when it was asked for: what could arrive then may have, by the answer", () => {
    const late = (capabilities: Partial<PspCapabilities> = {}) => ({
      ...look(final + 3, capabilities),
      askedAt: after(final - 1)
    })
    assert.strictEqual(say(sent, ask(absent), late()), "Send")
    const three = money({ sentAt: start, unfound: { times: 2, at: after(1) } })
    assert.strictEqual(say(three, ask(absent), late(once)), "Waiting requested -3s")
  })

  it("is asked about with those in whose place it is, before it is sent again", () => {
    const other = new Return({ ...sent, replaces: id(9) as ReturnId })
    assert.strictEqual(say(other, ask(absent), look(final)), "AskFormers alone")
    assert.strictEqual(say(other, ask(absent), look(1)), "AskFormers")
  })
})

/** What the PSP says when it is told: alone, and while an earlier request may still arrive. */
const sent: Readonly<Record<keyof typeof told, readonly [string, string]>> = {
  processing: ["Waiting processing 2s", "Waiting processing 2s"],
  confirmed: ["Ended confirmed", "Ended confirmed"],
  rejected: ["Replaced requested", "Replaced requested"],
  "another reference": ["reference_mismatch requested 2s", "reference_mismatch requested 2s"],
  "another payment": ["amount_mismatch requested 2s", "amount_mismatch requested 2s"],
  "another amount": ["amount_mismatch requested 2s", "amount_mismatch requested 2s"],
  // The refusal of a repeat says nothing about the first request, until that cannot arrive any more.
  "refused to tell": ["Waiting requested 60s", "Waiting requested 619s"],
  "not asked": ["Waiting requested 2s", "Waiting requested 2s"],
  "not now": ["Waiting requested 2s", "Waiting requested 2s"],
  unknown: ["Waiting requested 2s, Unknown", "Waiting requested 2s, Unknown"]
}

describe("what the PSP says when a return is sent", () => {
  const at = look(1)
  for (const [name, outcome] of Object.entries(told)) {
    const [alone, beside] = sent[name as keyof typeof told]
    it(name, () => assert.strictEqual(say(states.sent, tell(outcome), at), alone))
    it(`${name}, beside an earlier request`, () =>
      assert.strictEqual(say(states.sent, tell(outcome, false), at), beside))
  }

  it("a request that did not leave in time is asked about at once", () =>
    assert.strictEqual(say(states.sent, { _tag: "HeldUp" }, look(5)), "Waiting requested 0s"))

  it("never sent may be sent again unasked, if nothing was sent before; lost may not", () => {
    const next = (answer: ReturnAnswer) => {
      const verdict = decide(states.sent, answer, at)
      return verdict._tag === "Waiting" ? say(verdict.money, { _tag: "Due" }, at) : verdict._tag
    }
    assert.strictEqual(next(tell(notSent)), "Send alone")
    assert.strictEqual(next(tell(notSent, false)), "Ask")
    assert.strictEqual(next(tell(unknown)), "Ask")
  })
})

describe("what the PSP says of the returns in whose place one is", () => {
  const of = states["in place of another"]
  const former = states.replaced
  const known = refund({ status: "confirmed" })
  const rows: Readonly<Record<Formers["_tag"], readonly [Formers, string]>> = {
    Undone: [{ _tag: "Undone" }, "Send"],
    Unanswered: [{ _tag: "Unanswered", outcome: "Unknown" }, "Waiting requested 15s, Unknown"],
    Another: [
      { _tag: "Another", money: former, reason: "reference_mismatch", known },
      "reference_mismatch requested 15s"
    ],
    Contradicted: [
      { _tag: "Contradicted", money: former, reason: "failed_but_paid", known },
      "failed_but_paid requested (contradicted) never"
    ]
  }
  for (const [name, [said, words]] of Object.entries(rows)) {
    it(name, () =>
      assert.strictEqual(say(of, { _tag: "Formers", said, isAlone: false }, look(30)), words)
    )
  }

  it("is read from what it answers about each", () => {
    const says = (outcome: PspOutcome<PspRefund | undefined>, seconds = 30) => {
      const said = formerSays(former, outcome, after(seconds))
      return said._tag === "Unanswered" ? said.outcome : said._tag
    }
    const words: Readonly<Record<keyof typeof answers, string>> = {
      processing: "Processing",
      confirmed: "Contradicted",
      rejected: "Undone",
      "another reference": "Another",
      "another payment": "Contradicted",
      "another amount": "Contradicted",
      "refused to tell": "Rejected",
      "not asked": "NotSent",
      "not now": "NotNow",
      unknown: "Unknown",
      nothing: "Undone"
    }
    for (const [name, outcome] of Object.entries(answers))
      assert.strictEqual(says(outcome), words[name as keyof typeof answers], name)
    // Older than the refusal it may be for an hour.
    assert.strictEqual(says(told.processing, hour), "Contradicted")
  })
})

it("is at rest where nothing of it, or of one before it, may be under way", () => {
  const resting = Object.entries(states).filter(([, state]) => isAtRest(state))
  assert.deepStrictEqual(
    resting.map(([name]) => name),
    ["new", "resting", "in place of another", "refused"]
  )
})

describe("what is asked of the PSP first", () => {
  const first: Readonly<Record<State, string>> = {
    new: "Send alone",
    resting: "Ask",
    sent: "Ask",
    "in place of another": "AskFormers alone",
    "refund, sent": "Ask",
    "refused twice, sent": "Ask",
    processing: "Ask",
    unanswered: "Ask",
    refused: "Ask",
    contradicted: "Ask",
    confirmed: "Ask",
    failed: "Ask",
    replaced: "Ask"
  }
  for (const [state, words] of Object.entries(first) as Array<[State, string]>) {
    it(state, () => assert.strictEqual(say(states[state], { _tag: "Due" }, look(30)), words))
  }

  it("to do it anew, once a refused one has rested", () =>
    assert.strictEqual(say(states.resting, { _tag: "Due" }, look(60)), "Send alone"))
})

describe("a refund beside a return of its PSP that nobody has decided", () => {
  const besides = id(9) as PspReturnId
  const held = money({ purpose: "refund", besides })

  it("is not sent, nor asked for, however long it waits", () => {
    const verdict = decide(held, { _tag: "Due" }, look(2 * day))
    assert.strictEqual(verdict._tag, "Waiting")
    if (verdict._tag !== "Waiting") return
    assert.strictEqual(verdict.money, held)
    assert.isDefined(verdict.again)
  })

  it("that was sent is asked for, and waits once it cannot arrive any more", () => {
    const sent = money({ purpose: "refund", besides, sentAt: start, firstSentAt: start })
    assert.deepStrictEqual(decide(sent, { _tag: "Due" }, look(hour)), { _tag: "Ask" })
    const verdict = decide(sent, { _tag: "Found", outcome: done(undefined) }, look(hour))
    assert.strictEqual(verdict._tag, "Waiting")
    if (verdict._tag === "Waiting") assert.isTrue(isHeldBack(verdict.money))
  })

  it("goes on once that is decided, unless there is another", () => {
    assert.strictEqual(goesOn(held, besides, start).besides, besides)
    assert.strictEqual(
      decide(goesOn(held, undefined, start), { _tag: "Due" }, look(1))._tag,
      "Send"
    )
  })
})
