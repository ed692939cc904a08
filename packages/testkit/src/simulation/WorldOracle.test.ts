import { assert, describe, it } from "@effect/vitest"
import type { StoredRow } from "@pagora/core"
import type { Books, StoredOperation } from "./Books.ts"
import type { Moved, Truth } from "./WorldOracle.ts"
import { judgeByWorld } from "./WorldOracle.ts"

const psp = "bank"
const idOf = (digit: string) => `${digit.repeat(8)}-0000-7000-8000-000000000000`
const referenceOf = (id: string) => id.replaceAll("-", "")
const [one, other] = [idOf("1"), idOf("2")]

const stored = (
  kind: string,
  id: string,
  status: string,
  document: StoredOperation["document"] = {}
): StoredOperation => ({
  row: { id, kind, status, amount: 100n } as Partial<StoredRow> as StoredRow,
  document: { pspCredentialId: psp, ...document },
  booked: [],
  isInReview: false
})

const moved = (kind: Moved["kind"], id: string, more: Partial<Moved> = {}): Moved => ({
  kind,
  reference: referenceOf(id),
  endToEndId: `E${id}`,
  amount: 100n,
  at: paidAt,
  ...more
})

const paidAt = Date.UTC(2026, 10, 24, 13, 4)
/** Called failed by a person, so many milliseconds after it was paid. */
const calledFailed = (after: number) =>
  stored("withdrawal", one, "failed", {
    resolution: { reason: "Looked.", at: new Date(paidAt + after).toISOString() }
  })

const underWay = /with 100, not 0, on record.*failed_but_paid of .* told nothing of the kind$/

const paidBy = (id: string) => ({ e2eId: `E${id}` })
const charge = stored("charge", one, "completed", paidBy(one))
const withdrawal = stored("withdrawal", one, "completed")
const money = stored("return", one, "confirmed")
/** A person is to decide on it, so that nothing follows from its state. */
const inReview = (operation: StoredOperation): StoredOperation => ({
  ...operation,
  isInReview: true
})
/** What goes back is of a payment that came. */
const deposited = [
  stored("charge", other, "completed", paidBy(other)),
  moved("Deposit", other)
] as const

interface World {
  readonly stored?: ReadonlyArray<StoredOperation>
  readonly moved?: ReadonlyArray<Moved>
  readonly cash?: bigint
  readonly ledger?: bigint
  readonly onRecord?: ReadonlyArray<string>
  /** As what what was told of `one` may be on record; nothing untrue was told, where nothing is said. */
  readonly untrue?: ReadonlyArray<string>
  readonly parked?: ReadonlyArray<string>
  /** Whether a report about the payment of `other` is on record, and whether there was one. */
  readonly reportedOnRecord?: boolean
  readonly reported?: boolean
}

const judge = (world: World): ReadonlyArray<string> => {
  const { cash = 0n, ledger = cash, onRecord, parked = [], untrue } = world
  const about = (reasons: ReadonlyArray<string> | undefined) =>
    new Map(reasons === undefined ? [] : [[referenceOf(one), new Set(reasons)]])
  const books: Books = {
    operations: world.stored ?? [],
    clearing: new Map([[psp, -ledger]]),
    parked: new Set(parked),
    contradicted:
      world.reportedOnRecord === true
        ? new Map([[referenceOf(other), new Set(["infraction_reported"])]])
        : about(onRecord),
    audit: []
  }
  const truth: Truth = {
    psp,
    movements: world.moved ?? [],
    cash,
    reported: new Set(world.reported === true ? [`E${other}`] : []),
    untrue: about(untrue)
  }
  return judgeByWorld(books, [truth])
}

const wrong: Readonly<Record<string, readonly [World, RegExp]>> = {
  "a payment that is not booked": [{ moved: [moved("Deposit", one)] }, /E1.* is not booked$/],
  "a payment that its charge has shown, and that counts as one that nobody asked for": [
    {
      stored: [
        stored("charge", one, "expired"),
        stored("deposit", other, "returning", { ...paidBy(one), reason: "unidentified" })
      ],
      moved: [moved("Deposit", one)]
    },
    /in suspense, and its charge has shown it all along$/
  ],
  "a payment that is booked twice": [
    {
      stored: [charge, stored("deposit", other, "received", { ...paidBy(one), charge: one })],
      moved: [moved("Deposit", one)]
    },
    /is booked 2 times$/
  ],
  "a payment that is booked over another amount": [
    { stored: [charge], moved: [moved("Deposit", one, { amount: 99n })] },
    /is booked as 100, not 99$/
  ],
  "a payment that nobody made": [{ stored: [charge] }, /books E1.*, which nobody paid$/],
  "a withdrawal that was paid twice": [
    { stored: [inReview(withdrawal)], moved: [moved("Payout", one), moved("Payout", one)] },
    /was paid 2 times by the bank$/
  ],
  "a withdrawal that was paid, and waits for its owner": [
    {
      stored: [stored("withdrawal", one, "pending")],
      moved: [moved("Payout", one)],
      parked: [one]
    },
    /was paid, and waits for its owner$/
  ],
  "a withdrawal that was not paid": [{ stored: [withdrawal] }, /left the bank with 0, not 100$/],
  "a withdrawal that was given back, and paid": [
    { stored: [stored("withdrawal", one, "failed")], moved: [moved("Payout", one)] },
    /\(failed\) left the bank with 100, not 0$/
  ],
  "a withdrawal that came back, and counts as paid": [
    { stored: [withdrawal], moved: [moved("Payout", one), moved("Reversal", one)] },
    /left the bank with 0, not 100$/
  ],
  "a withdrawal that counts as paid by another amount, though that is on record": [
    {
      stored: [withdrawal],
      moved: [moved("Payout", one, { amount: 99n })],
      untrue: ["amount_mismatch"],
      onRecord: ["amount_mismatch"]
    },
    /^money out: withdrawal .* over 100 is taken for paid by 99$/
  ],
  "a withdrawal that was given up for want of money, before the bank had it": [
    {
      stored: [
        stored("withdrawal", one, "failed", { failureReason: "insufficient_psp_balance" }),
        stored("withdrawal", other, "failed", {
          failureReason: "insufficient_psp_balance",
          pspReference: "taken"
        })
      ]
    },
    /^money out: withdrawal 1.* was given up for want of money$/
  ],
  "a withdrawal that waits for money when there is enough": [
    { stored: [inReview(stored("withdrawal", one, "pending", { shortSince: "2026-11-24" }))] },
    /^liveness: withdrawal .* waits for money for ever, and there is enough$/
  ],
  "a payout that is no withdrawal": [{ moved: [moved("Payout", one)] }, /which is no withdrawal$/],
  "more that went back than was paid": [
    {
      stored: [deposited[0], inReview(money)],
      moved: [deposited[1], moved("Return", one, { endToEndId: `E${other}`, amount: 101n })]
    },
    /^returns: 101 of E2.* went back, more than was paid$/
  ],
  "a return that the bank did not do": [
    { stored: [money] },
    /\(confirmed\) left the bank with 0, not 100$/
  ],
  "a return that has the name of another": [
    {
      stored: [deposited[0], stored("return", one, "confirmed", { returnId: "D2" })],
      moved: [deposited[1], moved("Return", one, { endToEndId: `E${other}`, returnId: "D1" })],
      untrue: ["reference_mismatch"]
    },
    /^returns: 1.* is booked as D2, and the bank has D1$/
  ],
  "a return that nobody ordered": [
    {
      stored: [deposited[0]],
      moved: [deposited[1], moved("Return", one, { endToEndId: `E${other}` })]
    },
    /which is none of ours$/
  ],
  "a return by the bank that the bank did not make": [
    {
      stored: [stored("psp_return", one, "charged", { reference: "own", endToEndId: `E${other}` })]
    },
    /books own, which the bank did not return$/
  ],
  "a return by the bank that is booked over another amount": [
    {
      stored: [
        deposited[0],
        stored("psp_return", one, "charged", { reference: "own", endToEndId: `E${other}` })
      ],
      moved: [
        deposited[1],
        moved("Return", one, { reference: "own", endToEndId: `E${other}`, amount: 99n })
      ]
    },
    /books own, which the bank did not return$/
  ],
  "a report that nobody has made": [
    { stored: [deposited[0]], moved: [deposited[1]], reportedOnRecord: true },
    /^world: infraction_reported of charge .* the bank told nothing of the kind$/
  ],
  "a ledger that has not what the bank has": [
    { cash: 100n, ledger: 99n },
    /^world: the ledger has 99 at bank, and the bank has 100$/
  ],
  "what never ends": [
    { stored: [stored("withdrawal", one, "processing")] },
    /^liveness: withdrawal .* is processing for ever$/
  ],
  "what is on record, and follows from nothing that was told": [
    { stored: [withdrawal], moved: [moved("Payout", one)], onRecord: ["payment_gone"] },
    /^world: payment_gone of withdrawal .* the bank told nothing of the kind$/
  ]
}

describe("the oracle of what banks did", () => {
  it("has nothing to say where stored, booked and paid agree", () => {
    const paidOut = stored("withdrawal", one, "completed", { feeAmount: "10" })
    const back = stored("withdrawal", other, "reversed")
    const movements = [moved("Payout", one, { amount: 90n }), moved("Payout", other)]
    assert.deepStrictEqual(
      judge({ stored: [paidOut, back], moved: [...movements, moved("Reversal", other)], cash: 5n }),
      []
    )
  })

  it("has nothing to say of what a bank gave back by itself and was booked so, nor of a report", () => {
    const back = { reference: "own", endToEndId: `E${other}` }
    assert.deepStrictEqual(
      judge({
        stored: [deposited[0], stored("psp_return", one, "absorbed", back)],
        moved: [deposited[1], moved("Return", one, back)],
        reportedOnRecord: true,
        reported: true
      }),
      []
    )
  })

  for (const [what, [world, sentence]] of Object.entries(wrong))
    it(`finds ${what}`, () => {
      const [found, ...more] = judge(world)
      assert.match(found ?? "", sentence)
      assert.isEmpty(more)
    })

  describe("of a withdrawal that was paid, and waits for its owner", () => {
    const paid = { moved: [moved("Payout", one)], parked: [one], cash: -100n }
    const shown = (document: Readonly<Record<string, unknown>>) => [
      inReview(stored("withdrawal", one, "processing", document))
    ]

    it("has nothing to say where a person is shown that it could not be sent", () => {
      const found = judge({ ...paid, stored: shown({ unsentSince: "2026-11-24T13:00:00.000Z" }) })
      assert.notInclude(found.join(), "waits for its owner")
    })

    it("finds it where a person is shown something else", () =>
      assert.match(
        judge({ ...paid, stored: shown({}) }).join(),
        /was paid, and waits for its owner/
      ))
  })

  describe("of a withdrawal that a person called failed", () => {
    const paid = { moved: [moved("Payout", one)], cash: 5n, ledger: 105n }
    const onRecord = ["failed_but_paid"]

    it("has nothing to say where it had been paid by then, and that is on record", () => {
      assert.deepStrictEqual(judge({ ...paid, stored: [calledFailed(1)], onRecord }), [])
      assert.match(judge({ ...paid, stored: [calledFailed(1)] }).join(), /with 100, not 0$/)
      assert.match(
        judge({ ...paid, ledger: 106n, stored: [calledFailed(1)], onRecord }).join(),
        /^world: the ledger has 6 at bank, and the bank has 5$/
      )
    })

    it("has nothing to say where the bank was at it by then, and was slow", () => {
      const slow = { ...paid, moved: [moved("Payout", one, { takenAt: paidAt - 60_000 })] }
      assert.deepStrictEqual(judge({ ...slow, stored: [calledFailed(-1)], onRecord }), [])
      assert.match(judge({ ...slow, stored: [calledFailed(-60_000)], onRecord }).join(), underWay)
    })

    it("finds that it was paid afterwards: its order was under way", () =>
      assert.match(judge({ ...paid, stored: [calledFailed(-1)], onRecord }).join(), underWay))
  })

  describe("of a return that a person called failed", () => {
    const back = moved("Return", one, { endToEndId: `E${other}`, takenAt: paidAt - 60_000 })
    const sent = { moved: [deposited[1], back], cash: 5n, ledger: 105n }
    const judged = (after: number, onRecord: ReadonlyArray<string>) => {
      const called = { ...calledFailed(after), row: { ...money.row, status: "failed" } }
      return judge({ ...sent, stored: [deposited[0], called], onRecord })
    }

    it("has nothing to say where the bank was at it by then, and that is on record", () => {
      assert.deepStrictEqual(judged(-1, ["failed_but_paid"]), [])
      assert.match(judged(-1, []).join(), /^world: return .* with 100, not 0$/)
    })

    it("finds that its order was under way", () =>
      assert.match(judged(-60_000, ["failed_but_paid"]).join(), underWay))
  })

  describe("excuses that a withdrawal was not paid", () => {
    const unpaid = { stored: [withdrawal], cash: 100n, ledger: 0n }

    it("where the bank told just what is on record", () =>
      assert.deepStrictEqual(
        judge({ ...unpaid, untrue: ["payment_gone"], onRecord: ["payment_gone"] }),
        []
      ))

    it("where a person has decided on what it told", () => {
      const decided = stored("withdrawal", one, "completed", { resolution: {} })
      assert.deepStrictEqual(judge({ ...unpaid, stored: [decided], untrue: [] }), [])
      assert.match(judge({ ...unpaid, stored: [decided] }).join(), /left the bank with 0, not 100$/)
    })

    it("but not where nothing is on record", () =>
      assert.match(judge({ ...unpaid, untrue: ["payment_gone"] }).join(), /with 0, not 100$/))

    it("nor where something else is, than follows from what it told", () =>
      assert.match(
        judge({ ...unpaid, untrue: ["reference_mismatch"], onRecord: ["amount_mismatch"] }).join(),
        /with 0, not 100, on record as amount_mismatch/
      ))
  })
})
