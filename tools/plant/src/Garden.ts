import { rmSync } from "node:fs"
import { copyWorkspace } from "./Copy.ts"
import type { Bounds, Hunted } from "./Hunt.ts"
import { hunt } from "./Hunt.ts"
import type { Plant } from "./Plant.ts"
import type { Batch, Verdict } from "./Simulation.ts"
import { simulate } from "./Simulation.ts"

/** How many seeds have to be clean before anything is planted. */
const cleanSeeds = 5

export interface Garden {
  /** The workspace whose sources are copied. */
  readonly root: string
  readonly plants: ReadonlyArray<Plant>
  readonly bounds: Bounds
  /** Copies in which bugs are looked for at once. */
  readonly jobs: number
  readonly signal: AbortSignal
  readonly onHunted: (hunted: Hunted) => void
}

/** The simulator does not pass on the sources as they are, so that what it says of a bug means nothing. */
export class NotClean extends Error {}

/** Hunts each bug in a copy of its own, and removes all copies however it ends. */
export const tend = async (garden: Garden): Promise<ReadonlyArray<Hunted>> => {
  const { bounds, jobs, onHunted, plants, root, signal } = garden
  const folders: Array<string> = []
  const waiting = [...plants]
  const hunted: Array<Hunted> = []
  const work = async (folder: string): Promise<void> => {
    for (let plant = waiting.shift(); plant !== undefined; plant = waiting.shift()) {
      const one = await hunt(plant, bounds, { folder, signal })
      if (signal.aborted) return
      hunted.push(one)
      onHunted(one)
    }
  }
  try {
    for (let job = 0; job < Math.min(jobs, plants.length); job++) folders.push(copyWorkspace(root))
    const [first] = folders
    if (first !== undefined) await lookAtClean(first, garden)
    await Promise.all(folders.map(work))
    return hunted
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

const lookAtClean = async (folder: string, { bounds, plants, signal }: Garden): Promise<void> => {
  const worlds = new Map<string, Pick<Batch, "bank" | "storage">>(
    plants.map(({ bank = "port", storage }) => [`${storage} ${bank}`, { bank, storage }])
  )
  for (const { bank, storage } of worlds.values()) {
    const batch = { first: bounds.firstSeed, count: cleanSeeds, storage, bank }
    const verdict = await simulate(batch, { folder, signal, withinMillis: bounds.withinMillis })
    if (verdict._tag === "Clean" || signal.aborted) continue
    const place = bank === "port" ? storage : `${storage} at ${bank}`
    throw new NotClean(
      `Nothing is planted yet, and the simulator fails over ${place}. ${whyOf(verdict)}`
    )
  }
}

const whyOf = (verdict: Exclude<Verdict, { readonly _tag: "Clean" }>): string => {
  switch (verdict._tag) {
    case "Found":
      return `seed ${verdict.seed}: ${verdict.violation}`
    case "Late":
      return "There was no time for it."
    case "Broken":
      return verdict.detail
  }
}
