import { setTimeout as sleep } from "node:timers/promises"
import type { Probe } from "./Probe.ts"
import type { Sample } from "./Sample.ts"
import type { Call, Service, Tenant } from "./Service.ts"
import { newCharge, newWithdrawal, once, tokenOf } from "./Service.ts"

const reads = 100
const writes = 60
const few = 20

/** A token lives for five minutes, which a slow probe may outlive. */
const tokenMillis = 240_000

/** Calls of one tenant, who takes a new token now and then. */
const callsOf = async (service: Service, tenant: Tenant) => {
  let token = await tokenOf(service, tenant)
  let taken = performance.now()
  return async (call: Omit<Call, "token">) => {
    if (performance.now() - taken > tokenMillis) {
      token = await tokenOf(service, tenant)
      taken = performance.now()
    }
    return service.answer({ token, ...call })
  }
}

/** What the tenants' API answers, of one tenant's history. */
export const readProbes = async (
  service: Service,
  { charges, deliveries, tenant, withdrawals }: Sample,
  of: string
): Promise<ReadonlyArray<Probe>> => {
  const answer = await callsOf(service, tenant)
  const get = (name: string, path: (index: number) => string): Probe => ({
    name: `${name}${of}`,
    count: reads,
    isRead: true,
    call: (index) => answer({ path: path(index) })
  })
  const charge = (index: number) =>
    charges[index % charges.length] ?? { id: "", reference: "", key: "" }
  const delivery = (index: number) => deliveries[index % deliveries.length] ?? ""
  const hooks = `/webhook-endpoints/${tenant.endpoint}`
  return [
    get("GET /transactions/{id}", (index) => `/transactions/${charge(index).id}`),
    get("GET /transactions/{reference}", (index) => `/transactions/${charge(index).reference}`),
    get("GET /transactions/{key}", (index) => `/transactions/${charge(index).key}`),
    get(
      "GET /withdrawals/{id}",
      (index) => `/withdrawals/${withdrawals[index % withdrawals.length]}`
    ),
    get("GET /transactions, first page", () => "/transactions"),
    get("GET /transactions, 100", () => "/transactions?limit=100"),
    get("GET /transactions, middle", (index) => `/transactions?cursor=${charge(index).id}`),
    get(
      "GET /transactions, withdrawals",
      (index) => `/transactions?type=withdrawal&cursor=${charge(index).id}`
    ),
    get(
      "GET /transactions, cancelled",
      (index) => `/transactions?status=cancelled&cursor=${charge(index).id}`
    ),
    get("GET /transactions, failed (none)", () => "/transactions?status=failed"),
    get(
      "GET /transactions, by reference",
      (index) => `/transactions?externalReference=${charge(index).reference}`
    ),
    get("GET /account", () => "/account"),
    get("GET /balance-blocks", () => "/balance-blocks"),
    get("GET /projects", () => "/projects"),
    get("GET /sub-accounts", () => "/sub-accounts"),
    get("GET /webhook-endpoints", () => "/webhook-endpoints"),
    get("GET /webhook-endpoints/{id}", () => hooks),
    get("GET deliveries, first page", () => `${hooks}/deliveries`),
    get("GET deliveries, middle", (index) => `${hooks}/deliveries?cursor=${delivery(index)}`),
    get("GET deliveries, exhausted (none)", () => `${hooks}/deliveries?status=exhausted`)
  ]
}

const probe = (name: string, count: number, call: Probe["call"]): Probe => ({
  name,
  count,
  call,
  isRead: false
})

/** What changes something, and what comes of it. What it refunds is remembered: the small database is asked at each size. */
export const writeProbes = async (
  service: Service,
  { charges, deliveries, tenant }: Sample,
  refunded: Set<string>
): Promise<ReadonlyArray<Probe>> => {
  const answer = await callsOf(service, tenant)
  const refundable = [...new Set(charges.map(({ id }) => id))].filter((id) => !refunded.has(id))
  const send = (call: Call) => answer({ method: "POST", headers: once(), ...call })
  const made: Array<string> = []
  const open = async () => {
    const reference = `neu-${Math.random()}`
    const { id } = await send({ path: "/pix", body: newCharge(reference) })
    made.push(String(id))
  }
  const settledAfter = async (id: string) => {
    await service.pay(id)
    while ((await send({ method: "GET", path: `/transactions/${id}` }))["status"] !== "completed")
      await sleep(1)
  }
  return [
    probe("POST /auth", writes, () =>
      service.answer({ method: "POST", path: "/auth", body: tenant.credential })
    ),
    probe("POST /pix", 2 * writes, open),
    probe("POST /pix/{id}/cancel", writes, () => send({ path: `/pix/${made.pop()}/cancel` })),
    probe("notice to settled", writes - 1, () => settledAfter(made.pop() ?? "")),
    probe("POST /withdrawals", writes, (index) =>
      send({ path: "/withdrawals", body: newWithdrawal(`neu-${index}`) })
    ),
    probe("POST /internal-transfers", writes, () =>
      send({ path: "/internal-transfers", body: { to: "filial", amount: 1 } })
    ),
    probe("POST refund", Math.min(few, refundable.length), (index) => {
      const id = refundable[index] ?? ""
      refunded.add(id)
      return send({ path: `/transactions/${id}/refund`, body: {} })
    }),
    probe("POST resend", few, (index) =>
      send({ path: `/webhook-endpoints/${tenant.endpoint}/deliveries/${deliveries[index]}/resend` })
    ),
    probe("POST test", few, () => send({ path: `/webhook-endpoints/${tenant.endpoint}/test` })),
    probe("POST recover", few, () =>
      send({
        path: `/webhook-endpoints/${tenant.endpoint}/recover`,
        body: { since: "2020-01-01T00:00:00Z" }
      })
    ),
    probe("POST /projects", few, () =>
      send({ path: "/projects", body: { name: `P${Math.random()}` } })
    ),
    probe("POST /sub-accounts", few, () =>
      send({
        path: "/sub-accounts",
        body: { reference: `s${Math.random().toString(36).slice(2, 12)}`, name: "Nova" }
      })
    )
  ]
}

/** An endpoint that comes, changes and goes. */
export const endpointProbes = async (
  service: Service,
  { tenant }: Sample
): Promise<ReadonlyArray<Probe>> => {
  const answer = await callsOf(service, tenant)
  const send = (call: Call) => answer({ method: "POST", headers: once(), ...call })
  const hooks: Array<string> = []
  const ofHook = (path: string) => `/webhook-endpoints/${hooks.at(-1)}${path}`
  return [
    probe("POST /webhook-endpoints", 5, async () => {
      const { id } = await send({
        path: "/webhook-endpoints",
        body: { url: "https://shop.example.com/other" }
      })
      hooks.push(String(id))
    }),
    probe("PATCH /webhook-endpoints/{id}", few, (index) =>
      send({ method: "PATCH", path: ofHook(""), body: { enabled: index % 2 === 0 } })
    ),
    probe("POST rotate-secret", few, () => send({ path: ofHook("/rotate-secret"), body: {} })),
    probe("DELETE /webhook-endpoints/{id}", 5, () =>
      send({ method: "DELETE", path: `/webhook-endpoints/${hooks.pop()}` })
    )
  ]
}

/** What the operator looks at. */
export const operatorProbes = (
  { pagora }: Service,
  { charges, tenant }: Sample
): ReadonlyArray<Probe> => {
  const cursor = (index: number) => charges[index % charges.length]?.id ?? ""
  const look = (name: string, call: (index: number) => Promise<unknown>): Probe => ({
    name,
    count: writes,
    isRead: true,
    call
  })
  return [
    look("operator: transactions, middle", (index) =>
      pagora.accounts.transactions(tenant.id, { cursor: cursor(index) })
    ),
    look("operator: entries, first page", () => pagora.accounts.entries(tenant.id)),
    look("operator: deliveries, first page", () => pagora.webhooks.deliveries(tenant.id)),
    look("operator: reviews", () => pagora.reviews.list()),
    look("operator: balances", () => pagora.balances.list(tenant.id))
  ]
}
