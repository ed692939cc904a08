import { completeAudit, StorageDriver } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { Console, Context, Effect, Layer } from "effect"
import { median, spread, table } from "../Measure.ts"
import { here } from "../Sides.ts"
import type { Cell, Round } from "./Doors.ts"
import { cells, openDoors, perRound, runCell } from "./Doors.ts"
import type { Written } from "./Protocol.ts"
import { jobs } from "./Protocol.ts"

/**
 * Settlements, creations and withdrawals through the write doors of one, two and four processes on one database, 64
 * callers in each: whether they lose by fighting, and what a fight costs.
 */
export const processes = Effect.fnUntraced(function* (url: string, rounds: number) {
  const { doors, url: database } = yield* openDoors(here, url, "processes")
  const found = new Map<Cell, Array<Round>>()
  for (let round = 0; round <= rounds; round++) {
    for (const cell of round % 2 === 0 ? cells : sameJobsTurned(cells)) {
      const result = yield* Effect.promise(() => runCell(doors, cell))
      // The first round only warms everything up.
      if (round > 0) found.set(cell, [...(found.get(cell) ?? []), result])
    }
    yield* Console.error(`round ${round} of ${rounds} done`)
  }
  yield* Console.log(`\nOne database, 64 callers a process\n${report(found)}`)
  const driver = Context.get(yield* Layer.build(postgres({ url: database })), StorageDriver)
  const { violations } = yield* completeAudit(driver)
  yield* Console.log(
    violations.length === 0
      ? "Audit after the run: clean."
      : `AUDIT FAILED: ${JSON.stringify(violations.slice(0, 5))}`
  )
})

/** The jobs in their order, because what is settled is withdrawn; the numbers of processes turned around. */
const sameJobsTurned = (all: ReadonlyArray<Cell>): ReadonlyArray<Cell> =>
  jobs.flatMap((job) => all.filter((cell) => cell.job === job).toReversed())

const report = (found: ReadonlyMap<Cell, ReadonlyArray<Round>>): string => {
  const of = (cell: Cell) => found.get(cell) ?? []
  const rows = cells.map((cell) => {
    const rounds = of(cell)
    const alone = cells.find(
      ({ job, processes, wallets }) =>
        job === cell.job && wallets === cell.wallets && processes === 1
    )
    const ratios = rounds.map(
      ({ perSecond }, index) => perSecond / ((alone && of(alone)[index]?.perSecond) ?? Number.NaN)
    )
    const every = rounds.flatMap(({ all }) => all)
    const sum = (value: (written: Written) => number) =>
      every.reduce((total, written) => total + value(written), 0)
    return [
      cell.job,
      cell.wallets === 1 ? "one hot" : `${cell.wallets}`,
      `${cell.processes}`,
      median(rounds.map(({ perSecond }) => perSecond)).toFixed(0),
      cell.processes === 1 ? "" : spread(ratios, 2),
      `${median(rounds.map(({ p50 }) => p50)).toFixed(0)}/${median(rounds.map(({ p99 }) => p99)).toFixed(0)}`,
      ((sum(({ cpuMillis }) => cpuMillis) * 1_000) / (rounds.length * perRound)).toFixed(0),
      (sum(({ unitsAWrite }) => unitsAWrite) / every.length).toFixed(0),
      `${((sum(({ failed }) => failed) * 100) / sum(({ writes }) => writes)).toFixed(0)} (${((sum(({ locked }) => locked) * 100) / sum(({ writes }) => writes)).toFixed(0)})`,
      `${sum(({ contended }) => contended)}`
    ]
  })
  const head = [
    "job",
    "wallets",
    "processes",
    "all/s",
    "to one process",
    "p50/p99 ms",
    "our CPU µs",
    "units a write",
    "% not written (locked)",
    "contended"
  ]
  return table([head, ...rows])
}
