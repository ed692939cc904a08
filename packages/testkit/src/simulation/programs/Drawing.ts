import type { Chance } from "../../fuzz/Chance.ts"
import type { Operation, ProgramShop } from "./Operation.ts"

/** What is drawn of an operation beside its kind. */
export type Place = Pick<Operation, "id" | "after" | "shop" | "wallet" | "process">

/** What chance knows while it draws. */
export interface Drawing {
  readonly chance: Chance
  readonly shops: ReadonlyArray<ProgramShop>
  /** What was drawn so far. */
  readonly drawn: Array<Operation>
}

/** How often a kind is drawn beside the others, and how. */
export interface Draw {
  readonly weight: number
  /** How often in a rush; never, where it says nothing. */
  readonly rushed?: number
  readonly draw: (drawing: Drawing, place: Place) => Operation
}

/**
 * The same, but some much more often than others, and others hardly at all: what meets rarely where everything happens meets
 * often in some worlds.
 */
export const emphasised = (chance: Chance, draws: ReadonlyArray<Draw>): ReadonlyArray<Draw> =>
  chance.happens(0.5)
    ? draws
    : draws.map((one) => ({ ...one, weight: one.weight * chance.pick([1, 4, 4, 4, 16]) }))

/** One of them, the heavier the more often. */
export const drawOf = (chance: Chance, draws: ReadonlyArray<Draw>): Draw => {
  let place = chance.below(draws.reduce((sum, { weight }) => sum + weight, 0))
  for (const draw of draws) {
    place -= draw.weight
    if (place < 0) return draw
  }
  throw new Error("A place beyond all weights was drawn.")
}

/** Large enough that every place of every list comes, whatever its length. */
const nthMax = 1_000_000
export const nth = (chance: Chance): number => chance.below(nthMax)

/** Mostly a key of its own; now and then the key of another operation, or none. */
export const keyed = ({ chance, drawn }: Drawing, { id }: Place): { readonly key?: number } => {
  if (chance.happens(0.2)) return {}
  const other = drawn.length > 0 && chance.happens(0.04) ? chance.pick(drawn).id : id
  return { key: other }
}
