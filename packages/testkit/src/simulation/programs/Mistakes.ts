import type { Ask } from "./Asked.ts"
import type { Fields } from "./Json.ts"
import type { KnownShop } from "./Memory.ts"
import { otherPsp, referenceOf } from "./Names.ts"
import type { OperationOf } from "./Operation.ts"
import { ofOperator, ofShop } from "./Stage.ts"

const nobody = "019a2b3c-dead-7000-8000-00000000beef"
const unknown = "no-such-one"

type Told = Pick<Ask, "method" | "path"> & Partial<Ask>

const post = (path: string, body: Fields, told: Partial<Ask> = {}): Told => ({
  method: "POST",
  path,
  body,
  ...told
})

const withdrawal = { amount: 1, pixKey: "ana@example.com", pixKeyType: "email" } as const

/** What is asked for in a way that must be refused with 4xx, whatever the state of things. */
const told = (
  mistake: OperationOf<"mistake">["mistake"],
  externalReference: string
): Told | undefined => {
  switch (mistake) {
    case "noAmount":
      return post("/pix", { externalReference })
    case "negative":
      return post("/pix", { amount: -1, externalReference })
    case "decimals":
      return post("/withdrawals", { ...withdrawal, amount: 1.001, externalReference })
    case "text":
      return post("/pix", { amount: "10", externalReference })
    case "badJson":
      return { method: "POST", path: "/pix", raw: `{"amount": 10, "externalReference": ` }
    case "badKey":
      return post("/pix", { amount: 10, externalReference }, { key: "short" })
    case "badPixKey":
      return post("/withdrawals", { ...withdrawal, pixKey: "not a key", externalReference })
    case "bothAmounts":
      return post("/withdrawals", { ...withdrawal, netAmount: 1, externalReference })
    case "badReference":
      return post("/sub-accounts", { reference: "Not One", name: externalReference })
    case "unknownSubAccount":
      return post("/pix", { amount: 10, externalReference }, { wallet: unknown })
    case "unknownProject":
      return post("/pix", { amount: 10, projectId: nobody, externalReference })
    case "otherPsp":
      return post("/pix", { amount: 10, pspCredentialId: otherPsp, externalReference })
    case "splitTooLarge":
      return post("/pix", {
        amount: 10,
        externalReference,
        split: [{ subAccount: "principal", amount: 10.01 }]
      })
    case "sameWallet":
      return post(
        "/internal-transfers",
        { amount: 0.01, from: "principal", to: "principal", externalReference },
        { wallet: "principal" }
      )
    case "unknownRefund":
      return { method: "POST", path: `/transactions/${nobody}/refund` }
    case "noToken":
      return post("/pix", { amount: 10, externalReference }, { authorization: "" })
    case "unknownPath":
      return { method: "GET", path: "/nothing" }
    case "wrongMethod":
      return { method: "DELETE", path: "/pix" }
    case "wrongSecret":
    case "wrongOperatorKey":
    case "noPermission":
      return undefined
  }
}

/** A request that nobody may do as it is asked. */
export const mistakeOf = (operation: OperationOf<"mistake">, shop: KnownShop): Ask => {
  const { id, mistake } = operation
  const externalReference = referenceOf(id)
  if (mistake === "wrongOperatorKey") {
    const path = `/accounts/${shop.id}/adjustments`
    const body = { amount: 1_000, reason: externalReference }
    const authorization = "not-the-key-of-the-operator"
    return ofOperator(operation, {
      ...post(path, body, { authorization }),
      reference: externalReference
    })
  }
  if (mistake === "wrongSecret") {
    const body = { client_id: shop.credentials[0]?.id ?? nobody, client_secret: "guessed" }
    return ofShop(operation, shop, post("/auth", body, { authorization: "" }))
  }
  if (mistake === "noPermission") {
    const limited = shop.credentials.find(({ isFull, isRevoked }) => !isFull && !isRevoked)
    const who = limited === undefined ? { authorization: "" } : { credential: limited }
    const body = { amount: 10, externalReference }
    return ofShop(operation, shop, post("/pix", body, { ...who, reference: externalReference }))
  }
  const wrong = told(mistake, externalReference) ?? { method: "GET", path: "/nothing" }
  return { ...ofShop(operation, shop, wrong), reference: externalReference }
}
