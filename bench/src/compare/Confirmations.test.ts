import { memory, Pagora } from "@pagora/core"
import { assert, it } from "@effect/vitest"
import { chargeAmount } from "./Charge.ts"
import { notice } from "./Confirmations.ts"
import * as Shop from "./Shop.ts"
import type { Call } from "./Wire.ts"

it("what the benchmark's PSP tells and answers settles a charge", async () => {
  const pagora = await Pagora.start({ storage: memory(), psp: Shop.psp(), logger: false })
  const answerTo = async ({ body, method, path, token }: Call) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token ?? ""}` }
    const request = {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }
    const answer = await pagora.fetch(new Request(`http://localhost${path}`, request))
    return { status: answer.status, body: (await answer.json()) as Record<string, string> }
  }
  try {
    const { id } = await pagora.accounts.create(Shop.account)
    const { clientId, clientSecret } = await pagora.credentials.issue(id, Shop.credential)
    const login = { client_id: clientId, client_secret: clientSecret }
    const auth = await answerTo({ method: "POST", path: "/auth", body: login })
    const token = auth.body["access_token"] ?? ""
    const ask = { amount: chargeAmount, description: "Pedido" }
    const { body: charge } = await answerTo({ method: "POST", path: "/pix", token, body: ask })
    const told = await answerTo(
      notice(Shop.noticesPath, Shop.pspSecret, charge["pspPaymentId"] ?? "")
    )
    assert.strictEqual(told.status, 200)
    const look = () =>
      answerTo({ method: "GET", path: `/transactions/${charge["id"] ?? ""}`, token })
    let status = (await look()).body["status"]
    for (let left = 100; left > 0 && status !== "completed"; left--) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      status = (await look()).body["status"]
    }
    assert.strictEqual(status, "completed")
  } finally {
    await pagora.stop()
  }
})
