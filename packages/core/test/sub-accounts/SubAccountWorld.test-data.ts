import type { Tenant } from "@pagora/testkit"
import { expecting, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"

interface Shop {
  readonly shop: Tenant
}

/** Opens a sub-account as its owner does. */
export const openSubAccount = ({ shop }: Shop, reference: string, name = "Loja") =>
  Effect.flatMap(shop.call("POST", "/sub-accounts", { body: { reference, name } }), expecting(201))

/** Asks the operator to change a sub-account. */
export const patchSubAccount = (
  { shop }: Shop,
  reference: string,
  body: Readonly<Record<string, unknown>>
) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("PATCH", `/accounts/${shop.id}/sub-accounts/${reference}`, { body })
  )

/** The operator changes a sub-account, and it is done. */
export const changeSubAccount = (
  story: Shop,
  reference: string,
  body: Readonly<Record<string, unknown>>
) => Effect.flatMap(patchSubAccount(story, reference, body), expecting(200))

/** Calls of the shop as one of its sub-accounts. */
export const as = ({ shop }: Shop, reference: string) => {
  const headers = { "x-sub-account": reference }
  const call = <const Method extends string, const Path extends string>(
    method: Method,
    path: Path,
    body?: unknown
  ) => shop.call(method, path, { headers, ...(body === undefined ? {} : { body }) })
  return {
    call,
    charge: (body: Readonly<Record<string, unknown>> = {}) =>
      Effect.flatMap(call("POST", "/pix", { amount: 10, ...body }), expecting(201)),
    available: Effect.map(
      shop.call("GET", "/account", { headers }),
      ({ json }) => json.balance.available.amount
    )
  }
}
