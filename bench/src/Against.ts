import { execute } from "@pagora/testkit/postgres"
import { Console, Effect } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { median, spread, table } from "./Measure.ts"

/** Settlements and creations a second, by what was done. */
type Rates = Readonly<Record<string, number>>

const child = fileURLToPath(new URL("./AgainstChild.ts", import.meta.url))
/** This checkout. */
export const here = fileURLToPath(new URL("../..", import.meta.url))

/** The write door of one checkout in a process of its own, which does a round each time it is asked. */
const start = Effect.fnUntraced(function* (root: string, url: string) {
  const running = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=@pagora/source", child, root, url], {
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    ({ stdin }) => Effect.sync(() => stdin.end())
  )
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]()
  return Effect.promise(async () => {
    running.stdin.write("go\n")
    const { done, value } = await lines.next()
    if (done === true) throw new Error(`The process of ${root} ended.`)
    return JSON.parse(value) as Rates
  })
})

/** They take turns at going first: what one has written is still being flushed while the next one runs. */
export const against = Effect.fnUntraced(function* (url: string, other: string, rounds: number) {
  const startOn = Effect.fnUntraced(function* (name: string, root: string) {
    yield* Effect.promise(() => execute(url, `create database ${name}`))
    const database = new URL(url)
    database.pathname = `/${name}`
    return yield* start(root, database.href)
  })
  const before = yield* startOn("other", other)
  const now = yield* startOn("here", here)
  const pairs: Array<{ readonly before: Rates; readonly now: Rates }> = []
  for (let round = 0; round <= rounds; round++) {
    const pair = yield* round % 2 === 0 ? Effect.all({ before, now }) : Effect.all({ now, before })
    // The first round only warms everything up.
    if (round > 0) pairs.push(pair)
    yield* Console.error(`round ${round} of ${rounds} done`)
  }
  const rows = Object.keys(pairs[0]?.now ?? {}).map((job) => {
    const of = (rates: Rates) => rates[job] ?? Number.NaN
    return [
      job,
      `${median(pairs.map((pair) => of(pair.before))).toFixed(0)}`,
      `${median(pairs.map((pair) => of(pair.now))).toFixed(0)}`,
      spread(
        pairs.map((pair) => of(pair.now) / of(pair.before)),
        2
      )
    ]
  })
  yield* Console.log(table([["64 callers", "other/s", "here/s", "here / other by round"], ...rows]))
})
