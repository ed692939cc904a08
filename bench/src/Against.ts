import { Effect } from "effect"
import { newDatabase } from "./NewDatabase.ts"
import type { Cell } from "./processes/Doors.ts"
import { cells, openDoors, perRound, runCell } from "./processes/Doors.ts"
import type { Figures } from "./Sides.ts"
import { childOf, here, inTurns } from "./Sides.ts"

const commits = new URL("./CommitsChild.ts", import.meta.url)
const front = new URL("./FrontChild.ts", import.meta.url)

/** The write doors of both checkouts, each in a process of its own with a database of its own. */
export const commitsAgainst = Effect.fnUntraced(function* (
  url: string,
  other: string,
  rounds: number
) {
  const startOn = Effect.fnUntraced(function* (name: string, root: string) {
    const database = yield* Effect.promise(() => newDatabase(url, name))
    return yield* childOf(commits, root, database)
  })
  const sides = { other: yield* startOn("other", other), here: yield* startOn("here", here) }
  yield* inTurns("commits a second, 64 callers", [sides], rounds)
})

/** The HTTP fronts of both checkouts, each in a process of its own: rounds so short that whatever else the machine does meets both. */
export const frontAgainst = Effect.fnUntraced(function* (other: string, rounds: number) {
  const sides = {
    other: yield* childOf(front, other),
    here: yield* childOf(front, here)
  }
  yield* inTurns("front, CPU µs a request, the load's in it", [sides], rounds)
})

/** The write doors of several processes of both checkouts: each cell of the one beside the same of the other. */
export const processesAgainst = Effect.fnUntraced(function* (
  url: string,
  other: string,
  rounds: number
) {
  const there = yield* openDoors(other, url, "other")
  const own = yield* openDoors(here, url, "here")
  const measured = (doors: typeof own.doors, cell: Cell): Effect.Effect<Figures> =>
    Effect.map(
      Effect.promise(() => runCell(doors, cell)),
      ({ all, perSecond }) => {
        const cpuMillis = all.reduce((total, written) => total + written.cpuMillis, 0)
        const wallets = cell.wallets === 1 ? "one hot wallet" : `${cell.wallets} wallets`
        const name = `${cell.job}, ${wallets}, ${cell.processes} at once`
        return new Map([
          [`${name}: all/s`, perSecond],
          [`${name}: our CPU µs`, (cpuMillis * 1_000) / perRound]
        ])
      }
    )
  const sides = cells.map((cell) => ({
    other: measured(there.doors, cell),
    here: measured(own.doors, cell)
  }))
  // The first round only warms everything up.
  for (const { here, other } of sides) yield* Effect.all([other, here])
  yield* inTurns("processes, 64 callers in each", sides, rounds)
})
