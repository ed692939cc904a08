import { cpus } from "node:os"
import { median, spread, table } from "../Measure.ts"
import type { Measured } from "./Load.ts"
import { connections } from "./Load.ts"
import type { Way } from "./Servers.ts"
import { wayNames, ways } from "./Servers.ts"

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
  readonly residentMegabytes: ReadonlyArray<{ readonly way: Way; readonly megabytes: number }>
}

/** The plain service's runs of the same job, round by round. */
const ratiosOf = ({ series }: Comparison, { job, runs }: Series): ReadonlyArray<number> => {
  const plain = series.find((other) => other.job === job && other.way === ways[0])
  return runs.map(
    ({ perSecond }, round) => perSecond / (plain?.runs[round]?.perSecond ?? Number.NaN)
  )
}

export const printed = (comparison: Comparison): string => {
  const head = ["job", "way", "requests/s", "p50/p99 ms", "server CPU µs a request", "to plain"]
  const rows = comparison.series.map((one) => {
    const all = (figure: keyof Measured) => one.runs.map((run) => run[figure])
    return [
      one.way === ways[0] ? one.job : "",
      wayNames[one.way],
      spread(all("perSecond"), 0),
      `${median(all("p50")).toFixed(1)}/${median(all("p99")).toFixed(1)}`,
      spread(all("cpuMicros"), 0),
      one.way === ways[0] ? "" : spread(ratiosOf(comparison, one), 2)
    ]
  })
  const resident = comparison.residentMegabytes
    .map(({ megabytes, way }) => `${wayNames[way]} ${megabytes.toFixed(0)} MB`)
    .join(", ")
  const where = comparison.isPinned
    ? "server on one core, database and load on another"
    : "NOT PINNED (it takes taskset and two cores): server, database and load share the cores"
  return [
    `\nBeside a plain service, ${connections} connections, closed loop; ${where}`,
    table([head, ...rows]),
    `Memory at the end: ${resident}`
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
        const ratios = ratiosOf(comparison, one)
        return { ...one, runs: one.runs.map((run, round) => ({ ...run, toPlain: ratios[round] })) }
      })
    },
    null,
    2
  )
