import type { Chance } from "../../fuzz/Chance.ts"
import type { FeeWish, ProgramShop } from "./Operation.ts"
import { present } from "../../Present.ts"

const references = ["loja", "filial"] as const

const feeOf = (chance: Chance): FeeWish => ({
  ...(chance.happens(0.7) ? { fixed: chance.below(60) } : {}),
  ...(chance.happens(0.5) ? { basisPoints: chance.below(500) } : {}),
  ...(chance.happens(0.2) ? { max: 100 + chance.below(400) } : {})
})

const some = <A>(chance: Chance, probability: number, draw: () => A): A | undefined =>
  chance.happens(probability) ? draw() : undefined

const shopOf = (chance: Chance, index: number, isSpectator: boolean): ProgramShop => {
  const subAccounts = references.slice(0, chance.pick([0, 1, 1, 2, 2]))
  const fees = {
    payment: some(chance, 0.7, () => feeOf(chance)),
    withdrawal: some(chance, 0.6, () => feeOf(chance)),
    refund: some(chance, 0.5, () => feeOf(chance))
  }
  const limits = {
    charge: some(chance, 0.15, () => 20_000 + chance.below(100_000)),
    withdrawal: some(chance, 0.15, () => 5_000 + chance.below(50_000)),
    daily: some(chance, 0.5, () => chance.pick([5_000, 30_000, 100_000]) + chance.below(30_000))
  }
  const endpoints = ["principal", ...subAccounts]
    .filter((wallet) => wallet === "principal" || chance.happens(0.4))
    .map((wallet) => ({ url: `https://shop${index}.example.com/${wallet}`, wallet }))
  return {
    name: `Loja ${index}`,
    fees: present(fees),
    limits: present(limits),
    blocksCompanies: chance.happens(0.5),
    subAccounts,
    projects: ["um", "dois"].slice(0, chance.below(3)),
    endpoints,
    // Only who has more than he may spend in a day meets that limit.
    funds: 1_000 + chance.below(100_000) + (chance.happens(0.7) ? 2 * (limits.daily ?? 0) : 0),
    // Only what is empty can be closed, and only who has little owes what was claimed of him.
    unfunded: isSpectator
      ? []
      : [
          ...(chance.happens(0.15) ? ["principal"] : []),
          ...subAccounts.filter(() => chance.happens(0.5))
        ],
    isSpectator
  }
}

const shopsMax = 3

/** One to three shops that do something, and one that does nothing. */
export const drawShops = (chance: Chance): ReadonlyArray<ProgramShop> => {
  const busy = 1 + chance.below(shopsMax)
  const place = chance.below(busy + 1)
  return Array.from({ length: busy + 1 }, (_, index) => shopOf(chance, index, index === place))
}

/** The same shops, where there is more than one PSP: some send their charges by rules. */
export const routedOver = (
  chance: Chance,
  shops: ReadonlyArray<ProgramShop>
): ReadonlyArray<ProgramShop> =>
  shops.map((shop) => {
    const routes = some(chance, 0.5, () => chance.pick(["standIn", "shares"] as const))
    return { ...shop, ...present({ routes }) }
  })
