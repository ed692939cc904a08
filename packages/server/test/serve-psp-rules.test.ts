import { assert, describe, it } from "@effect/vitest"
import { startFakeWoovi } from "@pagora/fake-bank/woovi"
import { join } from "node:path"
import { asShop, tokenOf, worldOf } from "./ServeWorld.test-data.ts"

const one = "0190a1b2-0000-7000-8000-0000000000aa"
const other = "0190a1b2-0000-7000-8000-0000000000bb"

describe("pagora serve with PAGORA_PSP_RULES", { timeout: 120_000 }, () => {
  it("sends new charges where the rules say, past a PSP that is away", async (context) => {
    const [bank, otherBank] = [await startFakeWoovi(), await startFakeWoovi()]
    context.onTestFinished(async () => {
      await bank.close()
      await otherBank.close()
    })
    const world = await worldOf(context)
    const deployment = await world.start({
      PAGORA_CONFIG: join(import.meta.dirname, "two-woovis.config.mjs"),
      ONE: one,
      ONE_APP_ID: bank.appId,
      ONE_URL: bank.url,
      OTHER: other,
      OTHER_APP_ID: otherBank.appId,
      OTHER_URL: otherBank.url,
      PAGORA_PSP_RULES: `max=100,${other};${one};${other}`
    })
    const shop = await deployment.shop()
    const token = await tokenOf(deployment.api, shop)
    const asked = asShop(deployment.api, token)
    const goesTo = async (amount: number) => {
      const { json, status } = await asked("POST", "/pix", { body: { amount } })
      return status === 201 ? json.pspCredentialId : status
    }
    assert.deepStrictEqual([await goesTo(100), await goesTo(100.01)], [other, one])
    assert.deepStrictEqual([bank.world.charges.length, otherBank.world.charges.length], [1, 1])

    await bank.close()
    // Three that it does not take show that it is away.
    const untaken = [await goesTo(200), await goesTo(200), await goesTo(200)]
    assert.deepStrictEqual([...untaken, await goesTo(200)], [500, 500, 500, other])

    // An account that was given PSPs goes to those alone.
    const path = `/accounts/${shop.accountId}` as "/accounts/{id}"
    const body = { psps: { default: other, allowed: [other] } }
    assert.strictEqual((await deployment.operator("PATCH", path, { body })).status, 200)
    assert.strictEqual(await goesTo(1_000), other)
    assert.isTrue((await deployment.operator("GET", "/audit")).json.ok)
  })
})
