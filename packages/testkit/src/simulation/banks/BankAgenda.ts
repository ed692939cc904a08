import type { Chance } from "../../fuzz/Chance.ts"
import type { World } from "../World.ts"

/** What is still to happen at a bank. */
export interface BankAgenda {
  /** Something happens after so many milliseconds; sooner, once the bank is calm. */
  readonly later: (delay: number, what: string, happen: () => void) => void
  readonly pending: () => ReadonlyArray<string>
  /** From now on everything happens within so many milliseconds. */
  readonly hasten: (within: number) => void
}

interface Item {
  readonly what: string
  readonly happen: () => void
  readonly due: number
}

export const makeAgenda = (world: World, chance: Chance): BankAgenda => {
  const items = new Set<Item>()
  let most = Number.POSITIVE_INFINITY

  // One that was brought forward comes up twice; the first time counts.
  const enter = (item: Item, delay: number): void =>
    world.after(delay, () => {
      if (items.delete(item)) item.happen()
    })

  return {
    later: (delay, what, happen) => {
      const item = { what, happen, due: world.now() + Math.min(delay, most) }
      items.add(item)
      enter(item, Math.min(delay, most))
    },
    pending: () => [...items].map(({ what }) => what),
    hasten: (within) => {
      most = within
      for (const item of items) {
        if (item.due > world.now() + within) enter(item, 1 + chance.below(within))
      }
    }
  }
}

/** So many milliseconds, mostly few: from `least`, up to `most`. */
export const aWhile = (chance: Chance, least: number, most: number): number => {
  if (most <= least) return Math.max(0, most)
  let top = least * 2
  while (top < most && chance.happens(0.8)) top *= 2
  return least + chance.below(Math.min(top, most) - least + 1)
}
