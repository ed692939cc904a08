import { startPostgres } from "@pagora/testkit/postgres"
import { Console, Effect, References } from "effect"
import { resolve } from "node:path"
import { commitsAgainst, frontAgainst, processesAgainst } from "./Against.ts"
import { commits } from "./Commits.ts"
import { chosen } from "./compare/Chosen.ts"
import { compare } from "./compare/Compare.ts"
import { disk } from "./Disk.ts"
import { events } from "./Events.ts"
import { front } from "./Front.ts"
import { growth } from "./growth/Growth.ts"
import { http } from "./Http.ts"
import { partAgainst } from "./PartAgainst.ts"
import { processes } from "./processes/Processes.ts"
import { webhooks } from "./Webhooks.ts"

const parts = [
  "commits",
  "events",
  "disk",
  "webhooks",
  "http",
  "front",
  "processes",
  "compare"
] as const
type Part = (typeof parts)[number]
/** These bring what they need themselves. */
const alone: ReadonlySet<Part> = new Set(["front", "compare"])

const argv = process.argv.slice(2)
const quick = argv.includes("--quick")
const after = (flag: string): string | undefined =>
  argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : undefined
const against = after("--against")
const only = after("--only")
const rounds = after("--rounds")
if (rounds !== undefined && !/^[1-9]\d*$/.test(rounds))
  throw new Error(`--rounds takes a whole number from 1, and not ${rounds}.`)
const roundsOf = (usual: number): number => (rounds === undefined ? usual : Number(rounds))
const profileFolder = after("--profile")
const choice = chosen({ jobs: after("--jobs"), ways: after("--ways") })
const isAsked = (part: Part): boolean => !argv.includes("--only") || only === part

// Large enough that nothing is measured but the writes themselves; fsync and synchronous_commit stay on.
const settings = { shared_buffers: "1GB", max_wal_size: "4GB", checkpoint_timeout: "30min" }

const database = Effect.acquireRelease(
  Effect.promise(() => startPostgres({ settings })),
  (running) => Effect.promise(() => running.stop())
)

/** What is asked for, of this checkout and another one in turns. */
const againstOther = Effect.fnUntraced(function* (other: string) {
  switch (only) {
    case undefined:
      return yield* commitsAgainst((yield* database).url, other, roundsOf(quick ? 2 : 12))
    case "front":
      return yield* frontAgainst(other, roundsOf(40))
    case "processes":
      return yield* processesAgainst((yield* database).url, other, roundsOf(10))
    default: {
      const asked = ["--jobs", "--ways"].flatMap((flag) => {
        const value = after(flag)
        return value === undefined ? [] : [flag, value]
      })
      return yield* partAgainst(only, other, { asked, rounds: roundsOf(5) })
    }
  }
})

/** The parts that share a PostgreSQL. */
const inOneDatabase = Effect.gen(function* () {
  const postgres = yield* database
  if (isAsked("commits")) yield* commits(postgres.url, quick ? 1 : 3)
  if (isAsked("events")) yield* events(postgres.url, quick ? 1 : 5)
  if (isAsked("disk")) yield* disk(postgres.url, quick ? 5_000 : 20_000)
  if (isAsked("webhooks")) yield* webhooks(postgres.url, quick ? 1 : 5)
  if (isAsked("processes")) yield* processes(postgres.url, quick ? 1 : 3)
  if (isAsked("http")) yield* http(postgres.url, quick ? 1 : 3)
})

const program = Effect.gen(function* () {
  // Only when it is asked for: it takes long, and much room.
  if (only === "growth")
    return yield* Effect.promise((signal) =>
      growth({
        operations: Number(after("--operations") ?? (quick ? 100_000 : 1_000_000)),
        settings,
        jsonFile: after("--json"),
        signal
      })
    )
  if (against !== undefined) return yield* Effect.scoped(againstOther(resolve(against)))
  yield* Console.log(
    "PostgreSQL 18 from npm, fsync on. Ratios are medians of interleaved rounds (min..max).\n"
  )
  if (isAsked("front")) yield* Effect.scoped(front(quick ? 1 : 5))
  if (parts.some((part) => !alone.has(part) && isAsked(part))) yield* Effect.scoped(inOneDatabase)
  // Last, and with a PostgreSQL of its own: it keeps this process to one core.
  if (isAsked("compare"))
    yield* Effect.scoped(
      compare({
        ...choice,
        rounds: quick ? 1 : 3,
        share: quick ? 0.25 : 1,
        expiring: quick
          ? { count: 10_000, besideSeconds: 5 }
          : { count: 100_000, besideSeconds: 20 },
        settings,
        jsonFile: after("--json"),
        profileFolder: profileFolder === undefined ? undefined : resolve(profileFolder)
      })
    )
})

// Whoever is told to end takes along what it has started.
const ending = new AbortController()
for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15]
] as const)
  process.once(signal, () => {
    process.exitCode = 128 + number
    ending.abort()
  })

await Effect.runPromise(program.pipe(Effect.provideService(References.MinimumLogLevel, "Error")), {
  signal: ending.signal
}).catch((error: unknown) => {
  if (!ending.signal.aborted) throw error
})
