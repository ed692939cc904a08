import { assert, describe, it } from "@effect/vitest"
import type { Exchanged, HttpRequest } from "@pagora/psp-bacen"
import { bacen } from "@pagora/psp-bacen"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { aDay, aMachine } from "../src/Machine.test-data.ts"

const reference = "c".repeat(32)
const cob = {
  txid: reference,
  calendario: { criacao: "2026-11-24T00:00:00Z", expiracao: 3600 },
  status: "ATIVA",
  valor: { original: "19.99" },
  chave: "8f2a4c1e-6b1d-4c0e-9f3a-2d5b7e9c1a3f",
  pixCopiaECola: "00020126"
}
const answered = (status: number, json: unknown, retryAfter?: string): Exchanged => ({
  _tag: "Answered",
  status,
  retryAfter,
  text: JSON.stringify(json)
})

/** A bank that gives tokens for an hour, and takes so many calls before it has had enough of them. */
const aBank = (callsBefore429: number) => {
  const asked = { tokens: 0, calls: 0 }
  const transport = ({ url }: HttpRequest) =>
    Effect.sync((): Exchanged => {
      if (url.includes("/oauth/token")) {
        asked.tokens++
        return answered(200, { access_token: `t${asked.tokens}`, expires_in: 3600 })
      }
      asked.calls++
      return asked.calls === callsBefore429 + 1
        ? answered(429, { title: "Too many" }, "30")
        : answered(200, cob)
    })
  const psp = bacen({
    bank: "efi",
    environment: "production",
    pixKey: cob.chave,
    clientId: "Client_Id_1",
    clientSecret: "Client_Secret_1",
    origin: "https://efi.example",
    transport
  })
  return { asked, find: psp.findCharge(reference) }
}

describe("a machine whose clock was a day ahead and is set right", () => {
  it.effect("leaves a bank alone only for as long as that has asked for", () =>
    Effect.gen(function* () {
      const machine = yield* aMachine
      const bank = aBank(0)
      machine.setAhead(aDay)
      assert.strictEqual((yield* machine.on(bank.find))._tag, "NotNow")
      machine.setAhead(0)
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual((yield* machine.on(bank.find))._tag, "NotNow")
      assert.strictEqual(bank.asked.calls, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* machine.on(bank.find))._tag, "Done")
    })
  )

  it.effect("asks for a token when the one that it has comes to its end", () =>
    Effect.gen(function* () {
      const machine = yield* aMachine
      const bank = aBank(9)
      machine.setAhead(aDay)
      yield* machine.on(bank.find)
      machine.setAhead(0)
      yield* TestClock.adjust("58 minutes")
      yield* machine.on(bank.find)
      assert.strictEqual(bank.asked.tokens, 1)
      yield* TestClock.adjust("2 minutes")
      yield* machine.on(bank.find)
      assert.strictEqual(bank.asked.tokens, 2)
    })
  )
})
