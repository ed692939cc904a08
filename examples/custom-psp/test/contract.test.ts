import { Money } from "@pagora/core"
import { leftOut, pspContract, PspUnderTest } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { aurora } from "../src/aurora/Aurora.ts"
import { keys, startBank } from "./AuroraBank.test-data.ts"

const underTest = Layer.effect(
  PspUnderTest,
  Effect.gen(function* () {
    const bank = yield* Effect.acquireRelease(
      Effect.promise(() => startBank()),
      ({ stop }) => Effect.promise(stop)
    )
    return PspUnderTest.of({
      psp: aurora({ ...keys, url: bank.url, environment: "sandbox" }),
      pay: (reference, amount) =>
        Effect.promise(() =>
          bank.pay(reference, amount === undefined ? undefined : Money.toBrlString(amount))
        ),
      settlePayout: (reference, end) => Effect.promise(() => bank.settlePayout(reference, end)),
      settleRefund: (reference, end) => Effect.promise(() => bank.settleRefund(reference, end)),
      notifications: (reference) =>
        Effect.sync(() =>
          bank.notifications
            .filter((sent) => sent.reference === reference)
            .map(({ body, headers }) => ({ headers, body, query: {}, path: "" }))
        )
    })
  })
)

pspContract("Banco Aurora", {
  layer: underTest,
  supports: {
    repeatedCreate: true,
    cancel: true,
    payments: true,
    repeatedPayments: true,
    otherAmounts: true,
    payer: true,
    payouts: true,
    settledPayouts: true,
    reversals: true,
    refunds: true,
    settledRefunds: true,
    notifications: true,
    authenticHeaders: true,
    signedBodies: true,
    ...leftOut("the bank of the example has no such call")
  }
})
