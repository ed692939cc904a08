import { assert, describe, it } from "@effect/vitest"
import { refusalOf, withPagora } from "../world/Embedding.test-data.ts"
import { bankA, plainBank } from "../psp/PlainBank.test-data.ts"

const withBank = (environment: "sandbox" | "production") => ({
  psp: { default: bankA, psps: { [bankA]: plainBank({ environment }).psp } }
})

describe("time under a PSP of one's own", () => {
  it("moves in tests, and what became due has been worked off when it resolves", () =>
    withPagora(withBank("sandbox"), async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      const charge = await pagora.charges.create(id, { amount: 10, expiresIn: 3_600 })
      await pagora.advanceTime({ seconds: 3_000 })
      assert.strictEqual((await pagora.transactions.find(id, charge.id)).status, "pending")
      await pagora.advanceTime({ seconds: 700 })
      assert.notStrictEqual((await pagora.transactions.find(id, charge.id)).status, "pending")
    }))

  it("moves with the simulated PSP, too", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja" })
      const charge = await pagora.charges.create(id, { amount: 10, expiresIn: 60 })
      await pagora.advanceTime({ seconds: 120 })
      assert.notStrictEqual((await pagora.transactions.find(id, charge.id)).status, "pending")
    }))

  it("stays where money is real, and by nothing that is no time", () =>
    withPagora(withBank("production"), async (pagora) => {
      const refusal = await refusalOf(pagora.advanceTime({ seconds: 60 }))
      assert.strictEqual(refusal.code, "TIME_IS_REAL")
      for (const seconds of [0, -1, 1.5, Number.NaN, 315_360_001, "60" as never])
        assert.strictEqual(
          (await refusalOf(pagora.advanceTime({ seconds }))).code,
          "INVALID_ADVANCE"
        )
    }))
})
