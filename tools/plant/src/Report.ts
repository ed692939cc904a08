import type { Hunted } from "./Hunt.ts"
import type { Guard } from "./Plant.ts"
import type { Watched } from "./Watch.ts"

/** A sentence is cut where a terminal would break it. */
const sentenceMax = 110

const cut = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > sentenceMax ? `${line.slice(0, sentenceMax - 1)}…` : line
}

const outcomeOf = ({ seeds, verdict }: Hunted): string => {
  switch (verdict._tag) {
    case "Found":
      return verdict.violation
    case "Clean":
      return `SURVIVED ${seeds} seeds`
    case "Late":
      return `NOT FOUND in ${seeds} seeds, and no time for more`
    case "Broken":
      return `BROKEN ${verdict.detail}`
  }
}

/** One line about one bug. */
export const lineOf = (hunted: Hunted): string => {
  const { millis, plant, seeds, verdict } = hunted
  const took = `${(millis / 1_000).toFixed(1)} s`.padStart(8)
  const tried = verdict._tag === "Broken" ? "?" : String(seeds)
  const name = plant.name.padEnd(36)
  return `${name} ${(plant.bank ?? plant.storage).padEnd(6)} ${tried.padStart(5)} ${took}  ${cut(outcomeOf(hunted))}`
}

const medianOf = (numbers: ReadonlyArray<number>): number | undefined => {
  const sorted = numbers.toSorted((one, other) => one - other)
  const half = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}

const isFound = ({ verdict }: Hunted): boolean => verdict._tag === "Found"

/** Everything about a run: the bugs in the order of the seeds that they took, and those that nobody can see. */
export const reportOf = (
  hunted: ReadonlyArray<Hunted>,
  guards: ReadonlyArray<Guard>
): ReadonlyArray<string> => {
  const found = hunted.filter(isFound).toSorted((one, other) => one.seeds - other.seeds)
  const rest = hunted.filter((one) => !isFound(one))
  const median = medianOf(found.map(({ seeds }) => seeds))
  return [
    `${"bug".padEnd(36)} ${"over".padEnd(6)} seeds     took  first violation`,
    ...[...found, ...rest].map(lineOf),
    "",
    "Not seen from outside, and guarded by a test:",
    ...guards.map(
      ({ file, item, title, what }) =>
        `${item === undefined ? "    " : `${item}.`.padEnd(4)}${what}: ${file} › "${title}"`
    ),
    "",
    `Median: ${median ?? "none"} seeds.`,
    `${found.length} of ${hunted.length} found`
  ]
}

/** One line about one guard. */
export const watchedLineOf = ({ detail, guard, verdict }: Watched): string =>
  `${verdict.toUpperCase().padEnd(6)}  ${cut(guard.what)}\n                 ${cut(detail)}`

/** What of the guards did not see their fault, and the sum. */
export const watchedReportOf = (watched: ReadonlyArray<Watched>): ReadonlyArray<string> => {
  const rest = watched.filter(({ verdict }) => verdict !== "Caught")
  return [
    ...rest.map(watchedLineOf),
    `${watched.length - rest.length} of ${watched.length} caught by their tests`
  ]
}
