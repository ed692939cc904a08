import { assert, describe, it } from "@effect/vitest"
import type { LoadFacts } from "../src/load/LoadCheck.ts"
import { violationsOf } from "../src/load/LoadCheck.ts"
import { makeClient, newTale } from "../src/load/LoadClient.ts"

const [charge, withdrawal, refund] = [
  "019a2b3c-0000-7000-8000-000000000001",
  "019a2b3c-0000-7000-8000-000000000002",
  "019a2b3c-0000-7000-8000-000000000003"
]
const short = (id: string) => id.replaceAll("-", "")

/** What a load leaves when all went well. */
const sound: LoadFacts = {
  asked: [
    { kind: "charge", reference: "order", amount: 500, told: [charge, charge], isRefused: false },
    { kind: "withdrawal", reference: "payout", amount: 300, told: [withdrawal], isRefused: false },
    { kind: "return", reference: charge, amount: 500, told: [short(refund)], isRefused: false },
    { kind: "withdrawal", reference: "never-answered", amount: 1, told: [], isRefused: false }
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
  audit: [],
  unended: 0,
  faults: 3
}

const without = (kind: string) => sound.stored.filter((row) => row.kind !== kind)
type Stored = LoadFacts["stored"][number]
const [paid, payout, returned] = sound.stored as [Stored, Stored, Stored]

const planted: ReadonlyArray<readonly [string, Partial<LoadFacts>, RegExp]> = [
  ["a row that was lost", { stored: without("charge") }, /acknowledged as \w+ and is not stored/],
  [
    "a key that made two things",
    { stored: [...sound.stored, { ...paid, id: "019a2b3c-0000-7000-8000-00000000000f" }] },
    /charge order is there 2 times/
  ],
  [
    "two answers of one key",
    {
      asked: [
        {
          kind: "charge",
          reference: "order",
          amount: 500,
          told: [charge, withdrawal],
          isRefused: false
        }
      ]
    },
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
  ["what the audit found", { audit: [{ rule: "unbalanced" }] }, /^audit: .*unbalanced/],
  [
    "two returns under a key that nobody answered",
    {
      asked: sound.asked.map((one) => (one.kind === "return" ? { ...one, told: [] } : one)),
      stored: [...sound.stored, { ...returned, id: "019a2b3c-0000-7000-8000-00000000000f" }]
    },
    /return \S+ is there 2 times/
  ],
  [
    "a charge that is creating for ever",
    { stored: [{ ...paid, status: "creating" }, ...without("charge")] },
    /charge \S+ has not ended: creating/
  ],
  ["what is on its way for ever", { unended: 2 }, /2 operations never came to their end/],
  [
    "a load of which nothing was acknowledged",
    { asked: sound.asked.map((one) => ({ ...one, told: [] })) },
    /nothing was acknowledged/
  ],
  [
    "what was refused and done",
    { asked: sound.asked.map((one) => ({ ...one, told: [], isRefused: true })) },
    /withdrawal payout was refused for good and is there/
  ],
  ["a load under which nothing went wrong", { faults: 0 }, /nothing was ever made to go wrong/]
]

describe("a client of a load", () => {
  it("notes what it asked for under each key, told or not", async () => {
    const answers: Readonly<Record<string, readonly [status: number, json: object]>> = {
      "/auth": [200, { access_token: "token" }],
      "/pix": [201, { id: charge }],
      [`/transactions/${charge}/refund`]: [409, {}]
    }
    const api = async (_: string, path: string) => {
      const [status, json] = answers[path] ?? assert.fail(path)
      return { status, json: json as never, headers: {}, text: "" }
    }
    const tale = newTale()
    // Charges are paid and refunded, and nothing is asked for twice.
    const chance = {
      below: () => 0,
      happens: (probability: number) => probability > 0.2,
      pick: <A>(all: ReadonlyArray<A>) => all[0] as A
    }
    const shop = { accountId: "account", clientId: "client", clientSecret: "secret" }
    const pay = async () => "200"
    const client = makeClient({ processes: [{ api }], shop, tale, chance, pay })
    await client(() => tale.asked.length > 0)
    assert.deepStrictEqual(
      tale.asked.slice(0, 2).map(({ isRefused, kind, told }) => [kind, told, isRefused]),
      [
        ["charge", [charge], false],
        ["return", [], true]
      ]
    )
  })
})

describe("the check at the end of a load", () => {
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
