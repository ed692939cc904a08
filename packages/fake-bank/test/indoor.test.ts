import { expect, it } from "vitest"
import type { IndoorBankOptions, NewCallback } from "../src/index.ts"
import { makeBankClock } from "../src/world/BankClock.ts"
import { makeFakeBank } from "../src/index.ts"

/** A day of a bank without a door, and everything that it told. */
const aDay = async (options: Pick<IndoorBankOptions, "bank">) => {
  const told: Array<NewCallback> = []
  const clock = makeBankClock({ start: new Date("2026-01-01T00:00:00Z"), stands: true })
  const bank = makeFakeBank({ ...options, seed: 7, clock, deliver: (each) => void told.push(each) })
  bank.callAt("https://customer.example/webhook")
  const { clientId, clientSecret } = bank.client
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64")
  const asked = await bank.ask({
    method: "POST",
    url: bank.urls.token,
    headers: { Authorization: `Basic ${basic}`, "Content-Type": "application/json" },
    body: JSON.stringify({ grant_type: "client_credentials" })
  })
  const { access_token } = JSON.parse(asked?.text ?? "") as { readonly access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" }
  const url = `${bank.urls.api}/cob/${"a".repeat(32)}`
  const body = JSON.stringify({
    calendario: { expiracao: 3600 },
    valor: { original: "25.90" },
    chave: bank.pixKey
  })
  const made = await bank.ask({ method: "PUT", url, headers, body })
  const earlier = new Date("2025-12-31T23:59:00Z")
  bank.pay("a".repeat(32), { at: earlier })
  const found = await bank.ask({ method: "GET", url, headers, body: undefined })
  bank.faults.set([{ kind: "loseAnswer" }])
  const lost = await bank.ask({ method: "GET", url, headers, body: undefined })
  return { made, found, lost, told, findings: bank.findings }
}

it("answers without sockets, gives its callbacks to whoever asked for them, and does the same each time", async () => {
  const day = await aDay({ bank: "efi" })
  expect(day.made?.status).toBe(201)
  expect(day.found?.text).toContain('"horario":"2025-12-31T23:59:00.000Z"')
  expect(day.lost).toBeUndefined()
  expect(day.told.map(({ kind, url }) => [kind, url])).toEqual([
    ["pix", "https://customer.example/webhook/pix"]
  ])
  expect(day.findings).toEqual([])
  expect(await aDay({ bank: "efi" })).toEqual(day)
})
