import { memory, Pagora } from "@pagora/core"
import { createClient } from "@pagora/core/client"
import { eventually } from "@pagora/testkit"
import { assert, it } from "@effect/vitest"
import { chargeAmount } from "./Charge.ts"
import { notice } from "./Confirmations.ts"
import * as Shop from "./Shop.ts"

it("what the benchmark's PSP tells and answers settles a charge", async () => {
  const pagora = await Pagora.start({ storage: memory(), psp: Shop.psp(), logger: false })
  try {
    const { id } = await pagora.accounts.create(Shop.account)
    const { clientId, clientSecret } = await pagora.credentials.issue(id, Shop.credential)
    const baseUrl = "http://localhost"
    const shop = createClient({
      baseUrl,
      clientId,
      clientSecret,
      fetch: (input, init) => pagora.fetch(new Request(input, init))
    })
    const charge = await shop.charges.create({ amount: chargeAmount, description: "Pedido" })
    const { body, method, path, token } = notice(
      Shop.noticesPath,
      Shop.pspSecret,
      charge.pspPaymentId
    )
    const headers = { authorization: `Bearer ${token}` }
    const told = await pagora.fetch(
      new Request(`${baseUrl}${path}`, { method, headers, body: JSON.stringify(body) })
    )
    assert.strictEqual(told.status, 200)
    await eventually(async () => {
      const { status } = await shop.transactions.find(charge.id)
      return status === "completed" ? status : undefined
    })
  } finally {
    await pagora.stop()
  }
})
