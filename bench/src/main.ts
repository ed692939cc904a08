import { startPostgres } from "@pagora/testkit/postgres"
import { Console, Effect, References } from "effect"
import { commits } from "./Commits.ts"
import { disk } from "./Disk.ts"
import { events } from "./Events.ts"
import { http } from "./Http.ts"
import { webhooks } from "./Webhooks.ts"

const parts = ["commits", "events", "disk", "http", "webhooks"] as const

const argv = process.argv.slice(2)
const quick = argv.includes("--quick")
const only = argv[argv.indexOf("--only") + 1]
const isAsked = (part: (typeof parts)[number]): boolean => !argv.includes("--only") || only === part

// Large enough that nothing is measured but the writes themselves; fsync and synchronous_commit stay on.
const settings = { shared_buffers: "1GB", max_wal_size: "4GB", checkpoint_timeout: "30min" }

const program = Effect.gen(function* () {
  const postgres = yield* Effect.acquireRelease(
    Effect.promise(() => startPostgres({ settings })),
    (running) => Effect.promise(() => running.stop())
  )
  yield* Console.log(
    "PostgreSQL 18 from npm, fsync on. Ratios are medians of interleaved rounds (min..max).\n"
  )
  if (isAsked("commits")) yield* commits(postgres.url, quick ? 1 : 3)
  if (isAsked("events")) yield* events(postgres.url, quick ? 1 : 5)
  if (isAsked("disk")) yield* disk(postgres.url, quick ? 5_000 : 20_000)
  if (isAsked("webhooks")) yield* webhooks(postgres.url, quick ? 1 : 5)
  if (isAsked("http")) yield* http(postgres.url, quick ? 1 : 3)
})

await Effect.runPromise(
  Effect.scoped(program).pipe(Effect.provideService(References.MinimumLogLevel, "Error"))
)
