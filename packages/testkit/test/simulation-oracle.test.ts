import { assert, describe, it } from "@effect/vitest"
import { answerFaults } from "../src/simulation/programs/AnswerChecks.ts"
import type { Asked, Told } from "../src/simulation/programs/Asked.ts"
import type { DoorAnswer } from "../src/simulation/programs/Door.ts"
import type { Facts, ShopFacts, Spectacle } from "../src/simulation/programs/Facts.ts"
import type { Fields } from "../src/simulation/programs/Json.ts"
import type { Case } from "../src/simulation/programs/Judge.ts"
import { violationsOf } from "../src/simulation/programs/Judge.ts"
import { expectedBalances } from "../src/simulation/programs/JudgeBalances.ts"
import { Sightings } from "../src/simulation/programs/Sightings.ts"

const answerOf = (
  status: number,
  json: Fields,
  headers: Readonly<Record<string, string>> = {}
): DoorAnswer => ({
  status,
  headers: (name) => headers[name],
  text: JSON.stringify(json),
  json
})

const toldAt = (place: number, answer: DoorAnswer | "lost"): Told => ({
  from: place,
  to: place + 1,
  fromAt: place,
  at: place + 1,
  process: 0,
  answer
})

const askedAt = (place: number, asked: Partial<Asked> & Pick<Asked, "name" | "path">): Asked => ({
  operation: place,
  shop: 0,
  wallet: "principal",
  as: "tenant",
  process: 0,
  method: "POST",
  began: place,
  beganAt: place,
  ended: place + 2,
  outcome: "done",
  told: [],
  ...asked
})

const refusal = (status: number, code: string) =>
  answerOf(status, { statusCode: status, details: { code }, timestamp: "now" })

const [payment, payout, funds] = ["charge-id", "withdrawal-id", "funds-id"]

const opened = askedAt(0, {
  name: "openShop",
  path: "/accounts",
  body: { fees: { payment: { fixed: 0.1 } } }
})
const adjusted = askedAt(10, {
  name: "adjust",
  as: "operator",
  path: "/accounts/a/adjustments",
  body: { amount: 100, reason: "order-10" },
  amount: 10_000,
  reference: "order-10",
  told: [toldAt(10, answerOf(201, { id: funds, amount: 100 }))]
})
const chargeAnswer = { id: payment, amount: 10, status: "pending", pixCopyPaste: "code" }
const charged = askedAt(20, {
  name: "charge",
  path: "/pix",
  key: "operation-20",
  body: { amount: 10, description: "order-20" },
  amount: 1_000,
  reference: "order-20",
  told: [toldAt(20, answerOf(201, chargeAnswer))]
})
const withdrawn = askedAt(30, {
  name: "withdraw",
  path: "/withdrawals",
  key: "operation-30",
  body: { amount: 5, externalReference: "order-30" },
  amount: 500,
  reference: "order-30",
  told: [toldAt(30, answerOf(201, { id: payout, amount: 5, status: "pending" }))]
})

const row = (id: string, type: string, amount: number, more: Fields = {}): Fields => ({
  id,
  type,
  amount,
  status: "completed",
  subAccount: null,
  ...more
})
const paid = row(payment, "payment", 10, { description: "order-20" })
const sent = row(payout, "withdrawal", 5, { externalReference: "order-30" })
const given = row(funds, "adjustment", 100, { description: "order-10" })
const fee: Fields = { sourceId: payment, kind: "fee", subAccount: null, amount: -0.1 }

const sound: ShopFacts = {
  index: 0,
  transactions: [paid, sent, given],
  entries: [fee],
  balances: [{ subAccount: null, total: { amount: 10_490 } }],
  blocks: [],
  subAccounts: [],
  credentials: [],
  endpoints: [],
  projects: []
}

const asked = [opened, adjusted, charged, withdrawn]
const seen = (text: string): ReadonlyArray<Spectacle> => [
  { shop: "Loja 1", texts: new Map([["principal /account", text]]) }
]

interface Plant {
  readonly asked?: ReadonlyArray<Asked>
  readonly shop?: Partial<ShopFacts>
  readonly facts?: Partial<Facts>
  readonly after?: ReadonlyArray<Spectacle>
  readonly sightings?: Sightings
}

const none = () => undefined

const caseOf = (plant: Plant): Case => ({
  asked: plant.asked ?? asked,
  sightings: plant.sightings ?? new Sightings(none, none),
  facts: {
    shops: [{ ...sound, ...plant.shop }],
    accounts: [],
    found: [],
    reached: [],
    ...plant.facts
  },
  before: seen("0.00"),
  after: plant.after ?? seen("0.00")
})

const without = (id: string) => sound.transactions.filter((known) => known["id"] !== id)

/** The charge asked for again, with this answer. */
const again = (told: Told, more: Partial<Asked> = {}): Asked => ({
  ...charged,
  operation: 40,
  began: told.from,
  told: [told],
  ...more
})

const short = refusal(400, "INSUFFICIENT_BALANCE")
const refused = { outcome: "refused" } as const

const plants: ReadonlyArray<readonly [string, Plant, RegExp]> = [
  ["a 201 that is not stored", { shop: { transactions: without(payment) } }, /is not there/],
  [
    "another amount",
    { shop: { transactions: [...without(payout), { ...sent, amount: 5.01 }] } },
    /over 500 is stored over 501/
  ],
  [
    "another wallet",
    { shop: { transactions: [...without(payment), { ...paid, subAccount: "loja" }] } },
    /in principal is stored in loja/
  ],
  [
    "another reference",
    { shop: { transactions: [...without(payout), { ...sent, externalReference: "x" }] } },
    /as order-30 is stored as x/
  ],
  [
    "a state that no state before leads to",
    {
      asked: [
        opened,
        adjusted,
        charged,
        {
          ...withdrawn,
          told: [toldAt(30, answerOf(201, { id: payout, amount: 5, status: "completed" }))]
        }
      ],
      shop: { transactions: [...without(payout), { ...sent, status: "pending" }] }
    },
    /was acknowledged completed and is pending/
  ],
  [
    "a charge without a code",
    {
      asked: [
        opened,
        adjusted,
        { ...charged, told: [toldAt(20, answerOf(201, { ...chargeAnswer, pixCopyPaste: "" }))] },
        withdrawn
      ]
    },
    /was told without a code to pay/
  ],
  [
    "a charge with the code of another one",
    {
      shop: {
        transactions: [...without(payment), { ...paid, status: "pending", pixCopyPaste: "another" }]
      }
    },
    /was told with the code code, and has another/
  ],
  [
    "two things of one reference",
    { shop: { transactions: [...sound.transactions, { ...paid, id: "another" }] } },
    /is there 2 times/
  ],
  [
    "a thing that was refused",
    {
      asked: [
        ...asked,
        askedAt(50, {
          name: "charge",
          path: "/pix",
          reference: "order-50",
          told: [toldAt(50, refusal(400, "LIMIT_EXCEEDED"))],
          ...refused
        })
      ],
      shop: {
        transactions: [
          ...sound.transactions,
          row("ghost", "payment", 1, { description: "order-50", status: "pending" })
        ]
      }
    },
    /was refused and is there as ghost/
  ],
  [
    "two things of one key",
    { asked: [...asked, again(toldAt(40, answerOf(201, { id: "another", amount: 10 })))] },
    /have one key and were told/
  ],
  [
    "a replay that says less",
    {
      asked: [
        ...asked,
        again(toldAt(40, answerOf(201, { id: payment }, { "idempotent-replayed": "true" })))
      ]
    },
    /have one key and were told/
  ],
  [
    "a repeat that does not say that it is one",
    { asked: [...asked, again(toldAt(40, charged.told[0]?.answer ?? "lost"))] },
    /not as a repeat/
  ],
  [
    "a key with two bodies that were both done",
    {
      asked: [...asked, again(toldAt(40, answerOf(201, { id: payment })), { body: { amount: 11 } })]
    },
    /two bodies, and both were done/
  ],
  [
    "a key with another body that is refused for something else",
    {
      asked: [...asked, again(toldAt(40, refusal(400, "X")), { body: { amount: 11 }, ...refused })]
    },
    /another body: it was told 400 X/
  ],
  [
    "a cancelled charge that was paid",
    {
      asked: [
        ...asked,
        askedAt(60, {
          name: "cancel",
          path: `/pix/${payment}/cancel`,
          subject: payment,
          told: [toldAt(60, answerOf(200, { id: payment, status: "cancelled" }))]
        })
      ]
    },
    /its charge is completed, not cancelled/
  ],
  [
    "a balance that its history does not tell",
    { shop: { balances: [{ subAccount: null, total: { amount: 10_491 } }] } },
    /holds 10491, and its history says 10490/
  ],
  [
    "a fee that nobody agreed on",
    { shop: { entries: [{ ...fee, amount: -0.2 }] } },
    /cost 20, and not 10 or 0|cost 20, and not 0 or 10|cost 20, and not 10/
  ],
  [
    "money that nobody asked for",
    { shop: { transactions: [...sound.transactions, row("gift", "adjustment", 1)] } },
    /nobody asked for the adjustment gift/
  ],
  [
    "a refusal for want of money that was there",
    {
      asked: [
        ...asked,
        askedAt(70, {
          name: "withdraw",
          path: "/withdrawals",
          body: { amount: 95 },
          amount: 9_500,
          told: [toldAt(70, short)],
          ...refused
        })
      ]
    },
    /needed 9500, had 9500 at least, and was refused/
  ],
  ["a spectator that was moved", { after: seen("0.01") }, /Loja 1 does nothing/],
  [
    "something that another can see",
    {
      facts: {
        reached: [
          {
            what: "GET /transactions/:id",
            foreign: payment,
            random: "nobody",
            answers: [answerOf(200, { id: payment }), refusal(404, "TRANSACTION_NOT_FOUND")]
          }
        ]
      }
    },
    /for another's charge-id was told 200/
  ],
  [
    "another thing under a name",
    {
      facts: {
        found: [{ asked: charged, by: "reference", answer: answerOf(200, { id: payout }) }]
      }
    },
    /was looked for by its reference, and 200 withdrawal-id was found/
  ]
]

describe("the oracle of what was acknowledged", () => {
  it("has nothing to say where all is well", () => {
    assert.deepStrictEqual(violationsOf(caseOf({})), [])
  })

  for (const [what, plant, sentence] of plants) {
    it(`finds ${what}`, () => {
      assert.match(violationsOf(caseOf(plant)).join("\n"), sentence)
    })
  }

  it("knows what a wallet must hold by its history", () => {
    const { totals, violations } = expectedBalances(caseOf({}), sound)
    assert.deepStrictEqual([...totals], [["principal", 10_490]])
    assert.deepStrictEqual(violations, [])
  })

  it("takes what it was told of a balance for no more than it was", () => {
    const broke = askedAt(70, {
      name: "withdraw",
      path: "/withdrawals",
      body: { amount: 95.01 },
      amount: 9_501,
      told: [toldAt(70, short)],
      ...refused
    })
    assert.deepStrictEqual(violationsOf(caseOf({ asked: [...asked, broke] })), [])
  })
})

describe("what is seen of a state", () => {
  const seeing = () => {
    const violations: Array<string> = []
    const cells: Array<string> = []
    const sightings = new Sightings(
      (violation) => violations.push(violation),
      (cell) => cells.push(cell)
    )
    return { violations, cells, sightings }
  }

  it("goes forward", () => {
    const { cells, sightings, violations } = seeing()
    sightings.see("withdrawal", "w", { state: "pending", from: 0, to: 1 })
    sightings.see("withdrawal", "w", { state: "completed", from: 2, to: 3 })
    sightings.see("withdrawal", "w", { state: "reversed", from: 4, to: 5 })
    assert.deepStrictEqual(violations, [])
    assert.include(cells, "withdrawal: pending → completed")
  })

  it("never goes back", () => {
    const { sightings, violations } = seeing()
    sightings.see("charge", "c", { state: "completed", from: 0, to: 1 })
    sightings.see("charge", "c", { state: "pending", from: 2, to: 3 })
    assert.deepStrictEqual(violations, ["charge c was completed, and later pending"])
  })

  it("says nothing of what was asked at the same time", () => {
    const { sightings, violations } = seeing()
    sightings.see("charge", "c", { state: "completed", from: 1, to: 2 })
    sightings.see("charge", "c", { state: "pending", from: 0, to: 3 })
    assert.deepStrictEqual(violations, [])
  })
})

describe("an answer by itself", () => {
  const faults = (answer: DoorAnswer, isCalm = false) =>
    answerFaults(charged, toldAt(0, answer), isCalm)
  const unavailable = answerOf(503, { statusCode: 503 }, { "retry-after": "1" })

  it("is never an error of ours", () => {
    assert.match(faults(answerOf(500, {})).join(), /was answered 500/)
    assert.match(faults(answerOf(503, {})).join(), /without Retry-After/)
    assert.deepStrictEqual(faults(unavailable), [])
    assert.match(faults(unavailable, true).join(), /while nothing was wrong/)
    assert.deepStrictEqual(faults(refusal(500, "PSP_UNAVAILABLE")), [])
  })

  it("says in two places alike when to come again", () => {
    const paused = (header: string | undefined, retryAfterSeconds?: number) => {
      const details = { code: "PSP_UNAVAILABLE", retryAfterSeconds }
      return faults(
        answerOf(
          500,
          { statusCode: 500, details },
          header === undefined ? {} : { "retry-after": header }
        )
      )
    }
    assert.deepStrictEqual(paused("90", 90), [])
    for (const [header, seconds] of [
      ["90", 30],
      ["90", undefined],
      [undefined, 90],
      ["0", 0],
      ["3601", 3_601]
    ] as const)
      assert.match(paused(header, seconds).join(), /two times to come again/)
  })

  it("has the envelope of errors", () => {
    assert.match(faults(answerOf(400, { message: "no" })).join(), /without the envelope/)
    assert.deepStrictEqual(faults(short), [])
  })
})
