import { assert, layer } from "@effect/vitest"
import type { Layer } from "effect"
import { Duration, Effect } from "effect"
import { cancellationLaws, creationLaws, robustnessLaws } from "./PspChargeLaws.ts"
import { notificationLaws } from "./PspNotificationLaws.ts"
import { paymentLaws } from "./PspPaymentLaws.ts"
import { payoutLaws } from "./PspPayoutLaws.ts"
import { refundLaws } from "./PspRefundLaws.ts"
import type { PspAbilities } from "./PspUnderTest.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

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
  }
): void => {
  const { supports } = options
  layer(options.layer, { excludeTestServices: true })(`PSP contract: ${name}`, (it) => {
    it.effect("declares as capabilities what it supports", () =>
      Effect.gen(function* () {
        const { capabilities, provider } = (yield* PspUnderTest).psp
        assert.notStrictEqual(provider, "")
        assert.strictEqual(capabilities.idempotentByReference, supports.repeatedCreate === true)
        assert.strictEqual(capabilities.knowsPayer, supports.payer === true)
        assert.isAtLeast(Duration.toMillis(capabilities.notFoundIsFinalAfter), 0)
        assert.isAtLeast(Duration.toMillis(capabilities.settlementLag), 0)
      })
    )

    for (const { needs, proof, title } of laws) {
      const reason = needs.map((need) => lackOf(supports, need)).find((lack) => lack !== undefined)
      if (reason === undefined) it.effect(title, () => proof)
      else it.effect.skip(`${title} (skipped: ${reason})`, () => proof)
    }
  })
}

const laws = [
  ...creationLaws,
  ...cancellationLaws,
  ...paymentLaws,
  ...payoutLaws,
  ...refundLaws,
  ...notificationLaws,
  ...robustnessLaws
]

const lackOf = (supports: PspAbilities, need: keyof PspAbilities): string | undefined => {
  const ability = supports[need]
  return ability === true ? undefined : ability.no
}
