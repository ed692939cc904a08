import { startPostgres } from "@pagora/testkit/postgres"
import { Console, Effect } from "effect"
import { writeFileSync } from "node:fs"
import type { Comparison } from "./Comparison.ts"
import { asJson, printed } from "./Comparison.ts"
import { canPin, cores, pinThisProcess } from "./Cores.ts"
import type { Job, Measured } from "./Load.ts"
import { measure } from "./Load.ts"
import type { Server, Way } from "./Servers.ts"
import { startServer, wayNames } from "./Servers.ts"

/** Of the calls of a run, so many are enough to warm a server up. */
const warmUpShare = 0.25

/** What is compared, how often, and where it is written. */
export interface CompareOptions {
  readonly rounds: number
  /** Of the calls of a whole run. */
  readonly share: number
  readonly settings: Readonly<Record<string, string>>
  readonly ways: ReadonlyArray<Way>
  readonly jobs: ReadonlyArray<Job>
  readonly jsonFile: string | undefined
}

/**
 * Pagora side by side with a plain service that does the same jobs. All servers run all the time, each with a database
 * of its own in one cluster, and take turns job by job; the first of a turn is another one in each round.
 */
export const compare = Effect.fnUntraced(function* (options: CompareOptions) {
  const { jobs, jsonFile, rounds, settings, share, ways } = options
  const isPinned = canPin()
  // Before the database starts, which stays on the core where it was started.
  if (isPinned) pinThisProcess(cores.load)
  const postgres = yield* Effect.acquireRelease(
    Effect.promise(() => startPostgres({ settings })),
    (running) => Effect.promise(() => running.stop())
  )
  const servers: Array<Server> = []
  for (const way of ways) servers.push(yield* startServer(way, postgres.url, isPinned))

  const series = jobs.flatMap((job) =>
    servers.map((server) => ({ job, server, runs: new Array<Measured>() }))
  )
  const runRound = Effect.fnUntraced(function* (first: number, part: number) {
    for (const job of jobs) {
      const turns = series.filter((one) => one.job === job)
      for (const { runs, server } of [...turns.slice(first), ...turns.slice(0, first)]) {
        const run = yield* measure(job, server, part)
        runs.push(run)
        yield* Console.error(`${job.name}, ${wayNames[server.way]}: ${run.perSecond.toFixed(0)}/s`)
      }
    }
    for (const { audit } of servers) yield* audit
  })
  yield* runRound(0, share * warmUpShare)
  for (const { runs } of series) runs.length = 0
  for (let round = 0; round < rounds; round++) {
    yield* runRound(round % ways.length, share)
    yield* Console.error(`round ${round + 1} of ${rounds} done`)
  }

  const comparison: Comparison = {
    isPinned,
    rounds,
    series: series.map(({ job, runs, server }) => ({ job: job.name, way: server.way, runs }))
  }
  yield* Console.log(printed(comparison))
  if (jsonFile !== undefined) writeFileSync(jsonFile, `${asJson(comparison)}\n`)
})
