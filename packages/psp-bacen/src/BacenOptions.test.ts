import { assert, describe, it } from "@effect/vitest"
import { bacen } from "./Bacen.ts"
import { optionsFor, secret } from "./Bank.test-data.ts"
import type { BacenOptions } from "./BacenOptions.ts"
import { BacenMisconfigured } from "./BacenOptions.ts"
import { banks } from "./profiles/Banks.ts"

const good = optionsFor("efi", "https://localhost:8443")

const without = (name: keyof BacenOptions): BacenOptions => {
  const { [name]: _, ...others } = good
  return others as BacenOptions
}

describe("options", () => {
  it("that cannot be right are refused with a sentence, and no secret", () => {
    const { sandbox: _, ...noSandbox } = banks.efi
    const wrong: ReadonlyArray<readonly [BacenOptions, string]> = [
      [{ ...good, bank: "banco-azul" as "efi" }, "bank is one of efi, inter"],
      [{ ...good, pixKey: "11.222.333/0001-81" }, "pixKey"],
      [{ ...good, clientId: "" }, "clientId"],
      [without("clientSecret"), "clientSecret"],
      [without("certificate"), "certificate"],
      [{ ...good, callbacks: { by: "secret", secret: "short" } }, "callbacks.secret"],
      [{ ...good, origin: "http://localhost:8443" }, "origin"],
      [{ ...good, origin: "https://localhost/path" }, "origin"],
      [{ ...good, bank: noSandbox, environment: "sandbox" }, "no test environment"]
    ]
    for (const [options, words] of wrong) {
      try {
        bacen(options)
        assert.fail(`taken: ${words}`)
      } catch (error) {
        assert.instanceOf(error, BacenMisconfigured)
        assert.include(String(error), words)
        assert.notInclude(String(error), secret)
      }
    }
  })

  it("give a PSP of the bank", () => {
    for (const [name, profile] of Object.entries(banks)) {
      for (const bank of [name as keyof typeof banks, profile]) {
        const psp = bacen({ ...good, bank })
        assert.strictEqual(psp.provider, name)
        assert.strictEqual(
          psp.capabilities.payouts,
          profile.payouts === "none" ? "none" : undefined
        )
      }
    }
  })

  it("need no secret where the bank's portal gave a token, and no certificate in a sandbox", () => {
    const psp = bacen({
      bank: "sicoob",
      environment: "sandbox",
      pixKey: good.pixKey,
      clientId: "cliente",
      fixedToken: "token-do-portal"
    })
    assert.strictEqual(psp.environment, "sandbox")
  })
})
