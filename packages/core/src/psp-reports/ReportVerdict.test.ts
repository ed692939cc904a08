import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { AccountId, ChargeId, PspCredentialId, PspReportId, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { oneCentavo, zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { PspInfraction, PspReceived, PspReceivedReturn } from "../ports/Psp.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import { PspReport, toldAgain } from "./PspReport.ts"
import type { Receiver } from "./PspReturn.ts"
import type { Known, KnownBlock, ReportAnswer, ReportVerdict } from "./ReportVerdict.ts"
import { decide, withoutPsp } from "./ReportVerdict.ts"

const start = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const after = (minutes: number) => DateTime.add(start, { minutes })
const id = (number: number) => `019a2b3c-0000-7000-8000-00000000000${number}` as Uuid
const psp = id(1) as PspCredentialId

const report = (
  status: PspReport["status"] = "reported",
  subject: PspReport["subject"] = "payment"
) =>
  new PspReport({
    id: id(2) as PspReportId,
    pspCredentialId: psp,
    subject,
    name: "E1",
    status,
    createdAt: start,
    updatedAt: start
  })

const amount = 1_000n as Centavos
const payment = (...returns: ReadonlyArray<PspReceivedReturn>): PspReceived => ({
  endToEndId: "E1",
  amount,
  paidAt: start,
  returns
})
const given = (
  reference: string,
  status: PspReceivedReturn["status"] = "confirmed"
): PspReceivedReturn => ({ reference, status, amount })
const booked: Receiver = {
  account: id(3) as AccountId,
  wallet: id(3) as AccountId,
  source: id(4),
  pspCredentialId: psp,
  endToEndId: "E1",
  amount,
  sourceType: "charge"
}
const charge = { id: id(4) as ChargeId, account: id(3) as AccountId }
const returns: ReadonlySet<string> = new Set(["ours"])
const known = {
  nothing: { returns },
  "its charge": { returns, charge },
  booked: { returns, booked }
} satisfies Record<string, Known>

const silences = {
  unknown: PspOutcome.unknown("lost"),
  "not asked": PspOutcome.notSent("refused"),
  "not now": PspOutcome.notNow("closed", "1 minute"),
  refused: PspOutcome.rejected("no", "No.")
} as const
const shown = {
  nothing: done(undefined),
  "another payment": done({ ...payment(), endToEndId: "E2" }),
  "the payment": done(payment()),
  "a return of ours": done(payment(given("ours"))),
  "a return under way": done(payment(given("theirs", "processing"))),
  "a return that failed": done(payment(given("theirs", "rejected"))),
  "a return of its own": done(payment(given("ours"), given("theirs")))
} as const
const outcomes = { ...silences, ...shown }
type Said = keyof typeof outcomes

/** A verdict in a word or two. */
const inWords = (verdict: ReportVerdict): string => {
  switch (verdict._tag) {
    case "Ask":
      return verdict._tag
    case "Waiting":
      return verdict.charge === undefined ? "Waiting" : "Waiting, looks at the charge"
    case "Ended":
      return `Ended ${verdict.report.status}`
    case "Unidentified":
      return `Unidentified ${verdict.payment.endToEndId}${verdict.charge === undefined ? "" : ", names the charge"}`
    case "Returned":
      return `Returned ${verdict.money.reference}`
    case "Recorded":
      return `Recorded ${verdict.infraction.id}`
  }
}

describe("a report of a payment, by what the PSP shows and what is known here", () => {
  const rows: Readonly<Record<Said, Readonly<Record<keyof typeof known, string>>>> = {
    ...(Object.fromEntries(
      Object.keys(silences).map((said) => [
        said,
        { nothing: "Waiting", "its charge": "Waiting", booked: "Waiting" }
      ])
    ) as Record<keyof typeof silences, Record<keyof typeof known, string>>),
    nothing: { nothing: "Waiting", "its charge": "Waiting", booked: "Waiting" },
    "another payment": { nothing: "Waiting", "its charge": "Waiting", booked: "Waiting" },
    "the payment": {
      nothing: "Unidentified E1",
      "its charge": "Waiting, looks at the charge",
      booked: "Ended matched"
    },
    "a return of ours": {
      nothing: "Unidentified E1",
      "its charge": "Waiting, looks at the charge",
      booked: "Ended matched"
    },
    "a return under way": {
      nothing: "Unidentified E1",
      "its charge": "Waiting, looks at the charge",
      booked: "Waiting"
    },
    "a return that failed": {
      nothing: "Unidentified E1",
      "its charge": "Waiting, looks at the charge",
      booked: "Ended matched"
    },
    "a return of its own": {
      nothing: "Unidentified E1",
      "its charge": "Waiting, looks at the charge",
      booked: "Returned theirs"
    }
  }
  for (const [said, row] of Object.entries(rows))
    for (const [what, words] of Object.entries(row))
      it(`${said}, ${what}: ${words}`, () => {
        const answer: ReportAnswer = {
          _tag: "Payment",
          outcome: outcomes[said as Said],
          known: known[what as keyof typeof known]
        }
        assert.strictEqual(inWords(decide(report(), answer, after(1))), words)
      })

  it("is asked about first", () =>
    assert.strictEqual(inWords(decide(report(), { _tag: "Due" }, after(0))), "Ask"))

  it("ends where its PSP finds no payments", () =>
    assert.strictEqual(
      inWords(decide(report(), { _tag: "Unserved" }, after(0))),
      "Ended not_found"
    ))

  it("waits where its PSP is not configured", () =>
    assert.strictEqual(inWords(withoutPsp(report(), after(60 * 48))), "Waiting"))
})

describe("a report that nothing is shown of", () => {
  const day = 24 * 60
  const nothing: ReportAnswer = {
    _tag: "Payment",
    outcome: shown.nothing,
    known: known.nothing
  }
  const named: Extract<ReportAnswer, { readonly _tag: "Payment" }> = {
    _tag: "Payment",
    outcome: shown["the payment"],
    known: known["its charge"]
  }

  it("waits for a day", () => {
    assert.strictEqual(inWords(decide(report(), nothing, after(day - 1))), "Waiting")
    assert.strictEqual(inWords(decide(report(), nothing, after(day))), "Ended not_found")
  })

  it("has as long again when it is told of anew", () => {
    const again = toldAgain(report("not_found"), after(day))
    assert.strictEqual(again.status, "reported")
    assert.strictEqual(inWords(decide(again, nothing, after(2 * day - 1))), "Waiting")
    assert.strictEqual(inWords(decide(again, nothing, after(2 * day))), "Ended not_found")
    assert.strictEqual(toldAgain(report("matched"), after(day)).status, "matched")
  })

  it("looks at its charge for a day; what that does not show by then is in suspense", () => {
    const said = (minutes: number, isShown: boolean) => {
      const asked = { ...known["its charge"], charge: { ...charge, isShown } }
      return inWords(decide(report(), { ...named, known: asked }, after(minutes)))
    }
    assert.strictEqual(said(day - 1, false), "Waiting, looks at the charge")
    assert.strictEqual(said(day, false), "Unidentified E1, names the charge")
    assert.strictEqual(said(3 * day, true), "Waiting, looks at the charge")
  })

  it("has a day from when it shows where nothing is said of its charge", () => {
    const first = decide(report(), named, after(2 * day))
    if (first._tag !== "Waiting") return assert.fail(first._tag)
    const later = (minutes: number) => inWords(decide(first.report, named, after(minutes)))
    assert.strictEqual(later(3 * day - 1), "Waiting, looks at the charge")
    assert.strictEqual(later(3 * day), "Unidentified E1, names the charge")
  })

  it("stays unidentified where it is looked at again", () =>
    assert.strictEqual(
      inWords(
        decide(
          report("unidentified"),
          { _tag: "Payment", outcome: shown["the payment"], known: known.booked },
          after(1)
        )
      ),
      "Ended unidentified"
    ))
})

describe("a report of an infraction", () => {
  const infraction: PspInfraction = {
    id: "i1",
    endToEndId: "E1",
    status: "open",
    amount,
    reportedAt: start
  }
  const say = (answer: Omit<Extract<ReportAnswer, { _tag: "Infraction" }>, "_tag">, minutes = 1) =>
    inWords(
      decide(report("reported", "infraction"), { _tag: "Infraction", ...answer }, after(minutes))
    )

  it("is recorded for whoever has the payment", () =>
    assert.strictEqual(say({ outcome: done(infraction), receiver: booked }), "Recorded i1"))

  it("waits for its payment, and for itself, for a day", () => {
    for (const outcome of [done(infraction), done(undefined)]) {
      assert.strictEqual(say({ outcome, receiver: undefined }), "Waiting")
      assert.strictEqual(say({ outcome, receiver: undefined }, 24 * 60), "Ended not_found")
    }
  })

  it("is asked about until the PSP answers", () => {
    for (const outcome of Object.values(silences))
      assert.strictEqual(say({ outcome, receiver: booked }, 48 * 60), "Waiting")
  })

  it("is looked at again where its money cannot be claimed yet, and not where it is", () => {
    const open = { outcome: done(infraction), receiver: booked }
    const again = (block?: KnownBlock) => {
      const answer = { _tag: "Infraction", ...open, ...present({ block }) } as const
      const verdict = decide(report("reported", "infraction"), answer, after(1))
      return verdict._tag === "Recorded" && verdict.again !== undefined
    }
    assert.isTrue(again())
    assert.isFalse(again({ status: "awaiting_response", gone: zero, isBeside: false }))
  })

  it("that was accepted ends its block after a day where a part went back, and no other", () => {
    const to = (
      gone: Centavos,
      minutes: number,
      isBeside = false,
      rest?: NonNullable<KnownBlock["rest"]>
    ) => {
      const verdict = decide(
        new PspReport({ ...report("recorded", "infraction"), said: "accepted" }),
        {
          _tag: "Infraction",
          outcome: done({ ...infraction, status: "accepted" }),
          receiver: booked,
          block: { status: "defended", gone, isBeside, ...present({ rest }) }
        },
        after(minutes)
      )
      return verdict._tag === "Recorded" ? [verdict.to, verdict.isForPerson] : []
    }
    assert.deepStrictEqual(to(oneCentavo, 24 * 60 - 1), ["return", false])
    assert.deepStrictEqual(to(oneCentavo, 24 * 60), ["release", false])
    assert.deepStrictEqual(to(zero, 24 * 60), ["block", true])
    assert.deepStrictEqual(to(oneCentavo, 24 * 60, true), ["none", false])
    assert.deepStrictEqual(to(oneCentavo, 24 * 60, false, "none"), ["release", false])
    assert.deepStrictEqual(to(oneCentavo, 24 * 60, false, "shown"), ["return", false])
    assert.deepStrictEqual(to(oneCentavo, 24 * 60, false, "untold"), ["return", true])
  })
})
