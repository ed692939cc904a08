import { startPostgres } from "@pagora/testkit/postgres"
import { Console, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { residentMegabytes } from "../Cpu.ts"
import type { Comparison } from "./Comparison.ts"
import { asJson, printed } from "./Comparison.ts"
import { canPin, cores, pinThisProcess } from "./Cores.ts"
import { jobs } from "./Jobs.ts"
import type { Measured } from "./Load.ts"
import { measure } from "./Load.ts"
import type { Server } from "./Servers.ts"
import { startServer, ways } from "./Servers.ts"

/** Of the calls of a run, so many are enough to warm a server up. */
const warmUpShare = 0.25

/**
 * Pagora side by side with a plain service that does the same jobs. All servers run all the time, each with a database
 * of its own in one cluster, and take turns job by job; the first of a turn is another one in each round.
 */
export const compare = Effect.fnUntraced(function* (options: {
  readonly rounds: number
  readonly settings: Readonly<Record<string, string>>
  readonly jsonFile: string | undefined
}) {
  const { jsonFile, rounds, settings } = options
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
  const runRound = Effect.fnUntraced(function* (first: number, share: number) {
    for (const job of jobs) {
      const turns = series.filter((one) => one.job === job)
      for (const { runs, server } of [...turns.slice(first), ...turns.slice(0, first)])
        runs.push(yield* measure(job, server, share))
    }
  })
  yield* runRound(0, warmUpShare)
  for (const { runs } of series) runs.length = 0
  for (let round = 0; round < rounds; round++) {
    yield* runRound(round % ways.length, 1)
    yield* Console.error(`round ${round + 1} of ${rounds} done`)
  }

  const comparison: Comparison = {
    isPinned,
    rounds,
    series: series.map(({ job, runs, server }) => ({ job: job.name, way: server.way, runs })),
    residentMegabytes: servers.map(({ pid, way }) => ({ way, megabytes: residentMegabytes(pid) }))
  }
  yield* Console.log(printed(comparison))
  if (jsonFile !== undefined) writeFileSync(jsonFile, `${asJson(comparison)}\n`)
})
