import { drawMoney } from "./DrawMoney.ts"
import { againOf, drawRest } from "./DrawRest.ts"
import { drawOf } from "./Drawing.ts"
import type { Draw, Drawing, Place } from "./Drawing.ts"
import type { Operation } from "./Operation.ts"

export const processesMax = 4

/** What takes the same money, or settles the same thing; and looks at it, and asks again. */
export const rushed: ReadonlyArray<Draw> = [
  ...drawMoney.flatMap((one) => (one.rushed === undefined ? [] : { ...one, weight: one.rushed })),
  {
    weight: 150,
    draw: ({ chance }, place) => ({
      kind: "look",
      ...place,
      at: chance.pick(["account", "transaction", "withdrawal"]),
      nth: 0
    })
  },
  { weight: 200, draw: againOf },
  ...drawRest.flatMap((one) => (one.rushed === undefined ? [] : { ...one, weight: one.rushed })),
  {
    weight: 20,
    draw: ({ chance }, place) => ({
      kind: "changeSubAccount",
      ...place,
      reference: place.wallet,
      change: chance.pick(["suspended", "approved", "closed"]),
      fee: 0
    })
  },
  {
    weight: 10,
    draw: (_, place) => ({
      kind: "changeAccount",
      ...place,
      change: "closed",
      size: 0
    })
  }
]

/** About the same thing, whatever else it is. `isInto`: what moves between wallets comes to the one that it is about. */
const about = (operation: Operation, nth: number, isInto: boolean): Operation => {
  switch (operation.kind) {
    case "pay":
    case "cancel":
    case "refund":
    case "block":
      return { ...operation, charge: nth }
    case "settlePayout":
      return { ...operation, withdrawal: nth }
    case "settleRefund":
      return { ...operation, refund: nth }
    case "defend":
    case "resolve":
      return { ...operation, block: nth }
    case "look":
      return { ...operation, nth }
    case "transfer":
      return isInto && operation.wallet !== "principal"
        ? { ...operation, wallet: "principal", to: operation.wallet }
        : operation
    default:
      return operation
  }
}

/** So many come at least, and so many more at most. */
const rushMin = 3
const rushMore = 5

/**
 * Some who come at once or nearly so, to several processes, and want the same: the money of one wallet, and one of its
 * charges, payouts and blocks. What one of them decides on, another changes.
 */
export const drawRush = (drawing: Drawing, first: Place, draws: ReadonlyArray<Draw>): void => {
  const { chance, drawn } = drawing
  const nth = chance.below(1_000)
  const most = rushMin + chance.below(rushMore + 1)
  for (let index = 0; index < most; index++) {
    const place = {
      ...first,
      id: first.id + index,
      after: index === 0 ? first.after : chance.pick([0, 0, 0, 2, 30, 400]),
      process: chance.below(processesMax)
    }
    drawn.push(about(drawOf(chance, draws).draw(drawing, place), nth, chance.happens(0.5)))
  }
}
