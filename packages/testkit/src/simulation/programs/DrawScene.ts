import type { Chance } from "../../fuzz/Chance.ts"
import type { Drawing, Place } from "./Drawing.ts"
import { processesMax } from "./DrawRush.ts"
import { newest } from "./Operation.ts"
import type { Operation } from "./Operation.ts"

/** The place of the next step: so long after the one before, at any process. */
type Step = (after: number, at?: Partial<Place>) => Place

/** Steps that belong together: by chance alone they hardly ever come in this order. */
export type Scene = (drawing: Drawing, step: Step) => ReadonlyArray<Operation>

/** Long enough that what was asked for is mostly answered, and a payment booked. */
export const aMoment = 1_500

/** So soon that nobody is answered before: one decides on what the other is changing. */
const meanwhile = (chance: Chance): number => chance.below(4)

export const keyed = (place: Place): Place & { readonly key: number } => ({
  ...place,
  key: place.id
})

/** An account without money is closed while sub-accounts of it are opened. */
const closingAccount: Scene = ({ chance }, step) => {
  const open = (reference: string, after: number): Operation => ({
    kind: "openSubAccount",
    ...step(after),
    reference,
    other: newest
  })
  return [
    { kind: "openAccount", ...keyed(step(0)) },
    { kind: "changeAccount", ...step(aMoment), other: newest, change: "closed", size: 0 },
    open("loja", meanwhile(chance)),
    open("filial", meanwhile(chance))
  ]
}

/** A sub-account without money is closed while some is on its way to it. */
const closingSubAccount: Scene = ({ chance }, step) => {
  const opened = step(0, { wallet: "principal" })
  const reference = `nova-${opened.id}`
  const transfer = (after: number): Operation => ({
    kind: "transfer",
    ...keyed(step(after, { wallet: "principal" })),
    to: reference,
    percent: 1,
    hasReference: true
  })
  return [
    { kind: "openSubAccount", ...keyed(opened), reference },
    transfer(aMoment),
    transfer(0),
    {
      kind: "changeSubAccount",
      ...step(meanwhile(chance)),
      reference,
      change: "closed",
      fee: 0
    },
    transfer(0)
  ]
}

/** Somebody charges, and is paid. */
export const paid = ({ chance }: Drawing, step: Step): ReadonlyArray<Operation> => [
  {
    kind: "charge",
    ...keyed(step(aMoment)),
    amount: 200 + chance.below(4_000),
    hasReference: true
  },
  { kind: "pay", ...step(aMoment), charge: newest, how: "right", isFresh: true }
]

/** Payments go back as soon as they have come. */
const returned: Scene = (drawing, step) => {
  const all = [0, 1, 2]
  const before = all.flatMap(() => paid(drawing, step))
  const refunds = all.map((older): Operation => ({
    kind: "refund",
    ...keyed(step(older === 0 ? 3 * aMoment : meanwhile(drawing.chance))),
    charge: newest - older,
    isPaid: true
  }))
  return [...before, ...refunds]
}

/** What was paid is spent before it is claimed: the wallet owes it. */
const owing: Scene = (drawing, step) => {
  const { chance, shops } = drawing
  const before = paid(drawing, step)
  const look: Operation = { kind: "look", ...step(2 * aMoment), at: "account", nth: 0 }
  const spent = keyed(step(aMoment))
  const rest = { ...spent, percent: 100, hasReference: true } as const
  const wallets = ["principal", ...(shops[spent.shop]?.subAccounts ?? [])]
  const to = wallets.find((wallet) => wallet !== spent.wallet)
  const spend: Operation =
    to === undefined
      ? { kind: "withdraw", by: "amount", keyType: "email", ...rest }
      : { kind: "transfer", to, ...rest }
  return [...before, look, spend, ...claim({ chance }, step, { isWhole: chance.happens(0.5) })]
}

/** A payment goes back in parts: of one that is told twice, none has to be left for the other. */
const inParts: Scene = (drawing, step) => [
  ...paid(drawing, step),
  ...[1, 2, 3].flatMap(() => claim(drawing, step, { isWhole: false }))
]

const claim = (
  { chance }: Pick<Drawing, "chance">,
  step: Step,
  { isWhole }: { readonly isWhole: boolean }
): ReadonlyArray<Operation> => [
  {
    kind: "block",
    ...keyed(step(2 * aMoment)),
    charge: newest,
    isPaid: true,
    blockType: "med",
    ...(isWhole ? {} : { percent: 5 + chance.below(20) })
  },
  { kind: "resolve", ...keyed(step(aMoment)), block: newest, outcome: "approved" }
]

/** Withdrawals at one process at once, all of which the wallet has and its limit of a day has not, though each of them alone. */
const flood: Scene = ({ chance, shops }, step) => {
  const first = step(0, { wallet: "principal" })
  const { process, wallet } = first
  const { funds = 0, limits: { daily = 0 } = {} } = shops[first.shop] ?? {}
  const parts = 3 + chance.below(3)
  // So that one of them is too much.
  const amount = Math.ceil(daily / (parts - 0.8))
  const more = Array.from({ length: parts - 1 }, () => step(0, { process, wallet }))
  return [first, ...more].map((place) => ({
    kind: "withdraw",
    ...keyed(place),
    percent: 10 + chance.below(30),
    ...(amount > 0 && amount * parts <= funds ? { amount } : {}),
    by: "amount",
    keyType: "cpf",
    hasReference: true
  }))
}

const scenes: ReadonlyArray<Scene> = [
  closingAccount,
  closingSubAccount,
  returned,
  owing,
  inParts,
  flood
]

/** Plays a scene, or one of those of every world, in the wallet of its first step mostly. */
export const drawScene = (drawing: Drawing, first: Place, scene?: Scene): void => {
  const { chance, drawn } = drawing
  let id = first.id
  const step: Step = (after, at = {}) => ({
    ...first,
    process: chance.below(processesMax),
    after: id === first.id ? first.after : after,
    ...at,
    id: id++
  })
  const played = scene ?? chance.pick(scenes)
  drawn.push(...played(drawing, step))
}
