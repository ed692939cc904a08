import { cpus } from "node:os"
import { median, spread, table } from "../Measure.ts"
import type { Expired } from "./Expiries.ts"
import { printedExpiries } from "./Expiries.ts"
import type { Arrival, Measured } from "./Load.ts"
import { connections, openArrivals } from "./Load.ts"
import type { Way } from "./Servers.ts"
import { wayNames } from "./Servers.ts"

/** All rounds of one job by one way, whose calls arrived so. */
export interface Series {
  readonly job: string
  readonly arrival: Arrival
  readonly way: Way
  readonly runs: ReadonlyArray<Measured>
}

/** Everything that a comparison came to. */
export interface Comparison {
  readonly isPinned: boolean
  readonly rounds: number
  readonly series: ReadonlyArray<Series>
  readonly expired: Expired | undefined
}

/** A figure divided by the plain service's of the same job, round by round; nothing where that was not measured. */
const ratiosOf = (
  { series }: Comparison,
  { arrival, job, runs, way }: Series,
  figure: "perSecond" | "p99"
): ReadonlyArray<number> => {
  const plain = series.find(
    (other) => other.job === job && other.arrival === arrival && other.way === "plain"
  )
  if (plain === undefined || way === "plain") return []
  return runs.map((run, round) => run[figure] / (plain.runs[round]?.[figure] ?? Number.NaN))
}

/** `median (min..max)`, or a dash where there is no such figure. */
const told = (values: ReadonlyArray<number>, digits: number): string =>
  values.length === 0 || values.some(Number.isNaN) ? "–" : spread(values, digits)

/** The same without the spread. */
const middle = (values: ReadonlyArray<number>, digits: number): string =>
  values.some(Number.isNaN) ? "–" : median(values).toFixed(digits)

const closedTable = (comparison: Comparison): string | undefined => {
  if (comparison.series.length === 0) return undefined
  const head = ["job", "way", "/s", "to plain", "p50/p99 ms", "p99 to plain"]
  const behind = ["CPU µs", "queries", "loop p99 ms", "MB"]
  const rows = comparison.series
    .filter(({ arrival }) => arrival === "closed")
    .map((one) => {
      const all = (figure: Figure) => one.runs.map((run) => run[figure])
      return [
        one.job,
        wayNames[one.way],
        told(all("perSecond"), 0),
        told(ratiosOf(comparison, one, "perSecond"), 2),
        times(one),
        told(ratiosOf(comparison, one, "p99"), 2),
        told(all("cpuMicros"), 0),
        middle(all("statements"), 2),
        middle(all("loopP99"), 1),
        middle(all("residentMegabytes"), 0)
      ]
    })
  return `\nIn a closed loop over ${connections} connections\n${table([[...head, ...behind], ...once(rows)])}`
}

/** Calls that come by a clock, at shares of each way's own rate. */
const openTable = (comparison: Comparison): string | undefined => {
  const open = comparison.series.filter(({ arrival }) => arrival === openArrivals[0])
  if (open.length === 0) return undefined
  const percent = openArrivals.map((share) => `at ${share * 100} %`)
  const head = [
    "job",
    "way",
    ...percent.flatMap((at) => [`${at}: /s`, "p50/p99 ms", "p99 to plain"])
  ]
  const rows = open.map(({ job, way }) => [
    job,
    wayNames[way],
    ...comparison.series
      .filter((one) => one.job === job && one.way === way && one.arrival !== "closed")
      .flatMap((one) => [
        middle(
          one.runs.map(({ perSecond }) => perSecond),
          0
        ),
        times(one),
        told(ratiosOf(comparison, one, "p99"), 2)
      ])
  ])
  return `\nBy a clock, at shares of each way's own rate\n${table([head, ...once(rows)])}`
}

type Figure = Exclude<keyof Measured, "arrival">

const times = ({ runs }: Series): string =>
  (["p50", "p99"] as const)
    .map((figure) =>
      middle(
        runs.map((run) => run[figure]),
        1
      )
    )
    .join("/")

/** Each job is named in its first line only. */
const once = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.map(([job = "", ...rest], index) => [rows[index - 1]?.[0] === job ? "" : job, ...rest])

export const printed = (comparison: Comparison): string => {
  const where = comparison.isPinned
    ? "server on one core, database and load on another"
    : "NOT PINNED (it takes taskset and two cores): server, database and load share the cores"
  return [
    `\nBeside a plain service; ${where}`,
    closedTable(comparison),
    openTable(comparison),
    comparison.expired === undefined ? undefined : printedExpiries(comparison.expired)
  ]
    .filter((part) => part !== undefined)
    .join("\n")
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
