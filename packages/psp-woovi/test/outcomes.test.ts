import { assert, describe, it } from "@effect/vitest"
import { PspOutcome } from "@pagora/core"
import { Duration, Effect } from "effect"
import type { Fault } from "@pagora/fake-bank"
import type { FakeWoovi } from "@pagora/fake-bank/woovi"
import { woovi } from "../src/Woovi.ts"
import { charge, payout, reference, running } from "./WooviWorld.test-data.ts"

type Spoiled = Omit<Fault, "operation">
const status = (status: number, text = "", more: Spoiled | object = {}): Spoiled => ({
  kind: "status",
  status,
  text,
  ...more
})
const error = (error: unknown, errorCode?: string) => JSON.stringify({ error, errorCode })
/** As a gateway or a framework answers by itself. */
const route = (error: string) => JSON.stringify({ statusCode: 404, error, message: "no route" })
const html = "<html><h1>Bad gateway</h1></html>"

/** What Woovi, or somebody before it, answers an order with; and what is known then. */
const answers: ReadonlyArray<
  readonly [what: string, answer: Spoiled, outcome: PspOutcome<never>["_tag"]]
> = [
  ["refuses in a sentence", status(400, error("Valor inválido")), "Rejected"],
  ["refuses in a list of faults", status(400, error([{ message: "Invalid" }])), "Rejected"],
  ["refuses in a list of sentences", status(422, error(["Invalid"])), "Rejected"],
  ["refuses by a code", status(400, error("DUPLICATED_ORDER")), "Rejected"],
  ["says to be in conflict with what may be the same", status(409, error("DUPLICATED")), "Unknown"],
  ["has a limit of keys", status(400, error("ALIAS_LIMIT_ERROR")), "NotNow"],
  ["has a limit of keys beside words", status(400, error("Limite", "ALIAS_LIMIT_ERROR")), "NotNow"],
  ["has too many look-ups", status(429, error("Too many", "TOO_MANY_REQUESTS")), "NotNow"],
  ["has too many requests", status(429, ""), "NotNow"],
  ["does not know the AppID", status(401, error("appID inválido")), "NotNow"],
  ["does not allow it to the AppID", status(403, error("Wrong API type")), "NotNow"],
  ["is forbidden by somebody before it", status(403, html), "Unknown"],
  ["is not found by somebody before it", status(404, html), "Unknown"],
  ["is refused by somebody before it", status(400, html), "Unknown"],
  ["is not found in JSON by somebody before it", status(404, route("Not Found")), "Unknown"],
  ["is refused in JSON by somebody before it", status(400, route("Bad Request")), "Unknown"],
  ["refuses without words", status(400, error("")), "Unknown"],
  ["refuses with an empty list", status(400, error([])), "Unknown"],
  ["fails", status(500, error("Internal server error occurred")), "Unknown"],
  ["fails with a code of a limit", status(500, error("ALIAS_LIMIT_ERROR")), "Unknown"],
  ["is away", status(502, html), "Unknown"],
  ["is overloaded", status(503, ""), "Unknown"],
  [
    "redirects",
    status(302, "", { headers: { location: "https://elsewhere.example/" } }),
    "Unknown"
  ],
  ["says yes in a page", status(200, html), "Unknown"],
  ["says yes in null", status(200, "null"), "Unknown"],
  ["says yes to nothing", status(200, "{}"), "Unknown"],
  ["says yes without a body", status(204), "Unknown"],
  ["breaks off", { kind: "cut" }, "Unknown"],
  ["hangs", { kind: "slow", millis: 1_000 }, "Unknown"]
]

/** The next charge and the next payout that are ordered. */
const spoilOrders = ({ faults }: FakeWoovi, spoiled: Spoiled) =>
  faults.set(
    ["createCharge", "sendPayout"].map((operation) => ({ ...spoiled, operation, times: 1 }))
  )

describe("what is known after an order that Woovi", () => {
  it.live.each(answers)("%s", ([, spoiled, outcome]) =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(spoiled.kind === "slow" ? { ...options, timeoutMillis: 200 } : options)
      spoilOrders(bank, spoiled)
      assert.strictEqual((yield* psp.createCharge(charge))._tag, outcome)
      assert.strictEqual((yield* psp.sendPayout(payout))._tag, outcome)
    })
  )

  it.live.each([
    ["breaks off", { kind: "loseAnswer" }],
    ["hangs", { kind: "slow", millis: 2_000, after: true }],
    ["fails", { ...status(500, html), after: true }]
  ] satisfies ReadonlyArray<readonly [string, Spoiled]>)(
    "has carried out when it %s is nothing, and it is found by asking",
    ([, spoiled]) =>
      Effect.gen(function* () {
        const { bank, options } = yield* running()
        const psp = woovi(spoiled.kind === "slow" ? { ...options, timeoutMillis: 500 } : options)
        spoilOrders(bank, spoiled)
        assert.strictEqual((yield* psp.createCharge(charge))._tag, "Unknown")
        assert.strictEqual((yield* psp.sendPayout(payout))._tag, "Unknown")
        const found = yield* psp.findPayout({ reference })
        assert.strictEqual(found._tag === "Done" && found.value?.status, "processing")
        const made = yield* psp.findCharge(reference)
        assert.strictEqual(made._tag === "Done" && made.value?.amount, charge.amount)
        // Sent again, it is the same one.
        const again = yield* psp.sendPayout(payout)
        assert.strictEqual(again._tag === "Done" && again.value.status, "processing")
        assert.strictEqual(bank.world.payouts.length, 1)
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

  it.live.each([
    ["when it does not say for how long", undefined, 300],
    ["as long as it says", "90", 90],
    ["not when it says a date", "Wed, 21 Oct 2026 07:28:00 GMT", 300],
    ["for an hour at most", "999999", 3_600]
  ] as const)("takes later waits %s", ([, retryAfter, seconds]) =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter }
      spoilOrders(bank, status(429, "", { headers }))
      const outcome = yield* woovi(options).sendPayout(payout)
      const after = outcome._tag === "NotNow" ? Duration.toSeconds(outcome.after) : undefined
      assert.strictEqual(after, seconds)
    })
  )

  it.live("answers without an end is not read to it", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      spoilOrders(bank, status(200, "x".repeat(5_000_000)))
      const outcome = yield* woovi(options).sendPayout(payout)
      assert.deepStrictEqual(outcome, PspOutcome.unknown("ANSWER_TOO_LONG"))
    })
  )
})

/** Questions that are refused, or answered by somebody else. */
const refusals: ReadonlyArray<readonly [what: string, answer: Spoiled]> = [
  ["another sentence", status(400, error("Company not found"))],
  ["a company without an account", status(400, error("Company bank account not found"))],
  ["a page of somebody before it", status(404, html)],
  ["an AppID of another environment", status(401, error("appID inválido"))],
  [
    "an answer about another",
    status(200, JSON.stringify({ payment: { correlationID: "x", value: 1, status: "FAILED" } }))
  ]
]

describe("that there is nothing", () => {
  it.live.each(refusals)("is not learnt from %s", ([, refused]) =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      bank.faults.set([{ ...refused, times: 5 }])
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
        const operation = "listPaymentsOfCharge"
        bank.faults.set([{ ...status(400, error("Charge not found")), operation, times: 2 }])
        assert.strictEqual((yield* psp.createCharge(charge))._tag, "Unknown")
        assert.strictEqual((yield* psp.findCharge(reference))._tag, "Unknown")
        assert.strictEqual((yield* psp.findCharge(reference))._tag, "Done")
      })
  )
})
