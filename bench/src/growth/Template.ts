import type { Pool } from "pg"
import { setTimeout as sleep } from "node:timers/promises"
import type { Service, Tenant } from "./Service.ts"
import { newCharge, newWithdrawal, once, openTenant, tokenOf } from "./Service.ts"

const tenants = 20
/** So much of everything is the first tenant's. */
const hotShare = 5

/** In the proportions of a shop: most charges are paid, some are given up, some money goes out, back and aside. */
const lives = [
  ...Array.from({ length: 40 }, () => "paid" as const),
  ...Array.from({ length: 3 }, () => "cancelled" as const),
  ...Array.from({ length: 4 }, () => "withdrawn" as const),
  ...Array.from({ length: 2 }, () => "refunded" as const),
  "moved" as const
]
const atOnce = 10

/**
 * A day of a deployment through its own door: every row is what the service writes, webhooks and a subscriber's events
 * delivered. References are `pedido-` and keys `chave-` with a number, by which copies are told apart.
 */
export const liveADay = async (service: Service, sql: Pool, operations: number) => {
  await service.pagora.on("payment_completed", { name: "orders" }, () => undefined)
  const all: Array<Tenant> = []
  for (let index = 0; index < tenants; index++) all.push(await openTenant(service, `Loja ${index}`))
  const tokens = await Promise.all(all.map((tenant) => tokenOf(service, tenant)))

  const tenantOf = (index: number): number =>
    index % hotShare === 0 ? 0 : 1 + (index % (tenants - 1))
  const live = async (index: number): Promise<void> => {
    const token = tokens[tenantOf(index)] ?? ""
    const number = String(index).padStart(6, "0")
    const [reference, headers] = [`pedido-${number}`, once(`chave-${number}`)]
    const life = lives[index % lives.length]
    const post = (path: string, body: unknown) =>
      service.answer({ method: "POST", path, token, headers, body })
    if (life === "withdrawn") return void (await post("/withdrawals", newWithdrawal(reference)))
    if (life === "moved") {
      const body = { to: "filial", amount: 3, externalReference: reference }
      return void (await post("/internal-transfers", body))
    }
    const id = String((await post("/pix", newCharge(reference)))["id"])
    if (life === "cancelled")
      return void (await service.answer({ method: "POST", path: `/pix/${id}/cancel`, token }))
    await service.pay(id)
    if (life !== "refunded") return
    await settled(sql)
    await service.answer({
      method: "POST",
      path: `/transactions/${id}/refund`,
      token,
      body: { reason: "Devolução" }
    })
  }
  let next = 0
  const line = async (): Promise<void> => {
    while (next < operations) await live(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, line))
  await settled(sql)
  service.forget()
  return all
}

/** Until nothing is left to do but what waits for its time. */
const settled = async (sql: Pool): Promise<void> => {
  const left = `select count(*)::int as count from pagora.job
    where queue in ('inbox', 'payout', 'return', 'webhook', 'expiry', 'closing') or queue like 'subscriber:%'`
  for (;;) {
    const { rows } = await sql.query<{ count: number }>(left)
    if (rows[0]?.count === 0) return
    await sleep(20)
  }
}
