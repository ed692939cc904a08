import { assert, describe, it } from "@effect/vitest"
import type { SoakFacts } from "../src/soak/SoakCheck.ts"
import { violationsOf } from "../src/soak/SoakCheck.ts"
import type { SoakTale } from "../src/soak/SoakLoad.ts"
import { makeClient } from "../src/soak/SoakLoad.ts"

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
  audit: [],
  unended: 0,
  holes: 3
}

const without = (kind: string) => sound.stored.filter((row) => row.kind !== kind)
type Stored = SoakFacts["stored"][number]
const [paid, payout, returned] = sound.stored as [Stored, Stored, Stored]

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
  ["a load without a black hole", { holes: 0 }, /no process was ever in a black hole/]
]

describe("a client of a soak", () => {
  it("notes what it asked for under each key, told or not", async () => {
    const answers: Readonly<Record<string, readonly [status: number, json: object]>> = {
      "/auth": [200, { access_token: "token" }],
      "/pix": [201, { id: charge }],
      [`/charges/${charge}/pay`]: [200, {}],
      [`/transactions/${charge}/refund`]: [409, {}]
    }
    const api = async (_: string, path: string) => {
      const [status, json] = answers[path] ?? assert.fail(path)
      return { status, json: json as never, headers: {}, text: "" }
    }
    const tale: SoakTale = { asked: [], answers: new Map(), given: 0 }
    // Charges are paid and refunded, and nothing is asked for twice.
    const chance = {
      below: () => 0,
      happens: (probability: number) => probability > 0.2,
      pick: <A>(all: ReadonlyArray<A>) => all[0] as A
    }
    const shop = { clientId: "client", clientSecret: "secret" }
    const client = makeClient([{ api, sandbox: api }], shop, tale, chance)
    await client(performance.now() + 1)
    assert.deepStrictEqual(
      tale.asked.slice(0, 2).map(({ kind, told }) => [kind, told]),
      [
        ["charge", [charge]],
        ["return", []]
      ]
    )
  })
})

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
