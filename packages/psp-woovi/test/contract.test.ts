import { leftOut, pspContract, PspUnderTest } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { woovi } from "../src/Woovi.ts"
import { listening, running } from "./WooviWorld.test-data.ts"

const underTest = Layer.effect(
  PspUnderTest,
  Effect.gen(function* () {
    const { bank, options } = yield* running()
    const { taken } = yield* listening(bank)
    const ends = { confirmed: "DEVOLVIDO", error: "NAO_REALIZADO" } as const
    return PspUnderTest.of({
      psp: woovi(options),
      pay: (reference) => Effect.sync(() => void bank.pay(reference)),
      payKey: () => Effect.sync(() => bank.payKey({ centavos: 1_234 }).endToEndId),
      settlePayout: (reference, end) => Effect.sync(() => void bank.settlePayout(reference, end)),
      settleRefund: (reference, end) =>
        Effect.sync(() => void bank.settleReturn(reference, ends[end])),
      returnPayment: (endToEndId) => Effect.sync(() => void bank.returnPayment(endToEndId)),
      reportInfraction: (endToEndId) => Effect.sync(() => bank.reportInfraction(endToEndId).id),
      notifications: (name) =>
        Effect.sync(() => taken.filter(({ body }) => Buffer.from(body).includes(name)))
    })
  })
)

pspContract("Woovi", {
  layer: underTest,
  supports: {
    repeatedCreate: true,
    cancel: true,
    payments: true,
    repeatedPayments: { no: "a charge of Woovi is paid once" },
    otherAmounts: { no: "a charge of Woovi takes the amount that it asks for" },
    payer: true,
    payouts: true,
    settledPayouts: true,
    reversals: true,
    refunds: true,
    settledRefunds: true,
    notifications: true,
    refundNotices: { no: "its events tell of a return by the payment that goes back" },
    authenticHeaders: true,
    signedBodies: true,
    ...leftOut("payments tell who paid, so nobody has to claim it"),
    receivedPayments: true,
    paymentLists: true,
    directPayments: true,
    ownReturns: true,
    infractions: true,
    infractionLists: { no: "its notices tell of each, and of how it ends" },
    balance: true,
    checks: true,
    preparation: true
  }
})
