import { execute } from "@pagora/testkit/postgres"
import { Effect } from "effect"
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
    yield* Effect.promise(() => execute(url, `create database ${name}`))
    const database = new URL(url)
    database.pathname = `/${name}`
    return yield* childOf(commits, root, database.href)
  })
  const sides = { other: yield* startOn("other", other), here: yield* startOn("here", here) }
  yield* inTurns("commits a second, 64 callers", sides, rounds)
})

/** The HTTP fronts of both checkouts, each in a process of its own: rounds so short that whatever else the machine does meets both. */
export const frontAgainst = Effect.fnUntraced(function* (other: string, rounds: number) {
  const sides = {
    other: yield* childOf(front, other),
    here: yield* childOf(front, here)
  }
  yield* inTurns("front, CPU µs a request, the load's in it", sides, rounds)
})
