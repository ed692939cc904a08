import { listed, lookedAt, mistakes } from "./Operation.ts"
import type { Operation, OperationKind } from "./Operation.ts"
import type { Draw, Drawing, Place } from "./Drawing.ts"
import { keyed, nth } from "./Drawing.ts"

const references = ["loja", "filial", "nova-1", "nova_2", "principal"] as const
const repeatable: ReadonlySet<OperationKind> = new Set<OperationKind>([
  "charge",
  "withdraw",
  "refund",
  "transfer",
  "cancel",
  "block",
  "defend",
  "resolve",
  "adjust",
  "commission",
  "openAccount",
  "openSubAccount",
  "project",
  "issue",
  "endpoint",
  "rotate",
  "testEndpoint",
  "recover",
  "resend"
])

const whose = ({ chance }: Drawing): "tenant" | "operator" =>
  chance.happens(0.5) ? "tenant" : "operator"

/** What another tenant can ask for as well, word by word. */
const common: ReadonlySet<OperationKind> = new Set<OperationKind>([
  "charge",
  "withdraw",
  "transfer"
])

/**
 * Something that was asked for a little while ago, or is being asked for in this turn, at another process; now and then what
 * was asked for long ago.
 */
export const againOf = (drawing: Drawing, place: Place): Operation => {
  const { chance, drawn } = drawing
  const known = drawn.filter(({ kind }) => repeatable.has(kind))
  const lately = known.filter(({ id }) => id >= place.id - 12)
  const last = lately.at(-1)
  if (last === undefined) return { kind: "list", ...place, what: "transactions", limit: 10 }
  const group = chance.below(10)
  const of = group < 6 ? last : chance.pick(group < 8 ? lately : known)
  if (common.has(of.kind) && chance.happens(0.15))
    return { kind: "again", ...place, of: of.id, isAmended: false, isElsewhere: true }
  return {
    kind: "again",
    ...place,
    after: of === drawn.at(-1) && chance.happens(0.6) ? 0 : place.after,
    shop: of.shop,
    wallet: of.wallet,
    process: of.process + 1,
    of: of.id,
    isAmended: chance.happens(0.25),
    isElsewhere: false
  }
}

/** What says who may do what, and how it costs. */
const rules: ReadonlyArray<Draw> = [
  {
    weight: 4,
    draw: (drawing, place) => ({ kind: "openAccount", ...place, ...keyed(drawing, place) })
  },
  {
    weight: 10,
    rushed: 25,
    draw: (drawing, place) => ({
      kind: "openSubAccount",
      ...place,
      reference: drawing.chance.pick(references),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 14,
    draw: ({ chance, shops }, place) => ({
      kind: "changeSubAccount",
      ...place,
      reference: chance.happens(0.8)
        ? chance.pick(shops[place.shop]?.subAccounts.concat("nova-1") ?? ["loja"])
        : chance.pick(references),
      change: chance.pick(["suspended", "approved", "approved", "approved", "closed", "fees"]),
      fee: chance.below(100)
    })
  },
  {
    weight: 8,
    rushed: 25,
    draw: (drawing, place) => ({
      kind: "project",
      ...place,
      name: drawing.chance.pick(["um", "UM", "três", "quatro"]),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 14,
    draw: ({ chance }, place) => ({
      kind: "changeAccount",
      ...place,
      ...(chance.happens(0.3) ? { other: nth(chance) } : {}),
      change: chance.pick([
        "suspended",
        "approved",
        "approved",
        "approved",
        "closed",
        "fees",
        "fees",
        "limits",
        "policy"
      ]),
      size: chance.below(200)
    })
  },
  {
    weight: 14,
    draw: (drawing, place) => ({
      kind: "issue",
      ...place,
      isFull: drawing.chance.happens(0.6),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 14,
    draw: ({ chance }, place) => ({ kind: "revoke", ...place, credential: nth(chance) })
  }
]

/** What is about webhooks. */
const webhooks: ReadonlyArray<Draw> = [
  {
    weight: 6,
    draw: (drawing, place) => ({
      kind: "endpoint",
      ...place,
      as: whose(drawing),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 10,
    draw: (drawing, place) => ({
      kind: "changeEndpoint",
      ...place,
      as: whose(drawing),
      endpoint: nth(drawing.chance),
      change: drawing.chance.pick(["off", "on", "on", "events", "url"])
    })
  },
  {
    weight: 10,
    draw: (drawing, place) => ({
      kind: drawing.chance.pick(["rotate", "testEndpoint", "recover"]),
      ...place,
      as: whose(drawing),
      endpoint: nth(drawing.chance),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 3,
    draw: (drawing, place) => ({
      kind: "removeEndpoint",
      ...place,
      as: whose(drawing),
      endpoint: nth(drawing.chance)
    })
  },
  {
    weight: 8,
    draw: (drawing, place) => ({
      kind: "resend",
      ...place,
      as: whose(drawing),
      delivery: nth(drawing.chance),
      ...keyed(drawing, place)
    })
  }
]

/** What looks, repeats, or must be refused. */
const looks: ReadonlyArray<Draw> = [
  {
    weight: 25,
    draw: (drawing, place) => ({
      kind: "review",
      ...place,
      review: nth(drawing.chance),
      isHasty: drawing.chance.happens(0.25),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 110,
    draw: ({ chance }, place) => ({
      kind: "look",
      ...place,
      at: chance.happens(0.4) ? "account" : chance.pick(lookedAt),
      nth: nth(chance)
    })
  },
  {
    weight: 50,
    draw: ({ chance }, place) => ({
      kind: "list",
      ...place,
      what: chance.happens(0.4) ? "transactions" : chance.pick(listed),
      limit: chance.pick([1, 3, 10, 100])
    })
  },
  {
    weight: 4,
    draw: ({ chance }, place) => ({
      kind: "audit",
      ...place,
      scope: chance.pick(["recent", "complete"])
    })
  },
  { weight: 70, draw: againOf },
  {
    weight: 25,
    draw: ({ chance }, place) => ({
      kind: "trespass",
      ...place,
      nth: nth(chance),
      isOwnAccount: chance.happens(0.4)
    })
  },
  {
    weight: 35,
    draw: ({ chance }, place) => ({ kind: "mistake", ...place, mistake: chance.pick(mistakes) })
  }
]

/** Everything beside what moves money. */
export const drawRest: ReadonlyArray<Draw> = [...rules, ...webhooks, ...looks]
