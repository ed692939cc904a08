import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Metric } from "effect"
import type { PspCharge, PspOutcome, PspPayout } from "../ports/Psp.ts"
import { pspEntriesLeftOut } from "../telemetry/Metrics.ts"
import { callPsp } from "./PspCall.ts"

const at = DateTime.makeUnsafe("2026-11-23T12:00:00Z")

const charge = {
  reference: "0".repeat(32),
  pspPaymentId: "P1",
  status: "paid",
  amount: 1_000n,
  pixCopyPaste: "00020126",
  createdAt: at,
  expiresAt: at,
  payments: [{ endToEndId: "E1", amount: 1_000n, paidAt: at, payer: { name: "Ana" } }]
}

const payout = {
  reference: "0".repeat(32),
  pspReference: "P1",
  status: "reversed",
  amount: 900n,
  endToEndId: "E1",
  settledAt: undefined,
  recipient: {},
  reversal: { returnId: "D1", at, code: "BE08" }
}

const received = {
  endToEndId: "E1",
  amount: 1_000n,
  paidAt: at,
  returns: [{ reference: "D1", status: "confirmed", amount: 1_000n }]
}

const outcomeOf = (
  operation: "findCharge" | "findPayout" | "findPayment" | "listPayments",
  answer: unknown
) => callPsp(operation, Effect.succeed(answer as PspOutcome<PspCharge | PspPayout | undefined>))

describe("a call to a PSP", () => {
  it.effect("answers what the PSP answered", () =>
    Effect.gen(function* () {
      const answers = [
        { _tag: "Done", value: charge },
        { _tag: "Done", value: undefined },
        { _tag: "Rejected", code: "limit_exceeded", message: "Too much." },
        { _tag: "NotSent", detail: "connection refused" },
        { _tag: "Unknown", detail: "502" }
      ]
      for (const answer of answers)
        assert.deepStrictEqual<unknown>(yield* outcomeOf("findCharge", answer), answer)
      const paid = { _tag: "Done", value: payout }
      assert.deepStrictEqual<unknown>(yield* outcomeOf("findPayout", paid), paid)
    })
  )

  it.effect("counts as unknown where the answer is about another charge", () =>
    Effect.gen(function* () {
      const answer = { _tag: "Done", value: { ...charge, reference: "1".repeat(32) } }
      const ask = (reference: string) =>
        callPsp(
          "createCharge",
          Effect.succeed(answer as unknown as PspOutcome<PspCharge>),
          reference
        )
      assert.strictEqual((yield* ask("0".repeat(32)))._tag, "Unknown")
      assert.deepStrictEqual<unknown>(yield* ask("1".repeat(32)), answer)
    })
  )

  it.effect("leaves out payments of nothing, keeps the others, and counts", () =>
    Effect.gen(function* () {
      const [payment] = charge.payments
      const nothing = { ...payment, amount: 0n }
      const payments = [nothing, payment, nothing]
      const answer = { _tag: "Done", value: { ...charge, payments } }
      const leftOut = Effect.map(
        Metric.value(pspEntriesLeftOut.of("findCharge")),
        (state) => (state as { readonly count: number }).count
      )
      const before = yield* leftOut
      const outcome = yield* outcomeOf("findCharge", answer)
      assert.deepStrictEqual<unknown>(outcome, { _tag: "Done", value: charge })
      assert.strictEqual((yield* leftOut) - before, 2)
    })
  )

  it.effect("counts as unknown where it has an amount below zero, whatever else it tells of", () =>
    Effect.gen(function* () {
      const below = { ...received, amount: -5n }
      const takenBack = { ...received, returns: [{ ...received.returns[0], amount: -1_000n }] }
      const answers = [
        ["findCharge", { ...charge, payments: [...charge.payments, below] }],
        ["findPayment", takenBack],
        ["listPayments", { payments: [received, takenBack] }],
        ["listPayments", { payments: [received, below] }]
      ] as const
      for (const [operation, value] of answers) {
        const outcome = yield* outcomeOf(operation, { _tag: "Done", value })
        assert.strictEqual(outcome._tag, "Unknown", operation)
      }
      const paid = { _tag: "Done", value: received }
      assert.deepStrictEqual<unknown>(yield* outcomeOf("findPayment", paid), paid)
    })
  )

  it.effect.each([
    ["nothing", undefined],
    ["null", null],
    ["a page of HTML", "<html>502 Bad Gateway</html>"],
    ["a word of its own", { _tag: "done", value: charge }],
    ["null as what was found", { _tag: "Done", value: null }],
    ["an empty charge", { _tag: "Done", value: {} }],
    ["a status that nobody knows", { _tag: "Done", value: { ...charge, status: "PENDENTE" } }],
    ["an amount that is a number", { _tag: "Done", value: { ...charge, amount: 10 } }],
    ["an amount below zero", { _tag: "Done", value: { ...charge, amount: -1n } }],
    ["a time that is a text", { _tag: "Done", value: { ...charge, expiresAt: "2026-11-23" } }],
    ["no code to pay by", { _tag: "Done", value: { ...charge, pixCopyPaste: "" } }],
    ["a payment without an amount", { _tag: "Done", value: { ...charge, payments: [{}] } }],
    ["no payments", { _tag: "Done", value: { ...charge, payments: undefined } }],
    ["a payout", { _tag: "Done", value: payout }],
    ["a refusal without a reason", { _tag: "Rejected" }]
  ])("counts as unknown where the answer is %s", ([_, answer]) =>
    Effect.gen(function* () {
      const outcome = yield* outcomeOf("findCharge", answer)
      assert.deepStrictEqual(outcome, {
        _tag: "Unknown",
        detail: "an answer that nobody understands"
      })
    })
  )
})
