import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { tmpdir } from "node:os"
import { configOf } from "./BankConfig.ts"
import { isBankUnknown } from "./BankVariables.ts"
import type { Environment } from "./Settings.ts"
import { Misconfigured, readBank } from "./Settings.ts"

const atEfi = {
  PAGORA_BANK: "efi",
  PAGORA_BANK_ENVIRONMENT: "sandbox",
  PAGORA_BANK_PIX_KEY: "11222333000181",
  PAGORA_BANK_CLIENT_ID: "loja",
  PAGORA_BANK_CLIENT_SECRET: "hunter2-of-the-bank"
}

const faultsOf = (environment: Environment) =>
  Effect.gen(function* () {
    const settings = yield* readBank(environment)
    const refused = yield* Effect.flip(configOf(settings, undefined, tmpdir()))
    return refused instanceof Misconfigured ? refused.faults : [refused.message]
  }).pipe(Effect.provide(NodeServices.layer))

describe("a bank that the environment names", () => {
  it.effect("is refused with all that is missing at once, by the names of the variables", () =>
    Effect.gen(function* () {
      const named = (faults: ReadonlyArray<string>) => faults.map((fault) => fault.split(" ")[0])
      assert.deepStrictEqual(named(yield* faultsOf({ PAGORA_BANK: "efi" })), [
        "PAGORA_BANK_PIX_KEY",
        "PAGORA_BANK_CLIENT_ID",
        "PAGORA_BANK_CLIENT_SECRET",
        "PAGORA_BANK_CERTIFICATE_FILE"
      ])
      // Sicoob's clients have an id alone.
      assert.notInclude(
        named(yield* faultsOf({ PAGORA_BANK: "sicoob" })),
        "PAGORA_BANK_CLIENT_SECRET"
      )
      assert.deepStrictEqual(yield* faultsOf({ ...atEfi, PAGORA_BANK_PIX_KEY: "nobody" }), [
        "PAGORA_BANK_PIX_KEY must be a Pix key as the directory stores it, such as a CNPJ of 14 digits or a random key."
      ])
    })
  )

  it("and that there is not, is a fault of that name alone", () => {
    assert.isTrue(isBankUnknown({ PAGORA_BANK: "nubank" }, {}))
    assert.isFalse(isBankUnknown({ PAGORA_BANK: "" }, {}))
    assert.isFalse(isBankUnknown({}, {}))
    assert.isFalse(isBankUnknown({ PAGORA_BANK: "efi" }, { bank: "efi" }))
  })
})
