import type { Scene } from "./DrawScene.ts"
import { aMoment, keyed, paid } from "./DrawScene.ts"
import { newest } from "./Operation.ts"
import type { Operation } from "./Operation.ts"

/** What is done again and again in worlds that are about it. */
export type ThemeScene =
  | "parts"
  | "refunds"
  | "payouts"
  | "judged"
  | "watched"
  | "floods"
  | "closings"

/** A payment goes back in parts, each small enough to go back twice. */
const parts: Scene = (drawing, step) => [
  ...paid(drawing, step),
  ...[1, 2].map((nth): Operation => ({
    kind: "refund",
    ...keyed(step((nth === 1 ? 3 : 1) * aMoment)),
    charge: newest,
    isPaid: true,
    percent: 10 + drawing.chance.below(15)
  }))
]

/** A payment goes back as a whole. */
const refunds: Scene = (drawing, step) => [
  { kind: "adjust", ...keyed(step(aMoment)), amount: 5_000, bucket: "available" },
  ...paid(drawing, step),
  { kind: "refund", ...keyed(step(3 * aMoment)), charge: newest, isPaid: true }
]

const payouts: Scene = ({ chance }, step) =>
  [0, 1, 2].map((nth) => ({
    kind: "withdraw",
    ...keyed(step(nth === 0 ? aMoment : chance.below(400), { wallet: "principal" })),
    percent: 1,
    amount: 100 + chance.below(300),
    by: "amount",
    keyType: "email",
    hasReference: true
  }))

/** A bank that was told of a payout is asked about it after so long, in milliseconds. */
const askedAfter = 17_000

/** Some money is paid out, and a person decides about it as soon as its bank has been asked. */
const judged: Scene = (drawing, step) => [
  ...payouts(drawing, step),
  ...[0, 1, 2].map((nth): Operation => ({
    kind: "review",
    ...keyed(step(nth === 0 ? askedAfter : drawing.chance.below(3_000), { wallet: "principal" })),
    review: drawing.chance.below(4),
    isHasty: drawing.chance.happens(0.5)
  }))
]

/** Somebody looks at a withdrawal on and on, everywhere at once, while it goes from one state to the next. */
const watched: Scene = ({ chance }, step) => {
  const looks = (count: number, first: number): ReadonlyArray<Operation> =>
    Array.from({ length: count }, (_, nth) => ({
      kind: "look",
      ...step(nth === 0 ? first : chance.below(200), { wallet: "principal" }),
      at: "withdrawal",
      nth: newest
    }))
  const principal = { wallet: "principal" }
  return [
    {
      kind: "withdraw",
      ...keyed(step(aMoment, principal)),
      percent: 1,
      amount: 100 + chance.below(100),
      by: "amount",
      keyType: "cpf",
      hasReference: true
    },
    ...looks(10, 20),
    { kind: "settlePayout", ...step(10, principal), withdrawal: newest, outcome: "completed" },
    ...looks(12, 20)
  ]
}

/** What a day's limit grows by with each flood, in centavos, and what the operator's unit of it is (`PerformRules`). */
const grows = 4_000
const unit = 500
const firstLimit = 20_000

/** The limit of the day is raised, and what would pass it by a little is asked for at once, each part of it well below. */
const floods: Scene = (drawing, step) => {
  const { chance, drawn } = drawing
  const principal = step(aMoment, { wallet: "principal" })
  const { process, shop } = principal
  const isRaised = (one: Operation): boolean =>
    one.kind === "changeAccount" && one.change === "limits" && one.shop === shop
  const before = drawn.filter(isRaised).length
  const left = before === 0 ? firstLimit : grows
  const count = 3 + chance.below(3)
  const at = { wallet: "principal", process }
  return [
    {
      kind: "changeAccount",
      ...principal,
      change: "limits",
      size: (before * grows) / unit
    },
    { kind: "adjust", ...keyed(step(10, at)), amount: 2 * left, bucket: "available" },
    ...Array.from({ length: count }, (_, nth): Operation => ({
      kind: "withdraw",
      ...keyed(step(nth === 0 ? aMoment : 0, at)),
      percent: 1,
      amount: Math.ceil(left / (count - 0.8)),
      by: "amount",
      keyType: "cpf",
      hasReference: true
    }))
  ]
}

/** The time from a payment to its booking, nearly always, in milliseconds. */
const bookedWithin = 400

/** A sub-account that still has nothing is closed while its first payment is being booked. */
const closings: Scene = ({ chance }, step) => {
  const opened = step(aMoment, { wallet: "principal" })
  const reference = `breve-${opened.id}`
  const its = { wallet: reference }
  return [
    { kind: "openSubAccount", ...keyed(opened), reference },
    {
      kind: "charge",
      ...keyed(step(aMoment, its)),
      amount: 200 + chance.below(400),
      hasReference: true
    },
    { kind: "pay", ...step(aMoment, its), charge: newest, how: "right", isFresh: true },
    {
      kind: "changeSubAccount",
      ...step(chance.below(bookedWithin), { wallet: "principal" }),
      reference,
      change: "closed",
      fee: 0
    }
  ]
}

/** How many of the operations of such a world begin one, of 1. */
export const themes: Readonly<
  Record<ThemeScene, { readonly scene: Scene; readonly share: number }>
> = {
  parts: { scene: parts, share: 0.25 },
  refunds: { scene: refunds, share: 0.25 },
  payouts: { scene: payouts, share: 0.2 },
  judged: { scene: judged, share: 0.1 },
  watched: { scene: watched, share: 0.06 },
  floods: { scene: floods, share: 0.15 },
  closings: { scene: closings, share: 0.2 }
}
