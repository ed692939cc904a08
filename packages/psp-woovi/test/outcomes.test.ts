import { assert, describe, it } from "@effect/vitest"
import type { PspOutcome } from "@pagora/core"
import { Duration, Effect } from "effect"
import type { WooviFault } from "@pagora/fake-bank/woovi"
import { woovi } from "../src/Woovi.ts"
import { charge, payout, reference, running } from "./WooviWorld.test-data.ts"

const error = (error: unknown, errorCode?: string) => JSON.stringify({ error, errorCode })
const html = "<html><h1>Bad gateway</h1></html>"

/** What Woovi, or somebody before it, answers an order with; and what is known then. */
const answers: ReadonlyArray<
  readonly [what: string, answer: WooviFault["with"], outcome: PspOutcome<never>["_tag"]]
> = [
  ["refuses in a sentence", { status: 400, body: error("Valor inválido") }, "Rejected"],
  [
    "refuses in a list of faults",
    { status: 400, body: error([{ message: "Invalid" }]) },
    "Rejected"
  ],
  ["refuses in a list of sentences", { status: 422, body: error(["Invalid"]) }, "Rejected"],
  ["refuses by a code", { status: 409, body: error("DUPLICATED_ORDER") }, "Rejected"],
  ["has a limit of keys", { status: 400, body: error("ALIAS_LIMIT_ERROR") }, "NotNow"],
  [
    "has a limit of keys beside words",
    { status: 400, body: error("Limite", "ALIAS_LIMIT_ERROR") },
    "NotNow"
  ],
  [
    "has too many look-ups",
    { status: 429, body: error("Too many", "TOO_MANY_REQUESTS") },
    "NotNow"
  ],
  ["has too many requests", { status: 429, body: "" }, "NotNow"],
  ["does not know the AppID", { status: 401, body: error("appID inválido") }, "NotNow"],
  ["does not allow it to the AppID", { status: 403, body: error("Wrong API type") }, "NotNow"],
  ["is forbidden by somebody before it", { status: 403, body: html }, "Unknown"],
  ["is not found by somebody before it", { status: 404, body: html }, "Unknown"],
  ["is refused by somebody before it", { status: 400, body: html }, "Unknown"],
  ["refuses without words", { status: 400, body: error("") }, "Unknown"],
  ["refuses with an empty list", { status: 400, body: error([]) }, "Unknown"],
  ["fails", { status: 500, body: error("Internal server error occurred") }, "Unknown"],
  ["fails with a code of a limit", { status: 500, body: error("ALIAS_LIMIT_ERROR") }, "Unknown"],
  ["is away", { status: 502, body: html }, "Unknown"],
  ["is overloaded", { status: 503, body: "" }, "Unknown"],
  ["redirects", { status: 302, headers: { location: "https://elsewhere.example/" } }, "Unknown"],
  ["says yes in a page", { status: 200, body: html }, "Unknown"],
  ["says yes in null", { status: 200, body: "null" }, "Unknown"],
  ["says yes to nothing", { status: 200, body: "{}" }, "Unknown"],
  ["says yes without a body", { status: 204 }, "Unknown"],
  ["breaks off", "break", "Unknown"],
  ["hangs", "hang", "Unknown"]
]

describe("what is known after an order that Woovi", () => {
  it.live.each(answers)("%s", ([, spoiled, outcome]) =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(spoiled === "hang" ? { ...options, timeoutMillis: 200 } : options)
      bank.fault({ to: "POST", with: spoiled, times: 2 })
      assert.strictEqual((yield* psp.createCharge(charge))._tag, outcome)
      assert.strictEqual((yield* psp.sendPayout(payout))._tag, outcome)
    })
  )

  it.live.each([
    ["breaks off", "break"],
    ["hangs", "hang"],
    ["fails", { status: 500, body: html }]
  ] as const)("has carried out when it %s is nothing, and it is found by asking", ([, spoiled]) =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(spoiled === "hang" ? { ...options, timeoutMillis: 500 } : options)
      bank.fault({ to: "POST", when: "after", with: spoiled, times: 2 })
      assert.strictEqual((yield* psp.createCharge(charge))._tag, "Unknown")
      assert.strictEqual((yield* psp.sendPayout(payout))._tag, "Unknown")
      const found = yield* psp.findPayout({ reference })
      assert.strictEqual(found._tag === "Done" && found.value?.status, "processing")
      const made = yield* psp.findCharge(reference)
      assert.strictEqual(made._tag === "Done" && made.value?.amount, charge.amount)
      // Sent again, it is the same one.
      const again = yield* psp.sendPayout(payout)
      assert.strictEqual(again._tag === "Done" && again.value.status, "processing")
      assert.strictEqual(bank.book.payouts.size, 1)
    })
  )

  it.live("never heard is that it did not leave", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      yield* Effect.promise(() => bank.close())
      assert.strictEqual((yield* woovi(options).sendPayout(payout))._tag, "NotSent")
      const nowhere = woovi({ ...options, url: "http://woovi.invalid" })
      assert.strictEqual((yield* nowhere.createCharge(charge))._tag, "NotSent")
    })
  )

  it.live("takes later waits for minutes, not for an hour", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      bank.fault({ to: "POST /payment", with: { status: 429 } })
      const outcome = yield* woovi(options).sendPayout(payout)
      const after = outcome._tag === "NotNow" ? Duration.toMinutes(outcome.after) : undefined
      assert.strictEqual(after, 5)
    })
  )
})

/** Questions that are refused, or answered by somebody else. */
const refusals: ReadonlyArray<readonly [what: string, answer: WooviFault["with"]]> = [
  ["another sentence", { status: 400, body: error("Company not found") }],
  ["a company without an account", { status: 400, body: error("Company bank account not found") }],
  ["a page of somebody before it", { status: 404, body: html }],
  ["an AppID of another environment", { status: 401, body: error("appID inválido") }],
  [
    "an answer about another",
    {
      status: 200,
      body: JSON.stringify({ payment: { correlationID: "x", value: 1, status: "FAILED" } })
    }
  ]
]

describe("that there is nothing", () => {
  it.live.each(refusals)("is not learnt from %s", ([, refused]) =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      bank.fault({ to: "GET", with: refused, times: 5 })
      const psp = woovi(options)
      const asked = [
        psp.findCharge(reference),
        psp.findPayout({ reference }),
        psp.findPayment?.("E99999999202601011200abcdefghijk"),
        psp.findRefund({ reference, endToEndId: "E99999999202601011200abcdefghijk" })
      ]
      for (const ask of asked)
        assert.notStrictEqual((yield* ask ?? Effect.die("left out"))._tag, "Done")
    })
  )

  it.live(
    "is not learnt of a charge when what was paid for it cannot be read, nor that it was refused",
    () =>
      Effect.gen(function* () {
        const { bank, options } = yield* running()
        const psp = woovi(options)
        bank.fault({
          to: "GET /transaction",
          with: { status: 400, body: error("Charge not found") },
          times: 2
        })
        assert.strictEqual((yield* psp.createCharge(charge))._tag, "Unknown")
        assert.strictEqual((yield* psp.findCharge(reference))._tag, "Unknown")
        assert.strictEqual((yield* psp.findCharge(reference))._tag, "Done")
      })
  )
})
