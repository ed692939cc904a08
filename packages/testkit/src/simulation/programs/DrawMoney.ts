import type { Chance } from "../../fuzz/Chance.ts"
import { keyTypes, payings } from "./Operation.ts"
import type { OperationOf } from "./Operation.ts"
import type { Draw, Drawing, Place } from "./Drawing.ts"
import { keyed, nth } from "./Drawing.ts"

/** What many things have in common, so that one can be taken for another. */
const common = 500

/** Small ones mostly, so that what is odd about rounding and balances shows. */
const amountOf = (chance: Chance): number => {
  if (chance.happens(0.25)) return common
  const group = chance.below(10)
  if (group < 2) return 1 + chance.below(9)
  if (group < 9) return 100 + chance.below(9_900)
  return 10_000 + chance.below(200_000)
}

/** The wallets of the shop, in some order: each at most once. */
const splitOf = ({ chance, shops }: Drawing, { shop }: Place) => {
  const wallets = [...(shops[shop]?.subAccounts ?? []), "principal"]
  return wallets
    .filter(() => chance.happens(0.7))
    .map((to) => ({ to, percent: 1 + chance.below(45) }))
}

const chargeOf = (drawing: Drawing, place: Place): OperationOf<"charge"> => {
  const { chance } = drawing
  const split = chance.happens(0.3) ? splitOf(drawing, place) : []
  return {
    kind: "charge",
    ...place,
    amount: amountOf(chance),
    ...(chance.happens(0.6) ? { expiresIn: chance.pick([60, 60, 61, 120, 3_600]) } : {}),
    hasReference: chance.happens(0.85),
    ...(chance.happens(0.2) ? { payer: true } : {}),
    ...(chance.happens(0.15) ? { project: nth(chance) } : {}),
    ...(chance.happens(0.2) ? { metadata: true } : {}),
    ...(split.length === 0 ? {} : { split }),
    ...keyed(drawing, place)
  }
}

const withdrawOf = (drawing: Drawing, place: Place): OperationOf<"withdraw"> => {
  const { chance } = drawing
  return {
    kind: "withdraw",
    ...place,
    percent: chance.pick([1, 5, 10, 25, 40, 60, 100, 101, 150]),
    ...(chance.happens(0.3) ? { amount: common } : {}),
    by: chance.happens(0.75) ? "amount" : "netAmount",
    keyType: chance.pick(keyTypes),
    hasReference: chance.happens(0.85),
    ...(chance.happens(0.3) ? { holder: true } : {}),
    ...(chance.happens(0.15) ? { project: nth(chance) } : {}),
    ...keyed(drawing, place)
  }
}

/** Mostly to another wallet; where there is none, and now and then, to the same one or to none. */
const transferOf = (drawing: Drawing, place: Place): OperationOf<"transfer"> => {
  const { chance, shops } = drawing
  const wallets = ["principal", ...(shops[place.shop]?.subAccounts ?? [])]
  const others = wallets.filter((wallet) => wallet !== place.wallet)
  return {
    kind: "transfer",
    ...place,
    to: chance.pick(others.length > 0 && chance.happens(0.95) ? others : [...wallets, "loja"]),
    percent: chance.pick([1, 10, 30, 70, 100, 130]),
    hasReference: chance.happens(0.85),
    ...keyed(drawing, place)
  }
}

/** What moves money, or undoes it. */
export const drawMoney: ReadonlyArray<Draw> = [
  { weight: 150, draw: chargeOf },
  {
    weight: 150,
    rushed: 60,
    draw: ({ chance }, place) => ({
      kind: "pay",
      ...place,
      charge: nth(chance),
      how: chance.happens(0.7) ? "right" : chance.pick(payings),
      isFresh: chance.happens(0.85)
    })
  },
  {
    weight: 30,
    rushed: 60,
    draw: (drawing, place) => ({
      kind: "cancel",
      ...place,
      charge: nth(drawing.chance),
      isFresh: drawing.chance.happens(0.7),
      ...keyed(drawing, place)
    })
  },
  { weight: 100, rushed: 120, draw: withdrawOf },
  {
    weight: 70,
    rushed: 40,
    draw: ({ chance }, place) => ({
      kind: "settlePayout",
      ...place,
      withdrawal: nth(chance),
      outcome: chance.pick(["completed", "completed", "completed", "rejected", "reversed"])
    })
  },
  {
    weight: 70,
    rushed: 80,
    draw: (drawing, place) => ({
      kind: "refund",
      ...place,
      charge: nth(drawing.chance),
      isPaid: drawing.chance.happens(0.85),
      ...(drawing.chance.happens(0.5)
        ? { percent: drawing.chance.pick([1, 20, 30, 40, 50, 60, 70, 100, 101]) }
        : {}),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 40,
    rushed: 40,
    draw: ({ chance }, place) => ({
      kind: "settleRefund",
      ...place,
      refund: nth(chance),
      outcome: chance.pick(["confirmed", "confirmed", "rejected"])
    })
  },
  { weight: 45, rushed: 60, draw: transferOf },
  {
    weight: 25,
    rushed: 60,
    draw: (drawing, place) => ({
      kind: "block",
      ...place,
      charge: nth(drawing.chance),
      isPaid: drawing.chance.happens(0.8),
      blockType: drawing.chance.pick(["med", "judicial", "administrative"]),
      ...(drawing.chance.happens(0.5) ? { percent: 1 + drawing.chance.below(120) } : {}),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 6,
    rushed: 10,
    draw: (drawing, place) => ({
      kind: "defend",
      ...place,
      block: nth(drawing.chance),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 20,
    rushed: 60,
    draw: (drawing, place) => ({
      kind: "resolve",
      ...place,
      block: nth(drawing.chance),
      outcome: drawing.chance.pick(["approved", "rejected"]),
      ...(drawing.chance.happens(0.3) ? { percent: 1 + drawing.chance.below(100) } : {}),
      ...keyed(drawing, place)
    })
  },
  {
    weight: 25,
    rushed: 30,
    draw: (drawing, place) => ({
      kind: "adjust",
      ...place,
      amount: drawing.chance.pick([1, -1, 50, -70, 1_000, -2_000, 20_000, -500_000]),
      bucket: drawing.chance.happens(0.7) ? "available" : "promotional",
      ...keyed(drawing, place)
    })
  },
  {
    weight: 12,
    draw: (drawing, place) => ({
      kind: "commission",
      ...place,
      amount: 1 + drawing.chance.below(500),
      ...(drawing.chance.happens(0.5) ? { source: nth(drawing.chance) } : {}),
      ...keyed(drawing, place)
    })
  }
]
