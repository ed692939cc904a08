import type { Plant, PlantedBank } from "./Plant.ts"
import type { Running } from "./Run.ts"
import { run } from "./Run.ts"

const program = "tools/simulate/src/main.ts"

/** One seed after the other, and nothing of one that failed but its violations. */
const manner = ["--jobs", "1", "--stop-at-first", "--no-shrink"]

/** Seeds that one run of the simulator tries. */
export interface Batch {
  readonly first: number
  readonly count: number
  readonly storage: Plant["storage"]
  readonly bank: PlantedBank
}

/** What a run came to. Broken: the simulator itself failed, which says nothing about the service. */
export type Verdict =
  | { readonly _tag: "Clean" }
  /** There was no time for all of its seeds; those that ended were clean. */
  | { readonly _tag: "Late" }
  | { readonly _tag: "Found"; readonly seed: number; readonly violation: string }
  | { readonly _tag: "Broken"; readonly detail: string }

/** Runs the simulator of a copy of the workspace until the first violation of a batch, or to its end. */
export const simulate = async (batch: Batch, running: Running): Promise<Verdict> => {
  const { bank, count, first, storage } = batch
  const world = ["--seed", first, "--count", count, "--storage", storage, "--bank", bank].map(
    String
  )
  const args = ["--conditions=@pagora/source", program, ...world, ...manner]
  const { code, isLate, said } = await run(args, running)
  return isLate ? { _tag: "Late" } : judged(code, said, batch)
}

/** Node.js ends with 1 as well where a program throws: only a seed of the batch that is told is a finding. */
const judged = (code: number | null, said: string, { count, first }: Batch): Verdict => {
  if (code === 0) return { _tag: "Clean" }
  const [, told, violation] = /^seed (\d+): (.*)$/m.exec(said) ?? []
  const seed = Number(told)
  return code === 1 && violation !== undefined && seed >= first && seed < first + count
    ? { _tag: "Found", seed, violation }
    : { _tag: "Broken", detail: `It ended with ${code ?? "a signal"}: ${lastOf(said)}` }
}

/** The line that says most. */
const lastOf = (said: string): string => {
  const lines = said.trim().split("\n")
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? ""
}
