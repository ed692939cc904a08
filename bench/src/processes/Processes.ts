import { completeAudit, StorageDriver } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { execute } from "@pagora/testkit/postgres"
import { Console, Context, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { median, spread, table } from "../Measure.ts"
import type { Job, Order, Written } from "./Protocol.ts"
import { jobs } from "./Protocol.ts"

const child = fileURLToPath(new URL("./Child.ts", import.meta.url))
const manyWallets = 1_000
const together = [1, 2, 4] as const
/** Of a thing in a round, whatever number of processes shares it. */
const perRound = 4_000

interface Cell {
  readonly job: Job
  readonly wallets: number
  readonly processes: number
}

/** A round of one cell: of all its processes together. */
interface Round {
  readonly perSecond: number
  readonly p50: number
  /** The worst of them. */
  readonly p99: number
  readonly all: ReadonlyArray<Written>
}

const cells: ReadonlyArray<Cell> = jobs.flatMap((job) =>
  [1, manyWallets].flatMap((wallets) => together.map((processes) => ({ job, wallets, processes })))
)

const start = Effect.fnUntraced(function* (url: string, known: ReadonlyArray<string>) {
  const running = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        ["--conditions=@pagora/source", child, url, String(manyWallets), ...known],
        {
          stdio: ["pipe", "pipe", "inherit"]
        }
      )
    ),
    ({ stdin }) => Effect.sync(() => stdin.end())
  )
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]()
  const answer = async <A>(): Promise<A> => {
    const { done, value } = await lines.next()
    if (done === true) throw new Error("A process ended.")
    return JSON.parse(value) as A
  }
  return {
    accounts: yield* Effect.promise(() => answer<ReadonlyArray<string>>()),
    tell: <A>(order: Order): Promise<A> => {
      running.stdin.write(`${JSON.stringify(order)}\n`)
      return answer<A>()
    }
  }
})

type Door = Effect.Success<ReturnType<typeof start>>

/** One makes ready after the other, because each claims what it has put in line; then all write at once. */
const runCell = async (doors: ReadonlyArray<Door>, cell: Cell): Promise<Round> => {
  const count = Math.floor(perRound / cell.processes)
  const { job, wallets } = cell
  const taking = doors.slice(0, cell.processes)
  for (const { tell } of taking) await tell({ do: "prepare", job, count, wallets })
  const begun = performance.now()
  const all = await Promise.all(taking.map(({ tell }) => tell<Written>({ do: "write" })))
  return {
    perSecond: (count * taking.length * 1_000) / (performance.now() - begun),
    p50: median(all.map(({ p50 }) => p50)),
    p99: Math.max(...all.map(({ p99 }) => p99)),
    all
  }
}

/**
 * Settlements, creations and withdrawals through the write doors of one, two and four processes on one database, 64
 * callers in each: whether they lose by fighting, and what a fight costs.
 */
export const processes = Effect.fnUntraced(function* (url: string, rounds: number) {
  const name = "processes"
  yield* Effect.promise(() => execute(url, `create database ${name}`))
  const database = new URL(url)
  database.pathname = `/${name}`
  const first = yield* start(database.href, [])
  const doors = [first]
  while (doors.length < Math.max(...together))
    doors.push(yield* start(database.href, first.accounts))

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
  const driver = Context.get(yield* Layer.build(postgres({ url: database.href })), StorageDriver)
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
