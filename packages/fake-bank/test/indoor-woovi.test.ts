import { createPublicKey, verify } from "node:crypto"
import { expect, it } from "vitest"
import type { NewCallback } from "../src/index.ts"
import { makeFakeWoovi } from "../src/woovi/index.ts"
import type { IndoorWooviOptions } from "../src/woovi/index.ts"
import { makeBankClock } from "../src/world/BankClock.ts"

const aWoovi = (options: Partial<IndoorWooviOptions> = {}) => {
  const told: Array<NewCallback> = []
  const clock = makeBankClock({ start: new Date("2026-01-01T00:00:00Z"), stands: true })
  const bank = makeFakeWoovi({
    seed: 7,
    clock,
    deliver: (each) => void told.push(each),
    ...options
  })
  const ask = async (method: string, path: string, json?: unknown) => {
    const body = json === undefined ? undefined : JSON.stringify(json)
    const headers = { Authorization: bank.appId, "content-type": "application/json" }
    const answer = await bank.ask({ method, url: `${bank.url}/api/v1${path}`, headers, body })
    return { status: answer?.status, body: answer && (JSON.parse(answer.text) as unknown) }
  }
  return { ask, bank, told }
}

const reference = "a".repeat(32)
const charge = { correlationID: reference, value: 2_590 }
const payout = { correlationID: reference, value: 100, destinationAlias: "ana@example.com" }

const aDay = async () => {
  const { ask, bank, told } = aWoovi()
  const event = "OPENPIX:CHARGE_COMPLETED"
  await ask("POST", "/webhook", { webhook: { event, url: "https://customer.example/webhook" } })
  const made = await ask("POST", "/charge", charge)
  bank.pay(reference)
  const found = await ask("GET", `/charge/${reference}`)
  bank.faults.set([{ kind: "loseAnswer" }])
  const lost = await ask("GET", `/charge/${reference}`)
  return { made, found, lost, told, keys: bank.keys.published() }
}

it("answers without sockets, signs its callbacks, and does the same each time", async () => {
  const day = await aDay()
  expect(day.found).toMatchObject({ status: 200, body: { charge: { status: "COMPLETED" } } })
  expect(day.lost.status).toBeUndefined()
  const [test, paid, ...others] = day.told
  expect(others).toEqual([])
  expect(test?.body).toMatchObject({ evento: "teste_webhook" })
  const [key = ""] = day.keys
  for (const { body, headers } of [test, paid].flatMap((each) => each ?? [])) {
    const signature = Buffer.from(headers?.["x-webhook-signature"] ?? "", "base64")
    const bytes = Buffer.from(JSON.stringify(body))
    expect(verify("RSA-SHA256", bytes, createPublicKey(key), signature)).toBe(true)
  }
  expect(await aDay()).toEqual(day)
})

it("finds the charge that a code pays", async () => {
  const { ask, bank } = aWoovi()
  const made = await ask("POST", "/charge", charge)
  const { brCode } = made.body as { readonly brCode: string }
  expect(bank.chargeOf(brCode)?.txid).toBe(reference)
  expect(bank.chargeOf("another")).toBeUndefined()
})

it("keeps a payout as a request where somebody has to approve it in its panel", async () => {
  const { ask, bank } = aWoovi({ payoutsNeedApproval: true })
  const status = async () => (await ask("GET", `/payment/${reference}`)).body
  await ask("POST", "/payment", { ...payout, autoApprove: true })
  const refused = await ask("POST", "/payment/approve", { correlationID: reference })
  expect(refused.status).toBe(400)
  expect(await status()).toMatchObject({ payment: { status: "CREATED" } })
  bank.approvePayout(reference)
  expect(await status()).toMatchObject({ payment: { status: "APPROVED" } })
})
