import type { Fields } from "./Json.ts"
import { nthOf } from "./Memory.ts"
import type { KnownShop } from "./Memory.ts"
import { referenceOf } from "./Names.ts"
import type { OperationOf, ProgramShop } from "./Operation.ts"
import { ofOperator, ofShop, subAccountOf } from "./Stage.ts"
import type { Performers, Stage } from "./Stage.ts"
import { present } from "../../Present.ts"

type Webhooks =
  | "endpoint"
  | "changeEndpoint"
  | "rotate"
  | "testEndpoint"
  | "recover"
  | "removeEndpoint"
  | "resend"

type EndpointOperation = OperationOf<Exclude<Webhooks, "endpoint" | "resend">>

/** A request about an endpoint, of its owner or of the operator. */
const aboutEndpoint = (
  operation: EndpointOperation,
  { send }: Stage,
  shop: KnownShop,
  told: {
    readonly method: "POST" | "PATCH" | "DELETE"
    readonly tail: string
    readonly body?: Fields
  }
): void => {
  const endpoint = nthOf(shop.endpoints, operation.endpoint)
  if (endpoint === undefined) return
  const { id: subject, wallet } = endpoint
  const { body, method, tail } = told
  const rest = { method, wallet, subject, ...present({ body }) }
  const own = `/webhook-endpoints/${subject}${tail}`
  // Of the operator's calls this one does not name the account.
  const path = operation.kind === "recover" ? own : `/accounts/${shop.id}${own}`
  send(
    operation.as === "tenant"
      ? ofShop(operation, shop, { ...rest, path: own })
      : ofOperator(operation, { ...rest, path })
  )
}

const endpointChange = (
  { change, id }: OperationOf<"changeEndpoint">,
  shop: ProgramShop
): Fields => {
  switch (change) {
    case "off":
      return { enabled: false }
    case "on":
      return { enabled: true }
    case "events":
      return { events: ["payment_completed", "withdrawal_completed", "refund_completed"] }
    case "url":
      return { url: `${shop.endpoints[0]?.url ?? "https://example.com"}/${id}` }
  }
}

/** What is about webhooks. */
export const webhooks: Performers<Webhooks> = {
  endpoint: (operation, { send }, shop) => {
    const { as, id, wallet } = operation
    const reference = `https://shop${shop.index}.example.com/${referenceOf(id)}`
    const told = { method: "POST", reference } as const
    send(
      as === "tenant"
        ? ofShop(operation, shop, { ...told, path: "/webhook-endpoints", body: { url: reference } })
        : ofOperator(operation, {
            ...told,
            path: `/accounts/${shop.id}/webhook-endpoints`,
            body: { url: reference, ...subAccountOf(wallet) }
          })
    )
  },
  changeEndpoint: (operation, stage, shop) =>
    aboutEndpoint(operation, stage, shop, {
      method: "PATCH",
      tail: "",
      body: endpointChange(operation, shop.shop)
    }),
  rotate: (operation, stage, shop) =>
    aboutEndpoint(operation, stage, shop, {
      method: "POST",
      tail: "/rotate-secret",
      body: { graceSeconds: 60 }
    }),
  testEndpoint: (operation, stage, shop) =>
    aboutEndpoint(operation, stage, shop, { method: "POST", tail: "/test" }),
  recover: (operation, stage, shop) =>
    aboutEndpoint(operation, stage, shop, {
      method: "POST",
      tail: "/recover",
      body: { since: "2020-01-01T00:00:00Z" }
    }),
  removeEndpoint: (operation, stage, shop) =>
    aboutEndpoint(operation, stage, shop, { method: "DELETE", tail: "" }),
  resend: (operation, { send }, shop) => {
    const delivery = nthOf(shop.deliveries, operation.delivery)
    if (delivery === undefined) return
    const { endpoint, id: subject, wallet } = delivery
    const told = { method: "POST", wallet, subject } as const
    const path = `/deliveries/${subject}/resend`
    send(
      operation.as === "tenant"
        ? ofShop(operation, shop, { ...told, path: `/webhook-endpoints/${endpoint}${path}` })
        : ofOperator(operation, { ...told, path })
    )
  }
}
