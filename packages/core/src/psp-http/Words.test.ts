import { assert, describe, it } from "@effect/vitest"
import { payerOf, reasonsBy } from "./Words.ts"

describe("the words of a PSP", () => {
  it("for a refusal are ours, by its own codes or the network's, or as they are", () => {
    const reasonOf = reasonsBy({ NO_FUNDS: "insufficient_psp_balance", AC03: "of_its_own" })
    assert.deepStrictEqual(["NO_FUNDS", "AC03", "AC07", "constructor"].map(reasonOf), [
      "insufficient_psp_balance",
      "of_its_own",
      "account_closed",
      "constructor"
    ])
  })

  it("for a payer are as much as can be known by them", () => {
    assert.deepStrictEqual(payerOf("Ana", "529.982.247-25"), {
      name: "Ana",
      document: "52998224725"
    })
    for (const document of [undefined, "", "***.982.247-**", "52998224726"])
      assert.deepStrictEqual(payerOf("", document), {})
  })
})
