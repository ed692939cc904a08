import { leftOut, pspContract, PspUnderTest } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { woovi } from "../src/Woovi.ts"
import { running } from "./WooviWorld.test-data.ts"

const underTest = Layer.effect(
  PspUnderTest,
  Effect.map(running(), ({ bank, options }) => {
    const ends = { confirmed: "CONFIRMED", error: "REJECTED" } as const
    return PspUnderTest.of({
      psp: woovi(options),
      pay: (reference) => Effect.sync(() => void bank.pay(reference)),
      payKey: () => Effect.sync(() => bank.payKey(1_234).endToEndId),
      settlePayout: (reference, end) => Effect.sync(() => bank.endPayout(reference, end)),
      settleRefund: (reference, end) => Effect.sync(() => bank.endRefund(reference, ends[end])),
      returnPayment: (endToEndId) => Effect.sync(() => bank.giveBack(endToEndId)),
      reportInfraction: (endToEndId) => Effect.sync(() => bank.dispute(endToEndId).endToEndId),
      notifications: (name) =>
        Effect.sync(() =>
          bank.callbacks
            .filter(({ body }) => Buffer.from(body).includes(name))
            .map(({ body, headers }) => ({
              headers: { "x-webhook-signature": headers["x-webhook-signature"] },
              body,
              query: {},
              path: "" as const
            }))
        )
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
    balance: { no: "its layer does not ask for it yet" },
    checks: true,
    preparation: true
  }
})
