import { startPostgres } from "@pagora/testkit/postgres"
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Comparison, Series } from "./Comparison.ts"
import { asJson, printed } from "./Comparison.ts"
import { canPin, cores, pinThisProcess } from "./Cores.ts"
import { expiries } from "./Expiries.ts"
import type { Job, Measured } from "./Load.ts"
import { measure, openArrivals, runOf, warmUpShare } from "./Load.ts"
import { newCharges } from "./Requests.ts"
import type { Server, Way } from "./Servers.ts"
import { startServer, wayNames } from "./Servers.ts"

const counting = { shared_preload_libraries: "pg_stat_statements" }

/** What is compared, how often, and where it is written. */
export interface CompareOptions {
  readonly rounds: number
  /** Of the calls of a whole run. */
  readonly share: number
  readonly settings: Readonly<Record<string, string>>
  readonly ways: ReadonlyArray<Way>
  readonly jobs: ReadonlyArray<Job>
  readonly isExpiring: boolean
  readonly expiring: { readonly count: number; readonly besideSeconds: number }
  readonly jsonFile: string | undefined
  readonly profileFolder: string | undefined
}

/**
 * Pagora side by side with a plain service that does the same jobs. Servers take turns job by job, each with a database
 * of its own in one cluster, and stand still while it is not theirs; the first of a turn is another one in each round.
 */
export const compare = Effect.fnUntraced(function* (options: CompareOptions) {
  const { jobs, jsonFile, profileFolder, rounds, settings, share, ways } = options
  const isPinned = canPin()
  // Before the database starts, which stays on the core where it was started.
  if (isPinned) pinThisProcess(cores.load)
  const postgres = yield* Effect.acquireRelease(
    Effect.promise(() => startPostgres({ settings: { ...settings, ...counting } })),
    (running) => Effect.promise(() => running.stop())
  )
  const servers: Array<Server> = []
  for (const way of ways) {
    const server = yield* startServer(way, postgres.url, isPinned)
    yield* server.process.awake(Effect.void)
    servers.push(server)
  }

  const series = new Map<string, Series & { readonly runs: Array<Measured> }>()
  const keep = (job: Job, { way }: Server, run: Measured) => {
    const key = [job.key, run.arrival, way].join()
    const one = series.get(key) ?? { job: job.name, arrival: run.arrival, way, runs: [] }
    series.set(key, one)
    one.runs.push(run)
  }
  for (const server of servers)
    yield* server.process.awake(
      Effect.forEach(jobs, (job) => warmUp(job, server, share), { discard: true })
    )
  for (let round = 0; round < rounds; round++) {
    const turn = [
      ...servers.slice(round % servers.length),
      ...servers.slice(0, round % servers.length)
    ]
    for (const job of jobs)
      for (const server of turn) {
        const runs = yield* server.process.awake(measure(job, server, share))
        for (const run of runs) keep(job, server, run)
        yield* Console.error(progress(job, server, runs))
      }
    for (const { audit, process } of servers) yield* process.awake(audit)
    yield* Console.error(`round ${round + 1} of ${rounds} done`)
  }

  const ours = options.isExpiring ? servers.find(({ way }) => way !== "plain") : undefined
  const expired =
    ours === undefined
      ? undefined
      : yield* expiries(ours, newCharges, { ...options.expiring, share })

  const comparison: Comparison = {
    isPinned,
    rounds,
    series: jobs.flatMap(({ name }) =>
      ["closed", ...openArrivals].flatMap((arrival) =>
        [...series.values()].filter((one) => one.job === name && one.arrival === arrival)
      )
    ),
    expired
  }
  yield* Console.log(printed(comparison))
  if (profileFolder !== undefined) yield* profiles(servers, jobs, { folder: profileFolder, share })
  if (jsonFile !== undefined) writeFileSync(jsonFile, `${asJson(comparison)}\n`)
})

const warmUp = (job: Job, server: Server, share: number) =>
  runOf(job, server, {
    arrival: "closed",
    count: Math.ceil(job.count * share * warmUpShare),
    perSecond: Number.NaN
  })

/** Each job once more by each way, under a profiler: what that comes to is not measured. */
const profiles = Effect.fnUntraced(function* (
  servers: ReadonlyArray<Server>,
  jobs: ReadonlyArray<Job>,
  { folder, share }: { readonly folder: string; readonly share: number }
) {
  mkdirSync(folder, { recursive: true })
  for (const server of servers)
    for (const job of jobs) {
      const run = runOf(job, server, {
        arrival: "closed",
        count: Math.ceil(job.count * share),
        perSecond: Number.NaN,
        profile: join(folder, `${job.key}-${server.way}.cpuprofile`)
      })
      yield* server.process.awake(run)
    }
  yield* Console.error(`profiles are in ${folder}`)
})

const progress = ({ name }: Job, { way }: Server, runs: ReadonlyArray<Measured>): string =>
  `${name}, ${wayNames[way]}: ${runs.map(({ perSecond }) => perSecond.toFixed(0)).join(", ")}/s`
