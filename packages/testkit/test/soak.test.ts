import { assert, describe, it } from "@effect/vitest"
import type { SoakFacts } from "../src/soak/SoakCheck.ts"
import { violationsOf } from "../src/soak/SoakCheck.ts"

const [charge, withdrawal, refund] = [
  "019a2b3c-0000-7000-8000-000000000001",
  "019a2b3c-0000-7000-8000-000000000002",
  "019a2b3c-0000-7000-8000-000000000003"
]
const short = (id: string) => id.replaceAll("-", "")

/** What a soak leaves when all went well. */
const sound: SoakFacts = {
  asked: [
    { kind: "charge", reference: "order", amount: 500, told: [charge, charge] },
    { kind: "withdrawal", reference: "payout", amount: 300, told: [withdrawal] },
    { kind: "return", reference: charge, amount: 500, told: [short(refund)] },
    { kind: "withdrawal", reference: "never-answered", amount: 1, told: [] }
  ],
  stored: [
    { id: charge, kind: "charge", status: "completed", amount: "500", reference: "order" },
    { id: withdrawal, kind: "withdrawal", status: "completed", amount: "300", reference: "payout" },
    { id: refund, kind: "return", status: "confirmed", amount: "500", reference: charge }
  ],
  bank: [
    { kind: "payment", name: "E1", status: "paid", amount: "500" },
    { kind: "payout", name: short(withdrawal), status: "completed", amount: "300" },
    { kind: "refund", name: short(refund), status: "confirmed", amount: "500" }
  ],
  endToEndIds: ["E1"],
  events: ["event"],
  received: new Set(["event"]),
  audit: []
}

const without = (kind: string) => sound.stored.filter((row) => row.kind !== kind)
const [paid, payout] = sound.stored as [SoakFacts["stored"][number], SoakFacts["stored"][number]]

const planted: ReadonlyArray<readonly [string, Partial<SoakFacts>, RegExp]> = [
  ["a row that was lost", { stored: without("charge") }, /acknowledged as \w+ and is not stored/],
  [
    "a key that made two things",
    { stored: [...sound.stored, { ...paid, id: "019a2b3c-0000-7000-8000-00000000000f" }] },
    /charge order is there 2 times/
  ],
  [
    "two answers of one key",
    { asked: [{ kind: "charge", reference: "order", amount: 500, told: [charge, withdrawal] }] },
    /was told as/
  ],
  [
    "another amount",
    { stored: [{ ...paid, amount: "501" }, ...without("charge")] },
    /over 500 is stored as/
  ],
  [
    "a payout that was made twice",
    { bank: [...sound.bank, ...sound.bank.filter(({ kind }) => kind === "payout")] },
    /payout \w+ was made 2 times/
  ],
  [
    "a payout of nobody",
    { bank: [...sound.bank, { kind: "payout", name: "f00", status: "completed", amount: "1" }] },
    /payout f00 belongs to no withdrawal/
  ],
  [
    "a withdrawal that failed and was paid",
    { stored: [{ ...payout, status: "failed" }, ...without("withdrawal")] },
    /is failed, and the bank says completed/
  ],
  [
    "a withdrawal without an end",
    { stored: [{ ...payout, status: "processing" }, ...without("withdrawal")] },
    /has not ended: processing/
  ],
  [
    "a payment that was never booked",
    { endToEndIds: [] },
    /payment E1 of the bank was never booked/
  ],
  ["an event that nobody got", { received: new Set() }, /event event never reached/],
  ["what the audit found", { audit: [{ rule: "unbalanced" }] }, /^audit: .*unbalanced/]
]

describe("the check at the end of a soak", () => {
  it("finds nothing where all went well", () => {
    assert.deepStrictEqual(violationsOf(sound), [])
  })

  it.each(planted)("finds %s", (_, part, sentence) => {
    const found = violationsOf({ ...sound, ...part })
    assert.isTrue(
      found.some((violation) => sentence.test(violation)),
      found.join("\n")
    )
  })
})
