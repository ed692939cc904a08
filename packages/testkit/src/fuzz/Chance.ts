/** Chance that comes out alike for the same seed. */
export interface Chance {
  /** A whole number from 0, below the bound. */
  readonly below: (bound: number) => number
  readonly happens: (probability: number) => boolean
  readonly pick: <A>(all: ReadonlyArray<A>) => A
}

/** Chance of a seed and a place in it, so that each request can be made again by itself (mulberry32). */
export const chanceOf = (seed: number, place: number): Chance => {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(place + 1, 0xc2b2ae35)) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    happens: (probability) => next() < probability,
    pick: (all) => {
      if (all.length === 0) throw new Error("There is nothing to pick from.")
      return all[below(all.length)] as (typeof all)[number]
    }
  }
}
