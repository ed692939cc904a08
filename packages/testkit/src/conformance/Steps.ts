import { expectEqual, expectStatus, numberAt, textAt } from "./Expect.ts"
import type { Answer, Json } from "./Wire.ts"
import { at } from "./Wire.ts"
import type { CallOptions, Caller, World } from "./World.ts"
import { eventually } from "./World.ts"

/** Documents with right check digits, of nobody. */
export const documents = { cpf: "52998224725", cnpj: "11222333000181" } as const

/** An id that no deployment has given out. */
export const unknownId = "00000000-0000-7000-8000-0000000000ff"

type Body = { readonly [key: string]: Json }

/** A charge of R$ 10, or as told. */
export const charged = async (
  shop: Caller,
  body: Body = {},
  options: CallOptions = {}
): Promise<Answer> =>
  expectStatus(await shop.call("POST", "/pix", { ...options, body: { amount: 10, ...body } }), 201)

/** The simulated payer pays. */
export const pay = async (world: World, id: string, body: Body = {}): Promise<Answer> =>
  expectStatus(await world.sandbox("POST", `/charges/${id}/pay`, { body }), 200)

/** GET /transactions/{id} once it has this status. */
export const transactionIn = (
  shop: Caller,
  id: string,
  status: string,
  options: CallOptions = {}
): Promise<Answer> =>
  eventually(`transaction ${id} ${status}`, async () => {
    const answer = expectStatus(await shop.call("GET", `/transactions/${id}`, options), 200)
    return at(answer.json, "status") === status ? answer : undefined
  })

export interface PaidOptions {
  readonly payer?: Body
  readonly options?: CallOptions
}

/** The id of a charge of R$ 10, or as told, that has been paid. */
export const paid = async (
  world: World,
  shop: Caller,
  body: Body = {},
  { options = {}, payer = {} }: PaidOptions = {}
): Promise<string> => {
  const id = textAt(await charged(shop, body, options), "id")
  const { subAccount } = options
  await pay(world, id, payer)
  await transactionIn(shop, id, "completed", subAccount === undefined ? {} : { subAccount })
  return id
}

/** The figures of a wallet in centavos. */
export interface Figures {
  readonly available: number
  readonly held: number
  readonly promotional: number
  readonly total: number
}

export const figuresOf = async (shop: Caller, subAccount?: string): Promise<Figures> => {
  const options = subAccount === undefined ? {} : { subAccount }
  const answer = expectStatus(await shop.call("GET", "/account", options), 200)
  return {
    available: numberAt(answer, "balance.available.amount"),
    held: numberAt(answer, "balance.held.amount"),
    promotional: numberAt(answer, "balance.promotional.amount"),
    total: numberAt(answer, "balance.total.amount")
  }
}

/** Some of the figures of a wallet, in centavos. */
export const expectFigures = async (
  shop: Caller,
  expected: Partial<Figures>,
  subAccount?: string
): Promise<void> => {
  const figures = await figuresOf(shop, subAccount)
  for (const [name, value] of Object.entries(expected)) {
    expectEqual(`balance.${name}.amount`, figures[name as keyof Figures], value)
  }
}

/** The operator adds to a wallet, or takes from it where the amount is below zero. */
export const adjusted = async (
  world: World,
  account: string,
  amount: number,
  body: Body = {}
): Promise<string> => {
  const path = `/accounts/${account}/adjustments`
  const adjustment = { amount, reason: "conformance", ...body }
  const answer = await world.operator("POST", path, { body: adjustment })
  return textAt(expectStatus(answer, 201), "id")
}

/** A withdrawal of R$ 10 to an e-mail key, or as told. */
export const withdrawalBody = (body: Body = {}): Body => ({
  pixKey: "ana@example.com",
  pixKeyType: "email",
  ...("netAmount" in body ? {} : { amount: 10 }),
  ...body
})

export const withdrawn = async (
  shop: Caller,
  body: Body = {},
  options: CallOptions = {}
): Promise<Answer> =>
  expectStatus(
    await shop.call("POST", "/withdrawals", { ...options, body: withdrawalBody(body) }),
    201
  )

export const settleWithdrawal = async (
  world: World,
  id: string,
  outcome: "completed" | "failed" | "reversed"
): Promise<void> => {
  const body = { outcome, reason: "conformance" }
  expectStatus(await world.sandbox("POST", `/withdrawals/${id}/settle`, { body }), 200)
}

/** Asks for the refund of a payment. */
export const refunded = async (shop: Caller, id: string, body: Body = {}): Promise<Answer> =>
  expectStatus(await shop.call("POST", `/transactions/${id}/refund`, { body }), 201)

export const settleRefund = async (
  world: World,
  pspId: string,
  outcome: "confirmed" | "error"
): Promise<void> => {
  expectStatus(await world.sandbox("POST", `/refunds/${pspId}/settle`, { body: { outcome } }), 200)
}

/** A balance block on a payment, by the operator. */
export const blocked = async (
  world: World,
  account: string,
  transactionId: string,
  body: Body = {}
): Promise<Answer> =>
  expectStatus(
    await world.operator("POST", `/accounts/${account}/balance-blocks`, {
      body: { transactionId, blockType: "med", ...body }
    }),
    201
  )

export const resolveBlock = async (
  world: World,
  id: string,
  outcome: "approved" | "rejected",
  reason?: string
): Promise<void> => {
  const body = { outcome, ...(reason === undefined ? {} : { reason }) }
  const answer = await world.operator("POST", `/balance-blocks/${id}/resolve`, { body })
  expectStatus(answer, 200)
}
