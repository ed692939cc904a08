import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { cancellationLaws, creationLaws, robustnessLaws } from "./PspChargeLaws.ts"
import { balanceLaws } from "./PspBalanceLaws.ts"
import { notificationLaws } from "./PspNotificationLaws.ts"
import { paymentLaws } from "./PspPaymentLaws.ts"
import { payoutLaws } from "./PspPayoutLaws.ts"
import { receivedLaws } from "./PspReceivedLaws.ts"
import { refundLaws } from "./PspRefundLaws.ts"
import type { PspAbilities } from "./PspUnderTest.ts"
import { PspUnderTest } from "./PspUnderTest.ts"
import { showingWithin } from "./PspVisibility.ts"

/**
 * The laws of a PSP (`PspShape`) as tests, for a test file of your own:
 *
 * - `layer` gives your PSP, and the hooks that act for payers and catch notifications;
 * - `supports` says what your PSP and its test environment can do. A law that needs what they cannot shows as
 *   skipped, with your reason.
 *
 * The suite runs on the real clock and makes charges and payouts of 12.34 under random references, so it can be
 * pointed at a bank's test environment. Never point it at production.
 */
export const pspContract = <E>(
  name: string,
  options: {
    readonly layer: Layer.Layer<PspUnderTest, E>
    readonly supports: PspAbilities
    /** How long one law may take, in milliseconds. Default 30,000. */
    readonly lawMillis?: number
    /** How long what was done may take to be found; not at all by default. */
    readonly visibleWithin?: Duration.Input
  }
): void => {
  const { lawMillis = 30_000, supports, visibleWithin = Duration.zero } = options
  const within = Duration.fromInputUnsafe(visibleWithin)
  const patient = Layer.effect(
    PspUnderTest,
    Effect.map(PspUnderTest, (test) => ({ ...test, psp: showingWithin(test.psp, within) }))
  ).pipe(Layer.provide(options.layer))
  layer(patient, { excludeTestServices: true })(`PSP contract: ${name}`, (it) => {
    it.effect("declares as capabilities what it supports", () =>
      Effect.gen(function* () {
        const { psp } = yield* PspUnderTest
        const { capabilities, provider } = psp
        assert.notStrictEqual(provider, "")
        assert.strictEqual(capabilities.idempotentByReference, supports.repeatedCreate === true)
        assert.strictEqual(capabilities.knowsPayer, supports.payer === true)
        if (capabilities.payouts === "none") assert.notStrictEqual(supports.payouts, true)
        for (const [name, ability] of Object.entries(optional)) {
          if (supports[ability] === true) assert.isDefined(Reflect.get(psp, name), name)
        }
        assert.isAtLeast(Duration.toMillis(capabilities.notFoundIsFinalAfter), 0)
        assert.isAtLeast(Duration.toMillis(capabilities.settlementLag), 0)
        // What shows later than that would be given up, or sent twice.
        const { notFoundIsFinalAfter } = capabilities
        assert.isAtLeast(Duration.toMillis(notFoundIsFinalAfter), Duration.toMillis(within))
      })
    )

    for (const { needs, proof, title } of laws) {
      const reason = needs.map((need) => lackOf(supports, need)).find((lack) => lack !== undefined)
      if (reason === undefined) it.effect(title, () => proof, lawMillis)
      else it.effect.skip(`${title} (skipped: ${reason})`, () => proof)
    }
  })
}

/** What a PSP has that supports it. */
const optional = {
  findPayment: "receivedPayments",
  listPayments: "paymentLists",
  confirmPayer: "payerClaims",
  findInfraction: "infractions",
  listInfractions: "infractionLists",
  balance: "balance",
  check: "checks",
  prepare: "preparation"
} as const

const laws = [
  ...creationLaws,
  ...cancellationLaws,
  ...paymentLaws,
  ...payoutLaws,
  ...refundLaws,
  ...receivedLaws,
  ...balanceLaws,
  ...notificationLaws,
  ...robustnessLaws
]

const lackOf = (supports: PspAbilities, need: keyof PspAbilities): string | undefined => {
  const ability = supports[need] ?? true
  return ability === true ? undefined : ability.no
}
