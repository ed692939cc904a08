import type { Ask, Asked } from "./Asked.ts"
import { acknowledgement, isDone, lastAnswer } from "./Asked.ts"
import { brl, centavosAt, textAt } from "./Json.ts"
import { nthOf } from "./Memory.ts"
import type { KnownShop } from "./Memory.ts"
import { mistakeOf } from "./Mistakes.ts"
import { referenceOf } from "./Names.ts"
import { repeatOf } from "./Repeats.ts"
import type { OperationOf } from "./Operation.ts"
import { ofOperator, ofShop } from "./Stage.ts"
import { tryRevoked } from "./PerformRules.ts"
import type { Performers, Stage } from "./Stage.ts"
import { present } from "../../Present.ts"

type Look = OperationOf<"look">
type Place = Pick<Ask, "path"> & Partial<Ask>

/** Any transaction of the shop. */
const transactionsOf = ({ bookings, charges, refunds, transfers, withdrawals }: KnownShop) => [
  ...charges,
  ...withdrawals,
  ...refunds,
  ...transfers,
  ...bookings
]

const by = (thing: { readonly id: string; readonly wallet: string } | undefined, root: string) =>
  thing === undefined
    ? undefined
    : { path: `${root}/${thing.id}`, wallet: thing.wallet, subject: thing.id }

/** What the shop looks at; undefined where there is nothing of the kind. */
const placeOf = ({ at, nth }: Look, stage: Stage, shop: KnownShop): Place | undefined => {
  switch (at) {
    case "account":
      return { path: "/account" }
    case "transaction":
      return by(nthOf(transactionsOf(shop), nth), "/transactions")
    case "byReference":
      return named(nthOf([...stage.memory.sent.values()], nth), shop, ({ reference }) => reference)
    case "byKey":
      return named(nthOf([...stage.memory.sent.values()], nth), shop, ({ key }) => key)
    case "withdrawal":
      return by(nthOf(shop.withdrawals, nth), "/withdrawals")
    case "endpoint":
      return by(nthOf(shop.endpoints, nth), "/webhook-endpoints")
    case "return":
      return by(nthOf(shop.returns.concat(shop.refunds), nth), "/returns")
    case "delivery":
      return by(nthOf(shop.deliveries, nth), "/deliveries")
    case "operatorAccount":
      return { path: `/accounts/${shop.id}`, wallet: "principal" }
    case "revoked":
      return { path: "/account" }
  }
}

const named = (
  asked: Asked | undefined,
  { index }: KnownShop,
  nameOf: (asked: Asked) => string | undefined
): Place | undefined => {
  const name = asked?.shop === index ? nameOf(asked) : undefined
  return asked === undefined || name === undefined
    ? undefined
    : { path: `/transactions/${encodeURIComponent(name)}`, wallet: asked.wallet }
}

const operators: ReadonlySet<string> = new Set(["return", "delivery", "operatorAccount"])

/** A token of a credential that is gone opens nothing. */
const lookRevoked = (operation: Look, stage: Stage, shop: KnownShop): void => {
  const gone = shop.credentials.filter(({ isGone, token }) => isGone === true && token)
  const credential = nthOf(gone, operation.nth)
  if (credential !== undefined) tryRevoked(operation, stage, credential)
}

const accountLists = {
  operatorTransactions: "transactions",
  operatorEntries: "entries",
  operatorBalances: "balances",
  operatorBlocks: "balance-blocks",
  operatorSubAccounts: "sub-accounts",
  operatorCredentials: "credentials",
  operatorDeliveries: "deliveries"
} as const

const tenantLists = {
  transactions: "/transactions",
  subAccounts: "/sub-accounts",
  projects: "/projects",
  blocks: "/balance-blocks",
  endpoints: "/webhook-endpoints"
} as const

const listOf = (operation: OperationOf<"list">, shop: KnownShop): Ask | undefined => {
  const { id, limit, what } = operation
  const operator = (path: string) => ofOperator(operation, { method: "GET", path })
  switch (what) {
    case "transactions":
    case "projects":
    case "subAccounts":
    case "blocks":
    case "endpoints": {
      const takesLimit = what === "transactions" || what === "projects"
      const path = `${tenantLists[what]}${takesLimit ? `?limit=${limit}` : ""}`
      return ofShop(operation, shop, { method: "GET", path })
    }
    case "deliveries": {
      const endpoint = nthOf(shop.endpoints, id)
      if (endpoint === undefined) return undefined
      const path = `/webhook-endpoints/${endpoint.id}/deliveries`
      return ofShop(operation, shop, { method: "GET", path, wallet: endpoint.wallet })
    }
    case "operatorAccounts":
      return operator(`/accounts?limit=${limit}`)
    case "operatorEndpoints":
      return operator(`/accounts/${shop.id}/webhook-endpoints`)
    case "reviews":
    case "suspense":
    case "discrepancies":
      return operator(`/${what}?account=${shop.id}&limit=${limit}`)
    default:
      return operator(`/accounts/${shop.id}/${accountLists[what]}?limit=${limit}`)
  }
}

const pagesMax = 3

/** A list, and the pages after its first one. */
const list = (ask: Ask, stage: Stage, pages = 1): void =>
  stage.send(ask, (asked) => {
    const cursor = textAt(lastAnswer(asked)?.json, "nextCursor")
    if (cursor === "" || pages >= pagesMax) return
    const [path = ""] = ask.path.split(/[?&]cursor=/)
    const next = `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`
    list({ ...ask, path: next }, stage, pages + 1)
  })

/** Another body under the same key. What it would make has a reference of its own. */
const amended = (asked: Asked, id: number): Partial<Ask> => {
  const text = `${referenceOf(id)}-amended`
  const reference = asked.name === "endpoint" ? `https://amended.example.com/${text}` : text
  const body: Record<string, unknown> = { ...asked.body }
  for (const name of ["externalReference", "reason", "description", "url"])
    if (name in body) body[name] = reference
  const amount = centavosAt(body, "amount")
  if (amount !== undefined && amount > 0) body["amount"] = brl(amount + 1)
  else body["amended"] = id
  return {
    body,
    ...(asked.reference === undefined ? {} : { reference }),
    ...(asked.amount === undefined ? {} : { amount: asked.amount + (asked.amount > 0 ? 1 : 0) })
  }
}

const again = (
  { id, isAmended, isElsewhere, of, process, wallet }: OperationOf<"again">,
  stage: Stage,
  shop: KnownShop
) => {
  const first = stage.memory.sent.get(of)
  const ask = first && repeatOf(first, shop, { now: stage.world.now(), operation: id })
  if (first === undefined || ask === undefined) return
  stage.send({
    ...ask,
    process,
    ...(isElsewhere ? { shop: shop.index, wallet } : {}),
    ...(isAmended ? amended(first, id) : {})
  })
}

/** Requests by which somebody would see, or touch, what is not his. */
const reaches = [
  { of: "transaction", method: "GET", path: (id: string) => `/transactions/${id}` },
  { of: "withdrawal", method: "GET", path: (id: string) => `/withdrawals/${id}` },
  { of: "charge", method: "POST", path: (id: string) => `/transactions/${id}/refund` },
  { of: "charge", method: "POST", path: (id: string) => `/pix/${id}/cancel` },
  { of: "endpoint", method: "GET", path: (id: string) => `/webhook-endpoints/${id}` },
  { of: "endpoint", method: "POST", path: (id: string) => `/webhook-endpoints/${id}/test` }
] as const

const foreign = (kind: (typeof reaches)[number]["of"], owner: KnownShop) => {
  const { bookings, charges, endpoints, refunds, withdrawals } = owner
  switch (kind) {
    case "transaction":
      return [...charges, ...withdrawals, ...refunds, ...bookings]
    case "withdrawal":
      return withdrawals
    case "charge":
      return charges
    case "endpoint":
      return endpoints.filter(({ status }) => status !== "removed")
  }
}

const trespass = (operation: OperationOf<"trespass">, stage: Stage, shop: KnownShop): void => {
  const { id, isOwnAccount, nth, wallet } = operation
  const reach = nthOf(reaches, nth)
  const others = stage.memory.shops.filter(({ index }) => index !== shop.index)
  const owner = isOwnAccount ? shop : nthOf(others, nth)
  if (reach === undefined || owner === undefined) return
  const things = foreign(reach.of, owner).filter(
    (thing) => !isOwnAccount || thing.wallet !== wallet
  )
  const thing = nthOf(things, Math.floor(nth / reaches.length))
  if (thing === undefined) return
  const path = reach.path(thing.id)
  const ask = ofShop(operation, shop, { method: reach.method, path, subject: thing.id })
  stage.send(ask, ({ told }) => {
    for (const { answer } of told) {
      if (answer === "lost" || notShown.has(answer.status)) continue
      stage.violated(
        `operation ${id} reached for ${thing.id}, which is another's, and was answered ${answer.status}`
      )
    }
  })
}

/** Answers that tell nothing of what was reached for. */
const notShown: ReadonlySet<number> = new Set([401, 403, 404, 429, 500, 503])

/** Where it is seen what an acknowledged request did. */
const seenAt: Readonly<Record<string, (asked: Asked) => string>> = {
  charge: (asked) => `/transactions/${textAt(acknowledgement(asked)?.json, "id")}`,
  transfer: (asked) => `/transactions/${textAt(acknowledgement(asked)?.json, "id")}`,
  withdraw: (asked) => `/withdrawals/${textAt(acknowledgement(asked)?.json, "id")}`,
  cancel: ({ subject = "" }) => `/transactions/${subject}`
}

/** A look at what an acknowledged request did, at the process that acknowledged it. */
export const lookAfter = (asked: Asked): Ask | undefined => {
  const { as, name, operation, outcome, shop, told, wallet } = asked
  const { authorization, credential } = asked
  const path = seenAt[name]?.(asked)
  if (path === undefined || outcome !== "done" || authorization !== undefined) return undefined
  return {
    name: name === "withdraw" ? "look withdrawal" : "look transaction",
    method: "GET",
    path,
    operation,
    shop,
    wallet,
    as,
    process: told.at(-1)?.process ?? asked.process,
    ...present({ credential })
  }
}

/** What looks, repeats, or must be refused. */
export const looks: Performers<"look" | "list" | "again" | "trespass" | "mistake"> = {
  look: (operation, stage, shop) => {
    const { at } = operation
    const told = placeOf(operation, stage, shop)
    if (told === undefined) return
    if (at === "revoked") return lookRevoked(operation, stage, shop)
    const ask = operators.has(at)
      ? ofOperator(operation, { method: "GET", ...told })
      : ofShop(operation, shop, { method: "GET", ...told })
    stage.send({ ...ask, name: `look ${at}` })
  },

  list: (operation, stage, shop) => {
    const ask = listOf(operation, shop)
    if (ask !== undefined) list({ ...ask, name: `list ${operation.what}` }, stage)
  },

  again,
  trespass,

  mistake: (operation, { send, violated }, shop) => {
    const { id, mistake } = operation
    const ask = mistakeOf(operation, shop)
    send({ ...ask, name: `mistake ${mistake}` }, ({ told }) => {
      if (told.some(({ answer }) => isDone(answer)))
        violated(`operation ${id}, a mistake (${mistake}), was taken for right`)
    })
  }
}
