import { Agent, request } from "node:https"
import type { FakeBank } from "@pagora/fake-bank"
import { WorldRefusal } from "@pagora/fake-bank"
import { expect, it } from "vitest"
import { call, tokenCall } from "./Customer.test-data.ts"
import { closesTowns, town } from "./Town.test-data.ts"

closesTowns()

const requestsCount = 1000

/** The same numbers each time (a Lehmer generator). */
const dice = (seed: number) => {
  let state = seed
  return (sides: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % sides
  }
}

/** Asks on connections that stay open. */
const customerOn = async (bank: FakeBank, agent: Agent) => {
  const { json } = await call(bank, tokenCall(bank))
  const authorization = `Bearer ${String(json["access_token"])}`
  return (method: string, path: string, body?: unknown) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization, "x-correlationid": "1", "content-type": "application/json" }
      const sent = request(`${bank.urls.api}${path}`, { method, agent, headers }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0))
      })
      sent.on("error", reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
}

it("a thousand requests by chance are answered as the official file says, and money adds up", async () => {
  const { bank } = await town({ bank: "itau", balance: 0, tokenSeconds: 1_000_000_000 })
  const { certificate, key } = bank.client
  const agent = new Agent({ ca: bank.ca, cert: certificate, key, keepAlive: true, maxSockets: 1 })
  const ask = await customerOn(bank, agent)
  const roll = dice(20_261_123)
  const txid = () => String(roll(40)).padStart(26, "t")
  const amount = () => `${roll(90)}.${String(roll(100)).padStart(2, "0")}`
  const anyPayment = () =>
    [...bank.world.payments.keys()][roll(bank.world.payments.size + 1)] ?? "E".repeat(32)
  const period = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z"
  const debtors = [
    undefined,
    { cpf: "52998224725", nome: "Ana" },
    { cnpj: "11222333000181", nome: "Loja" }
  ]

  /** What others do, where it can be done. */
  const happens = (event: () => unknown) => {
    try {
      event()
    } catch (error) {
      if (!(error instanceof WorldRefusal)) throw error
    }
    return Promise.resolve(0)
  }
  const underWay = () =>
    [...bank.world.payments.values()]
      .flatMap(({ endToEndId, returns }) =>
        returns.map(({ id, status }) => ({ endToEndId, id, status }))
      )
      .filter(({ status }) => status === "EM_PROCESSAMENTO")
  const settleOne = () => {
    const [back] = underWay()
    if (back === undefined) return
    const { endToEndId, id } = back
    bank.settleReturn(id, roll(3) === 0 ? "NAO_REALIZADO" : "DEVOLVIDO", { endToEndId })
  }

  const charge = () => {
    const devedor = debtors[roll(3)]
    const valor = { original: amount() }
    const calendario = { expiracao: 1 + roll(5000) }
    return { calendario, valor, chave: bank.pixKey, ...(devedor === undefined ? {} : { devedor }) }
  }
  const asks: ReadonlyArray<() => Promise<number>> = [
    () => ask("PUT", `/cob/${txid()}`, charge()),
    () => ask("POST", "/cob", charge()),
    () => ask("GET", `/cob/${txid()}`),
    () => ask("PATCH", `/cob/${txid()}`, { valor: { original: amount() } }),
    () => ask("PATCH", `/cob/${txid()}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" }),
    () => ask("GET", `/cob?${period}&paginacao.itensPorPagina=${1 + roll(9)}`),
    () => ask("GET", `/pix?${period}&cpf=52998224725&paginacao.paginaAtual=${roll(3)}`),
    () => ask("GET", `/pix/${anyPayment()}`),
    () => ask("PUT", `/pix/${anyPayment()}/devolucao/r${roll(9)}`, { valor: amount() }),
    () => ask("GET", `/pix/${anyPayment()}/devolucao/r${roll(9)}`),
    () => ask("PUT", `/webhook/${bank.pixKey}`, { webhookUrl: "https://127.0.0.1:9/webhook" }),
    () => ask("GET", `/webhook/${bank.pixKey}`),
    () => ask("GET", "/webhook"),
    () => ask("DELETE", `/webhook/${bank.pixKey}`)
  ]
  const events: ReadonlyArray<() => Promise<number>> = [
    () => happens(() => bank.pay(txid(), { late: roll(4) === 0 })),
    () => happens(() => bank.payKey({ centavos: 1 + roll(9000) })),
    () => happens(settleOne),
    () => happens(() => bank.returnPayment(anyPayment(), { centavos: 1 + roll(100) })),
    () => happens(() => bank.remove(txid())),
    async () => {
      await bank.clock.advance(roll(60_000))
      return 0
    }
  ]
  const statuses = new Set<number>()
  while (bank.requests.length < requestsCount) {
    await events[roll(events.length)]?.()
    statuses.add((await asks[roll(asks.length)]?.()) ?? 0)
  }
  agent.destroy()
  await bank.callbacks.idle()

  expect([...statuses].toSorted((one, other) => one - other)).toEqual([200, 201, 204, 400, 404])
  expect(bank.findings).toEqual([])
  const payments = [...bank.world.payments.values()]
  const came = payments.reduce((sum, { centavos }) => sum + centavos, 0)
  const went = payments
    .flatMap(({ returns }) => returns)
    .filter(({ status }) => status !== "NAO_REALIZADO")
    .reduce((sum, { centavos }) => sum + centavos, 0)
  expect(payments.length).toBeGreaterThan(100)
  expect(bank.account.balance).toBe(came - went)
}, 60_000)
