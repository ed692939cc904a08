import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import type { AccountId, ChargeId, PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspCharge, PspPayment } from "../ports/Psp.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import { Charge } from "./Charge.ts"
import type { ChargeAnswer, ChargeLook, ChargeQuestion, ChargeVerdict } from "./ChargeVerdict.ts"
import { afterWish, decide, afterCreating, unlearnt } from "./ChargeVerdict.ts"

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`
const start = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const after = (seconds: number) => DateTime.add(start, { seconds })
const brl = (centavos: number) => BigInt(centavos) as Centavos
const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** Asked for a day. */
const charge = (over: Partial<ConstructorParameters<typeof Charge>[0]> = {}) =>
  new Charge({
    id: id(2) as ChargeId,
    account: id(1) as AccountId,
    wallet: id(1) as AccountId,
    status: "pending",
    amount: brl(10_00),
    pspCredentialId: id(3) as PspCredentialId,
    createdAt: start,
    updatedAt: start,
    expiresAt: after(day),
    ...over
  })

const payment = (endToEndId: string, over: Partial<PspPayment> = {}): PspPayment => ({
  endToEndId,
  amount: brl(10_00),
  paidAt: after(1),
  ...over
})

const atPsp = (
  status: PspCharge["status"],
  payments: ReadonlyArray<PspPayment> = []
): PspCharge => ({
  reference: charge().reference,
  pspPaymentId: "psp-1",
  status,
  amount: brl(10_00),
  pixCopyPaste: "code",
  createdAt: start,
  expiresAt: after(day),
  payments
})

type Occasion = "deadline" | "notice" | "late"

const look = (seconds: number, occasion: Occasion, over: Partial<ChargeLook> = {}): ChargeLook => ({
  now: after(seconds),
  askedAt: after(seconds),
  due: after(seconds),
  isLate: occasion === "late",
  isNotice: occasion === "notice",
  closedAt: undefined,
  capabilities: {
    idempotentByReference: true,
    knowsPayer: true,
    notFoundIsFinalAfter: Duration.minutes(10),
    settlementLag: Duration.minutes(1)
  },
  ...over
})

/** A verdict in a word or two: what it is, how the charge stands then, and when it is looked at again. */
const inWords = (verdict: ChargeVerdict, { now }: Pick<ChargeLook, "now">): string => {
  const waits = (again: DateTime.Utc | undefined) =>
    again === undefined
      ? "never"
      : `${(DateTime.toEpochMillis(again) - DateTime.toEpochMillis(now)) / 1_000}s`
  switch (verdict._tag) {
    case "Ask":
      return verdict.afterCancel === undefined ? "Ask" : `Ask after ${verdict.afterCancel.why}`
    case "Cancel":
      return `Cancel ${verdict.why}`
    case "Booked": {
      const { endToEndId } = verdict.payment
      return `Booked ${endToEndId} ${verdict.charge.status} ${verdict.isLast ? waits(verdict.again) : "and more"}`
    }
    case "Ended":
      return `Ended ${verdict.charge.status} ${waits(verdict.again)}`
    case "Waiting": {
      const doubt = verdict.doubt === undefined ? "" : `, ${verdict.doubt}`
      return `Waiting ${verdict.charge.status} ${waits(verdict.again)}${doubt}`
    }
    case "Contradicted":
      return `${verdict.reason} ${verdict.charge.status} ${waits(verdict.again)}`
  }
}

/** Every state that decides differently, two minutes after it began or ended; `over` a day later. */
const states = {
  creating: charge({ status: "creating" }),
  "creating, with a key": charge({ status: "creating", idempotencyKey: "key" }),
  pending: charge(),
  "pending, over": charge({ expiresAt: after(minute) }),
  "pending, to be cancelled": charge({ cancelRequestedAt: start }),
  completed: charge({ status: "completed", e2eId: "E1" }),
  expired: charge({ status: "expired" }),
  cancelled: charge({ status: "cancelled" }),
  "failed, refused": charge({ status: "failed" }),
  "failed, blocked": charge({ status: "failed", e2eId: "E1" })
}
type State = keyof typeof states

const rejected = { _tag: "Rejected", code: "limit", message: "No." } as const
const notNow = PspOutcome.notNow("too many requests", "1 minute")
const notSent = { _tag: "NotSent", detail: "refused" } as const
const unknown = { _tag: "Unknown", detail: "lost" } as const
const told = {
  active: done(atPsp("active")),
  removed: done(atPsp("removed")),
  "paid by E1": done(atPsp("paid", [payment("E1")])),
  "paid by E2": done(atPsp("paid", [payment("E2")])),
  "refused to tell": rejected,
  "not asked": notSent,
  "not now": notNow,
  unknown
} as const
const answers = { ...told, nothing: done(undefined) } as const
type Rows = Readonly<Record<keyof typeof answers | "no PSP", string>>

const found = (
  outcome: PspOutcome<PspCharge | undefined>,
  question: Extract<ChargeQuestion, { _tag: "Ask" }> = { _tag: "Ask" }
): ChargeAnswer => ({ _tag: "Found", question, outcome })
const cancelled = (
  question: Extract<ChargeQuestion, { _tag: "Cancel" }>,
  outcome: PspOutcome<PspCharge>
): ChargeAnswer => ({ _tag: "CancelSent", question, outcome })
const say = (of: Charge, answer: ChargeAnswer, at: ChargeLook) =>
  inWords(decide(of, answer, at), at)

/** What a PSP does not tell of a charge. */
const silent = (status: Charge["status"], wait: string) => ({
  "refused to tell": `Waiting ${status} ${wait}, Rejected`,
  "not asked": `Waiting ${status} ${wait}, NotSent`,
  "not now": `Waiting ${status} ${wait}, NotNow`,
  unknown: `Waiting ${status} ${wait}, Unknown`,
  "no PSP": `Waiting ${status} ${wait}`
})
const unpaid = (words: string) => ({ active: words, removed: words, nothing: words })
const paid = (status: Charge["status"], how = "never") => ({
  "paid by E1": `Booked E1 ${status} ${how}`,
  "paid by E2": `Booked E2 ${status} ${how}`
})
/** One that somebody may pay; one that ended unpaid; and one that E1 paid, whose booking contradicts nothing for an hour. */
const open = (status: Charge["status"], wait: string, words: string) => ({
  ...silent(status, wait),
  ...unpaid(words),
  ...paid("pending")
})
const ended = (status: Charge["status"], again: string, wait = "60s", how = "never") => ({
  ...silent(status, wait),
  ...unpaid(`Waiting ${status} ${again}`),
  ...paid(status, how)
})
const booked = (status: Charge["status"], again: string, wait = "60s", how = "never") => ({
  ...ended(status, again, wait, how),
  "paid by E1": `Waiting ${status} ${again}`
})

/** What the PSP says two minutes later, when the charge is looked at for its time. */
const atDeadline: Readonly<Record<State, Rows>> = {
  creating: { ...open("creating", "60s", "Cancel unpaid"), nothing: "Waiting creating 495s" },
  "creating, with a key": open("creating", "60s", "Waiting creating 86280s"),
  pending: open("pending", "360s", "Waiting pending 360s"),
  "pending, over": open("pending", "30s", "Cancel unpaid"),
  "pending, to be cancelled": open("pending", "60s", "Cancel wish"),
  completed: booked("completed", "never"),
  expired: ended("expired", "never"),
  cancelled: ended("cancelled", "never"),
  "failed, refused": ended("failed", "never"),
  "failed, blocked": booked("failed", "never")
}

/** The same by a notice: it is asked about again, sooner while no payment is known. */
const byNotice: Readonly<Record<State, Rows>> = {
  creating: open("creating", "60s", "Waiting creating 2s"),
  "creating, with a key": open("creating", "60s", "Waiting creating 2s"),
  pending: open("pending", "60s", "Waiting pending 2s"),
  "pending, over": open("pending", "30s", "Cancel unpaid"),
  "pending, to be cancelled": open("pending", "60s", "Waiting pending 2s"),
  completed: booked("completed", "60s"),
  expired: ended("expired", "2s"),
  cancelled: ended("cancelled", "2s"),
  "failed, refused": ended("failed", "2s"),
  "failed, blocked": booked("failed", "60s")
}

/** The same late. What can be paid, or is, is not looked at so. */
type Watched = "expired" | "cancelled" | "failed, refused" | "failed, blocked"
const late: Readonly<Record<Watched, Rows>> = {
  expired: ended("expired", "3480s", "300s", "and more"),
  cancelled: ended("cancelled", "3480s", "300s", "and more"),
  "failed, refused": ended("failed", "3480s", "300s", "and more"),
  "failed, blocked": booked("failed", "3480s", "300s", "and more")
}

describe("what the PSP says when it is asked for a charge", () => {
  const tables: Readonly<Record<Occasion, Readonly<Partial<Record<State, Rows>>>>> = {
    deadline: atDeadline,
    notice: byNotice,
    late
  }
  for (const [occasion, table] of Object.entries(tables) as Array<[Occasion, typeof atDeadline]>) {
    const at = look(2 * minute, occasion)
    for (const [state, rows] of Object.entries(table) as Array<[State, Rows]>) {
      const of = states[state]
      for (const [name, outcome] of Object.entries(answers)) {
        it(`${occasion}, ${state}: ${name}`, () =>
          assert.strictEqual(say(of, found(outcome), at), rows[name as keyof typeof answers]))
      }
      it(`${occasion}, ${state}: no PSP`, () =>
        assert.strictEqual(inWords(unlearnt(of, at), at), rows["no PSP"]))
    }
  }

  it("an intent is given up when it cannot appear any more, or be gone on with", () => {
    const final = look(615, "deadline")
    assert.strictEqual(say(states.creating, found(answers.nothing), final), "Ended cancelled never")
    const kept = states["creating, with a key"]
    const end = look(day, "deadline")
    assert.strictEqual(say(kept, found(answers.nothing), end), "Ended cancelled never")
    assert.strictEqual(say(kept, found(answers.active), end), "Cancel unpaid")
    // The key of what is closed opens nothing.
    const closed = look(615, "deadline", { closedAt: start })
    assert.strictEqual(say(kept, found(answers.nothing), closed), "Ended cancelled never")
  })

  it("what could still appear when it was asked for is asked for again, however late that was answered", () => {
    const late = look(618, "deadline", { askedAt: after(614) })
    assert.strictEqual(say(states.creating, found(answers.nothing), late), "Waiting creating -3s")
    const end = look(day + minute + 3, "deadline", { askedAt: after(day + minute - 1) })
    assert.strictEqual(say(states.pending, found(answers.active), end), "Waiting pending -3s")
  })

  it("what its owner is closed for is taken back, whyever it is looked at", () => {
    for (const occasion of ["deadline", "notice"] as const) {
      const at = look(2 * minute, occasion, { closedAt: after(minute) })
      for (const name of ["pending", "pending, over", "pending, to be cancelled"] as const)
        assert.strictEqual(say(states[name], found(answers.active), at), "Cancel closed")
    }
  })

  it("it contradicts a booking an hour after it, or by another amount at once", () => {
    const { completed } = states
    const part = done(atPsp("paid", [payment("E1", { amount: brl(1) })]))
    for (const occasion of ["notice", "late"] as const) {
      const soon = look(hour - 1, occasion)
      const then = look(hour, occasion)
      assert.match(say(completed, found(answers.nothing), soon), /^Waiting completed/)
      assert.match(say(completed, found(answers.nothing), then), /^payment_gone completed/)
      assert.match(say(completed, found(part), soon), /^amount_mismatch completed/)
    }
    assert.strictEqual(
      say(completed, found(part), look(hour, "deadline")),
      "Waiting completed never"
    )
  })

  it("the oldest of several payments is booked first", () => {
    const two = [payment("E2", { paidAt: after(2) }), payment("E1")]
    const at = look(minute, "notice")
    assert.strictEqual(
      say(states.pending, found(done(atPsp("paid", two))), at),
      "Booked E1 pending and more"
    )
  })

  it("a payment that was announced before it showed may be one of two", () => {
    const announced = charge({ announcedAt: start })
    const said = found(answers["paid by E1"])
    assert.strictEqual(say(announced, said, look(minute, "notice")), "Booked E1 pending 60s")
    assert.strictEqual(say(announced, said, look(minute, "deadline")), "Booked E1 pending never")
  })
})

type Why = Extract<ChargeQuestion, { _tag: "Cancel" }>["why"]
type ToldRows = Readonly<Record<keyof typeof told, string>>
const told1 = (words: string): ToldRows => ({
  active: words,
  removed: words,
  "paid by E1": words,
  "paid by E2": words,
  "refused to tell": words,
  "not asked": words,
  "not now": words,
  unknown: words
})

/** What the PSP says when it is told to take a charge back, by why it is told. */
const taken: Readonly<Record<Why, ToldRows>> = {
  over: { ...told1("Ask after over"), removed: "Ended expired never" },
  wish: told1("Ask after wish"),
  closed: {
    ...told1("Ended cancelled never"),
    ...paid("pending"),
    "not asked": "Waiting pending 30s",
    "not now": "Waiting pending 30s",
    unknown: "Waiting pending 30s"
  },
  unpaid: { ...told1("Ended expired never"), ...paid("pending") }
}

describe("what the PSP says when it is told to take a charge back", () => {
  const of: Readonly<Record<Why, Charge>> = {
    over: states["pending, over"],
    wish: states["pending, to be cancelled"],
    closed: states.pending,
    unpaid: states["pending, over"]
  }
  for (const [why, rows] of Object.entries(taken) as Array<[Why, ToldRows]>) {
    const closedAt = why === "closed" ? after(minute) : undefined
    const at = look(2 * minute, "deadline", { closedAt })
    const question = { _tag: "Cancel", why, known: undefined } as Extract<
      ChargeQuestion,
      { _tag: "Cancel" }
    >
    for (const [name, outcome] of Object.entries(told)) {
      it(`${why}: ${name}`, () =>
        assert.strictEqual(
          say(of[why], cancelled(question, outcome), at),
          rows[name as keyof typeof told]
        ))
    }
  }

  it("an intent that the PSP has is given up, unless somebody paid it by then", () => {
    const at = look(615, "deadline")
    const question = { _tag: "Cancel", why: "unpaid", known: atPsp("active") } as const
    assert.strictEqual(
      say(states.creating, cancelled(question, unknown), at),
      "Ended cancelled never"
    )
    assert.strictEqual(
      say(states.creating, cancelled(question, told["paid by E1"]), at),
      "Booked E1 pending never"
    )
  })

  it("one that ends by a notice is asked about again: it may be of a payment", () => {
    const at = look(2 * minute, "notice")
    const question = { _tag: "Cancel", why: "unpaid", known: undefined } as const
    assert.strictEqual(
      say(states["pending, over"], cancelled(question, told.removed), at),
      "Ended expired 2s"
    )
  })
})

describe("what the PSP says when it is asked then", () => {
  const at = look(2 * minute, "deadline")
  const after = (why: "over" | "wish", said: keyof typeof told, asked: keyof typeof answers) =>
    say(
      states[why === "over" ? "pending, over" : "pending, to be cancelled"],
      found(answers[asked], { _tag: "Ask", afterCancel: { why, outcome: told[said] } }),
      at
    )
  const paidFirst = paid("pending")

  /** Where the order itself showed no payment: whatever it came to, the answer to the question decides. */
  const over: Readonly<Record<keyof typeof answers, string>> = {
    ...unpaid("Ended expired never"),
    ...paidFirst,
    "refused to tell": "Waiting pending 30s, Rejected",
    "not asked": "Waiting pending 30s, NotSent",
    "not now": "Waiting pending 30s, NotNow",
    unknown: "Waiting pending 30s, Unknown"
  }
  const wish: Readonly<Record<keyof typeof answers, string>> = {
    ...unpaid("Ended cancelled never"),
    ...paidFirst,
    active: "Waiting pending 60s",
    "refused to tell": "Waiting pending 60s",
    "not asked": "Waiting pending 60s",
    "not now": "Waiting pending 60s",
    unknown: "Waiting pending 60s"
  }
  for (const said of [
    "active",
    "removed",
    "refused to tell",
    "not asked",
    "not now",
    "unknown"
  ] as const) {
    for (const asked of Object.keys(answers) as Array<keyof typeof answers>) {
      it(`over, ${said}: ${asked}`, () =>
        assert.strictEqual(after("over", said, asked), over[asked]))
      // What the PSP refuses to take back, and shows, can be paid as before.
      const isOpen = said === "refused to tell" && asked === "active"
      it(`wish, ${said}: ${asked}`, () =>
        assert.strictEqual(
          after("wish", said, asked),
          isOpen ? "Waiting pending 360s" : wish[asked]
        ))
    }
  }
  for (const why of ["over", "wish"] as const) {
    for (const asked of ["active", "removed", "nothing", "paid by E1"] as const)
      it(`${why}, a payment that the order shows: ${asked}`, () =>
        assert.strictEqual(after(why, "paid by E1", asked), "Booked E1 pending never"))
    it(`${why}, a payment each`, () =>
      assert.strictEqual(after(why, "paid by E1", "paid by E2"), "Booked E2 pending and more"))
    for (const asked of ["refused to tell", "not asked", "not now", "unknown"] as const)
      it(`${why}, a payment that the order shows: ${asked}`, () =>
        assert.strictEqual(after(why, "paid by E1", asked), (why === "over" ? over : wish)[asked]))
  }

  it("a request that the PSP does not tell about is not concluded", () =>
    assert.isUndefined(afterWish(states.pending, unknown, unknown, at)))

  it("what was given back for its amount counts as paid, and can do no more", () => {
    const booked = charge({ cancelRequestedAt: start, strayPayments: ["E1"] })
    const conclusion = afterWish(booked, rejected, told["paid by E1"], at)
    assert.strictEqual(conclusion && inWords(conclusion, at), "Ended cancelled never")
  })
})

describe("what is asked of the PSP first", () => {
  it("to take back what is over, at its time, unless its owner is closed; else for the charge", () => {
    for (const [state, of] of Object.entries(states) as Array<[State, Charge]>)
      for (const occasion of ["deadline", "notice", "late"] as const) {
        const isOver = state === "pending, over" && occasion === "deadline"
        const at = look(2 * minute, occasion)
        assert.strictEqual(say(of, { _tag: "Due" }, at), isOver ? "Cancel over" : "Ask", state)
        const closed = { ...at, closedAt: start }
        assert.strictEqual(say(of, { _tag: "Due" }, closed), "Ask", state)
      }
  })

  it("not before payments made in time show", () => {
    const of = states["pending, over"]
    const at = look(2 * minute - 1, "deadline")
    assert.strictEqual(say(of, { _tag: "Due" }, at), "Ask")
    assert.strictEqual(say(of, found(answers.active), at), "Waiting pending 1s")
  })
})

describe("what the PSP says when it is asked to create a charge", () => {
  const becomes = (outcome: PspOutcome<PspCharge>) =>
    afterCreating(states["creating, with a key"], outcome, after(1))?.status
  const rows: Readonly<Record<PspOutcome<PspCharge>["_tag"], string | undefined>> = {
    Done: "pending",
    Rejected: "failed",
    NotNow: undefined,
    NotSent: undefined,
    Unknown: undefined
  }
  for (const outcome of [told.active, rejected, notNow, notSent, unknown])
    it(outcome._tag, () => assert.strictEqual(becomes(outcome), rows[outcome._tag]))
})
