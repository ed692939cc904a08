import { pspContract, PspUnderTest } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { centavos, aSandbox, anInbox } from "../../src/sandbox-psp/SandboxWorld.test-data.ts"

const layer = Layer.effect(
  PspUnderTest,
  Effect.gen(function* () {
    const sandbox = yield* aSandbox
    const inbox = anInbox()
    yield* sandbox.attach(inbox.receive)
    yield* sandbox.setBalance({ available: centavos(100_000_00n), blocked: centavos(0n) })
    return PspUnderTest.of({
      psp: sandbox.psp,
      pay: (reference, amount) =>
        sandbox
          .pay(reference, amount === undefined ? {} : { amount: centavos(amount) })
          .pipe(Effect.orDie, Effect.asVoid),
      settlePayout: (reference, end) =>
        sandbox.settlePayout(reference, { _tag: end }).pipe(Effect.orDie, Effect.asVoid),
      settleRefund: (reference, end) =>
        sandbox.settleRefund(reference, end).pipe(Effect.orDie, Effect.asVoid),
      payKey: () =>
        sandbox.payKey({}).pipe(
          Effect.orDie,
          Effect.map(({ endToEndId }) => endToEndId)
        ),
      returnPayment: (endToEndId) =>
        sandbox.returnPayment(endToEndId).pipe(Effect.orDie, Effect.asVoid),
      reportInfraction: (endToEndId) =>
        sandbox.reportInfraction(endToEndId).pipe(
          Effect.orDie,
          Effect.map(({ id }) => id)
        ),
      notifications: (name) =>
        Effect.sync(() =>
          inbox.received.filter(({ body }) => new TextDecoder().decode(body).includes(name))
        )
    })
  })
)

pspContract("sandbox", {
  layer,
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
    receivedPayments: true,
    paymentLists: true,
    directPayments: true,
    ownReturns: true,
    payerClaims: true,
    infractions: true,
    infractionLists: true,
    balance: true,
    checks: true,
    preparation: true
  }
})
