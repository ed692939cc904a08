import { assert, describe, it } from "@effect/vitest"
import type { PspSettings } from "@pagora/core"
import { wooviPublicKey } from "@pagora/psp-woovi"
import { Effect, Redacted } from "effect"
import { bankProviders } from "./BankProviders.ts"

const made = (provider: string, settings: PspSettings) =>
  bankProviders[provider]?.make({ environment: "sandbox", settings: Redacted.make(settings) }) ??
  Effect.die("There is no such provider.")

describe("settings of Woovi that are kept", () => {
  it.effect("make a PSP, with other signing keys where there are some", () =>
    Effect.gen(function* () {
      for (const signingKeysPem of ["", wooviPublicKey + wooviPublicKey]) {
        const { psp } = yield* made("woovi", { appId: "app", signingKeysPem })
        assert.deepStrictEqual([psp.provider, psp.environment], ["woovi", "sandbox"])
      }
    })
  )

  it.effect("are refused where they are another bank's, or no keys, and are not repeated", () =>
    Effect.gen(function* () {
      const faults = (provider: string, settings: PspSettings) =>
        Effect.map(Effect.flip(made(provider, settings)), (refused) => refused.faults)
      assert.deepStrictEqual(
        (yield* faults("woovi", { pixKey: "key", certificatePem: "hunter2" })).map(
          (fault) => fault.split(":")[0]
        ),
        [
          "settings.pixKey means nothing to woovi",
          "settings.appId is missing",
          "settings.certificatePem means nothing to woovi"
        ]
      )
      const noKey = yield* faults("woovi", { appId: "app", signingKeysPem: "hunter2" })
      assert.match(noKey.join(), /^The keys that Woovi signs with must be PEM/)
      const atEfi = yield* faults("efi", { appId: "hunter2", signingKeysPem: "hunter2" })
      assert.includeMembers(atEfi, [
        "settings.appId means nothing to efi: take it away.",
        "settings.signingKeysPem means nothing to efi: take it away."
      ])
      assert.notInclude([...noKey, ...atEfi].join(), "hunter2")
    })
  )
})
