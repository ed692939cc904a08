import type { Plant } from "./Plant.ts"
import { plantIn } from "./Plant.ts"
import type { Running } from "./Run.ts"
import type { Verdict } from "./Simulation.ts"
import { simulate } from "./Simulation.ts"

/** Most bugs show at once; each run after that tries twice as many seeds, so that few runs are begun. */
const firstBatch = 10

export interface Bounds {
  readonly firstSeed: number
  /** How many seeds a bug may take. */
  readonly seeds: number
  /** How long they may take together. */
  readonly withinMillis: number
}

/** What became of a bug: the seeds that were tried, the one that found it included. */
export interface Hunted {
  readonly plant: Plant
  readonly verdict: Verdict
  readonly seeds: number
  readonly millis: number
}

/** What a seed that found something says of the bug, by what the same seed comes to without it. */
const byItself = (found: Verdict, alone: Verdict): Verdict => {
  if (alone._tag === "Clean") return found
  return alone._tag === "Found"
    ? {
        _tag: "Broken",
        detail: `Without it seed ${alone.seed} fails as well: ${alone.violation}`
      }
    : alone
}

/** Plants a bug in a copy, tries seeds until one finds it, and takes it out again: without it that seed has to be clean. */
export const hunt = async (
  plant: Plant,
  { firstSeed, seeds, withinMillis }: Bounds,
  { folder, signal }: Pick<Running, "folder" | "signal">
): Promise<Hunted> => {
  const begun = performance.now()
  const ended = (verdict: Verdict, tried: number): Hunted => ({
    plant,
    verdict,
    seeds: tried,
    millis: performance.now() - begun
  })
  let takeOut = () => {}
  let tried = 0
  try {
    takeOut = plantIn(folder, plant)
    for (let size = firstBatch; tried < seeds; size *= 2) {
      const count = Math.min(size, seeds - tried)
      const { bank = "port", storage } = plant
      const batch = { first: firstSeed + tried, count, storage, bank }
      const left = withinMillis - (performance.now() - begun)
      const verdict = await simulate(batch, { folder, signal, withinMillis: Math.max(1, left) })
      if (verdict._tag === "Late") return ended(verdict, tried)
      tried = verdict._tag === "Found" ? verdict.seed - firstSeed + 1 : tried + count
      if (verdict._tag === "Found") {
        takeOut()
        const alone = { first: verdict.seed, count: 1, storage, bank }
        return ended(
          byItself(verdict, await simulate(alone, { folder, signal, withinMillis })),
          tried
        )
      }
      if (verdict._tag !== "Clean") return ended(verdict, tried)
    }
    return ended({ _tag: "Clean" }, tried)
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return ended({ _tag: "Broken", detail }, tried)
  } finally {
    takeOut()
  }
}
