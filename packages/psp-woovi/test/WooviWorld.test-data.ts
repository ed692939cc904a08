import { startFakeWoovi } from "@pagora/fake-bank/woovi"
import type { FakeWooviOptions } from "@pagora/fake-bank/woovi"
import { Money, PixKey } from "@pagora/core"
import { Effect, Result } from "effect"
import type { WooviOptions } from "../src/WooviCalls.ts"

/** A fake Woovi on a socket, and the options by which it is asked. Its callbacks go nowhere, and are answered 200. */
export const running = (asked: FakeWooviOptions = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => startFakeWoovi({ send: async () => 200, ...asked })),
      (bank) => Effect.promise(() => bank.close())
    ),
    (bank) => {
      const { appId, keys, url } = bank
      const options: WooviOptions = {
        appId,
        url,
        environment: "sandbox",
        publicKeys: keys.published(),
        timeoutMillis: 2_000
      }
      return { bank, options }
    }
  )

export const reference = "0123456789abcdef0123456789abcdef"
export const amount = Money.Centavos.make(1_234n)
export const keyOf = (text: string): PixKey.PixKey => Result.getOrThrow(PixKey.parse("email", text))
export const payout = { reference, amount, pixKey: keyOf("ana@example.com"), holder: {} }
export const charge = { reference, amount, expiresInSeconds: 3_600 }
