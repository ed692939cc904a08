import type { FaultKind } from "@pagora/fake-bank"
import { describe, expect, it } from "vitest"
import { customerOf } from "./Customer.test-data.ts"
import { closesTowns, town } from "./Town.test-data.ts"

closesTowns()

const chargeOf = (pixKey: string) => ({
  calendario: { expiracao: 600 },
  valor: { original: "25.90" },
  chave: pixKey
})

describe("faults of requests", () => {
  it("cut, lose and spoil answers, before or after all is done", async () => {
    const { ask, bank } = await town({ bank: "itau" })
    const create = (txid: string) =>
      ask("PUT", `${bank.urls.api}/cob/${txid.repeat(26)}`, chargeOf(bank.pixKey))
    const isThere = (txid: string) =>
      bank.world.charges.some((charge) => charge.txid === txid.repeat(26))
    const once = (kind: FaultKind, more = {}) =>
      bank.faults.set([{ kind, operation: "createCharge", times: 1, ...more }])

    once("cut")
    await expect(create("a")).rejects.toThrow()
    expect(isThere("a")).toBe(false)

    once("loseAnswer")
    await expect(create("b")).rejects.toThrow()
    expect(isThere("b")).toBe(true)

    once("status", { status: 418, body: { odd: true } })
    expect(await create("c")).toMatchObject({ status: 418, json: { odd: true } })
    expect(isThere("c")).toBe(false)

    once("status", { after: true })
    expect((await create("d")).status).toBe(500)
    expect(isThere("d")).toBe(true)

    once("html")
    expect(await create("e")).toMatchObject({
      status: 502,
      headers: { "content-type": "text/html" }
    })
    once("xml")
    expect((await create("e")).text).toContain("soapenv:Fault")
    once("refuse")
    expect((await create("e")).json["status"]).toBe(400)
    once("tooMany", { retryAfterSeconds: 7 })
    expect(await create("e")).toMatchObject({ status: 429, headers: { "retry-after": "7" } })
    expect(isThere("e")).toBe(false)

    once("lie")
    expect((await create("f")).json).toMatchObject({ valor: { original: "25.91" } })
    once("slow", { millis: 100 })
    const before = Date.now()
    expect((await create("g")).status).toBe(201)
    expect(Date.now() - before).toBeGreaterThanOrEqual(99)
    expect(bank.faults.struck("status")).toBe(2)
    expect(bank.requests.filter(({ status }) => status === undefined)).toHaveLength(2)
    expect(bank.findings).toEqual([])
  })

  it("end tokens, and lie of what is there", async () => {
    const { ask, bank } = await town({ bank: "efi" })
    const at = `${bank.urls.api}/cob/${"a".repeat(26)}`
    await ask("PUT", at, chargeOf(bank.pixKey))
    bank.pay("a".repeat(26))
    bank.faults.set([{ kind: "lie", operation: "findCharge", times: 1 }])
    const lie = await ask("GET", at)
    expect([lie.json["status"], lie.json["pix"]]).toEqual(["ATIVA", undefined])
    const period = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z"
    const paidBy = async (cpf: string) => {
      bank.faults.set([{ kind: "lie", operation: "listPayments", times: 1 }])
      const { json } = await ask("GET", `${bank.urls.api}/pix?${period}&cpf=${cpf}`)
      return (json["pix"] as ReadonlyArray<unknown>).length
    }
    expect([await paidBy("52998224725"), await paidBy("11144477735")]).toEqual([0, 1])
    bank.faults.set([{ kind: "expiredToken", times: 1 }])
    expect((await ask("GET", at)).status).toBe(401)
    expect((await ask("GET", at)).status).toBe(401)
    const again = await customerOf(bank)
    expect((await again("GET", at)).json["status"]).toBe("CONCLUIDA")
  })
})

describe("the bank", () => {
  it("goes down and comes back where it was, and counts what is asked at once", async () => {
    const { ask, bank } = await town({ bank: "itau" })
    await bank.goDown()
    await expect(ask("GET", `${bank.urls.api}/cob/x`)).rejects.toThrow("ECONNREFUSED")
    await bank.comeBack()
    bank.faults.set([{ kind: "slow", millis: 300 }])
    const txids = ["a", "b"].map((letter) => letter.repeat(26))
    const asked = txids.map((txid) => ask("GET", `${bank.urls.api}/cob/${txid}`))
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([404, 404])
    expect([bank.atOnceMax("findCharge"), bank.atOnceMax("sendPayout")]).toEqual([2, 0])
  })

  it("lets the time of a charge end without changing its terms", async () => {
    const { ask, bank } = await town({ bank: "itau" })
    const at = `${bank.urls.api}/cob/${"a".repeat(26)}`
    await ask("PUT", at, chargeOf(bank.pixKey))
    bank.expire("a".repeat(26))
    expect(() => bank.pay("a".repeat(26))).toThrow("expired")
    const found = await ask("GET", at)
    expect(found.json).toMatchObject({ status: "ATIVA", calendario: { expiracao: 600 } })
    bank.pay("a".repeat(26), { late: true })
    expect((await ask("GET", at)).json["status"]).toBe("CONCLUIDA")
  })
})

describe("faults of callbacks", () => {
  it("lose, double, hold back and falsify them; what is not accepted comes again", async () => {
    const { ask, bank, receiver } = await town({ bank: "bradesco" })
    await ask("PUT", `${bank.urls.api}/webhook/${bank.pixKey}`, { webhookUrl: receiver.url })
    const pay = async (centavos: number, kind?: FaultKind) => {
      bank.faults.set(kind === undefined ? [] : [{ kind, operation: "callback", times: 1 }])
      const { endToEndId } = bank.payKey({ centavos })
      await bank.callbacks.idle()
      return endToEndId
    }
    const got = () =>
      receiver.got.map(
        ({ body }) => (body as { pix: ReadonlyArray<{ valor: string }> }).pix[0]?.valor
      )

    await pay(100, "drop")
    expect(got()).toEqual([])
    await bank.clock.advance(60_000)
    expect(got()).toEqual(["1.00"])
    await pay(200, "duplicate")
    expect(got()).toEqual(["1.00", "2.00", "2.00"])
    await pay(300, "hold")
    await pay(400)
    expect(got().slice(3)).toEqual(["4.00", "3.00"])
    await pay(500, "lie")
    expect(got().at(-1)).toBe("5.01")
    await pay(600, "loseAnswer")
    await bank.clock.advance(60_000)
    expect(got().slice(-2)).toEqual(["6.00", "6.00"])
    await pay(700, "forget")
    await bank.clock.advance(86_400_000)
    expect(got().at(-1)).toBe("6.00")
    expect(bank.callbacks.all.map(({ state }) => state).at(-1)).toBe("given_up")
  })

  it("are tried as often as the bank does, while nobody takes them", async () => {
    const { ask, bank, receiver } = await town({ bank: "bradesco" })
    await ask("PUT", `${bank.urls.api}/webhook/${bank.pixKey}`, { webhookUrl: receiver.url })
    receiver.answer(503)
    bank.payKey({ centavos: 100 })
    await bank.callbacks.idle()
    await bank.clock.advance(86_400_000)
    expect(bank.callbacks.all[0]).toMatchObject({ state: "given_up" })
    expect(receiver.got).toHaveLength(bank.profile.callbacks.retryAfterSeconds.length + 1)
  })
})
