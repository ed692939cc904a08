import { cpus } from "node:os"
import { median, spread, table } from "../Measure.ts"
import type { Measured } from "./Load.ts"
import { connections } from "./Load.ts"
import type { Way } from "./Servers.ts"
import { wayNames } from "./Servers.ts"

/** All rounds of one job by one way. */
interface Series {
  readonly job: string
  readonly way: Way
  readonly runs: ReadonlyArray<Measured>
}

/** Everything that a comparison came to. */
export interface Comparison {
  readonly isPinned: boolean
  readonly rounds: number
  readonly series: ReadonlyArray<Series>
}

/** A figure divided by the plain service's of the same job, round by round; nothing where that was not measured. */
const ratiosOf = (
  { series }: Comparison,
  { job, runs, way }: Series,
  figure: "perSecond" | "p99"
): ReadonlyArray<number> => {
  const plain = series.find((other) => other.job === job && other.way === "plain")
  if (plain === undefined || way === "plain") return []
  return runs.map((run, round) => run[figure] / (plain.runs[round]?.[figure] ?? Number.NaN))
}

/** `median (min..max)`, or a dash where there is no such figure. */
const told = (values: ReadonlyArray<number>, digits: number): string =>
  values.length === 0 || values.some(Number.isNaN) ? "–" : spread(values, digits)

/** The same without the spread. */
const middle = (values: ReadonlyArray<number>, digits: number): string =>
  values.some(Number.isNaN) ? "–" : median(values).toFixed(digits)

export const printed = (comparison: Comparison): string => {
  const head = ["job", "way", "/s", "to plain", "p50/p99 ms", "p99 to plain", "CPU µs", "MB"]
  const rows = comparison.series.map((one, index) => {
    const all = (figure: keyof Measured) => one.runs.map((run) => run[figure])
    return [
      one.job === comparison.series[index - 1]?.job ? "" : one.job,
      wayNames[one.way],
      told(all("perSecond"), 0),
      told(ratiosOf(comparison, one, "perSecond"), 2),
      `${middle(all("p50"), 1)}/${middle(all("p99"), 1)}`,
      told(ratiosOf(comparison, one, "p99"), 2),
      told(all("cpuMicros"), 0),
      middle(all("residentMegabytes"), 0)
    ]
  })
  const where = comparison.isPinned
    ? "server on one core, database and load on another"
    : "NOT PINNED (it takes taskset and two cores): server, database and load share the cores"
  return [
    `\nBeside a plain service, ${connections} connections, closed loop; ${where}`,
    table([head, ...rows])
  ].join("\n")
}

/** The same for programs, with every run. */
export const asJson = (comparison: Comparison): string =>
  JSON.stringify(
    {
      at: new Date().toISOString(),
      node: process.version,
      cpu: cpus()[0]?.model,
      cores: cpus().length,
      connections,
      ...comparison,
      series: comparison.series.map((one) => {
        const ratios = ratiosOf(comparison, one, "perSecond")
        const p99s = ratiosOf(comparison, one, "p99")
        return {
          ...one,
          runs: one.runs.map((run, round) => ({
            ...run,
            toPlain: ratios[round],
            p99ToPlain: p99s[round]
          }))
        }
      })
    },
    null,
    2
  )
