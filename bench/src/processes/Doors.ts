import { Effect } from "effect"
import { spawn } from "node:child_process"
import { join, relative } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { median } from "../Measure.ts"
import { newDatabase } from "../NewDatabase.ts"
import { here, sourceOf } from "../Sides.ts"
import type { Job, Order, Written } from "./Protocol.ts"
import { jobs } from "./Protocol.ts"

const manyWallets = 1_000
const together = [1, 2, 4] as const
/** Of a thing in a round, whatever number of processes shares it. */
export const perRound = 4_000

export interface Cell {
  readonly job: Job
  readonly wallets: number
  readonly processes: number
}

/** A round of one cell: of all its processes together. */
export interface Round {
  readonly perSecond: number
  readonly p50: number
  /** The worst of them. */
  readonly p99: number
  readonly all: ReadonlyArray<Written>
}

export const cells: ReadonlyArray<Cell> = jobs.flatMap((job) =>
  [1, manyWallets].flatMap((wallets) => together.map((processes) => ({ job, wallets, processes })))
)

const start = Effect.fnUntraced(function* (
  root: string,
  url: string,
  known: ReadonlyArray<string>
) {
  const child = join(root, relative(here, fileURLToPath(new URL("./Child.ts", import.meta.url))))
  const running = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        [`--conditions=${sourceOf(root)}`, child, url, String(manyWallets), ...known],
        { cwd: root, stdio: ["pipe", "pipe", "inherit"] }
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

/** So many processes of a checkout as the widest cell takes, on a database of their own. */
export const openDoors = Effect.fnUntraced(function* (root: string, server: string, name: string) {
  const url = yield* Effect.promise(() => newDatabase(server, name))
  const first = yield* start(root, url, [])
  const doors = [first]
  while (doors.length < Math.max(...together)) doors.push(yield* start(root, url, first.accounts))
  return { doors, url }
})

/** One makes ready after the other, because each claims what it has put in line; then all write at once. */
export const runCell = async (doors: ReadonlyArray<Door>, cell: Cell): Promise<Round> => {
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
