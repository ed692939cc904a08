import { PgClient } from "@effect/sql-pg"
import { completeAudit, MergedUnit, Storage, StorageDriver, WriteId } from "@pagora/core"
import type { Unit } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { Console, Context, DateTime, Duration, Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { randomUUID } from "node:crypto"
import { makeBare } from "./Bare.ts"
import { makeInteractive } from "./Interactive.ts"
import type { Run } from "./Measure.ts"
import { drive, median, spread, table } from "./Measure.ts"
import type { Paid } from "./World.ts"
import { inboxLease, makeWorld } from "./World.ts"

type Job = "create" | "settle"
type Way = "group commit" | "one by one" | "interactive"

interface Cell {
  readonly job: Job
  readonly wallets: number
  readonly callers: number
}

const ways: ReadonlyArray<Way> = ["group commit", "one by one", "interactive"]
const manyWallets = 1_000
const cells: ReadonlyArray<Cell> = (["create", "settle"] as const).flatMap((job) =>
  [1, manyWallets].flatMap((wallets) => [1, 8, 64].map((callers) => ({ job, wallets, callers })))
)

/** How many of a thing one run does: enough for about a second. */
const countOf = (way: Way, callers: number): number => {
  if (callers === 1) return 600
  if (way === "group commit") return callers === 8 ? 4_000 : 8_000
  return callers === 8 ? 1_500 : 2_000
}
const bareBatch = 50
const bareCount = 8_000

/** Everything that writes to one database. */
export const setUp = Effect.fnUntraced(function* (url: string) {
  const layer = postgres({ url })
  const driver = Context.get(yield* Layer.build(layer), StorageDriver)
  const doorOver = (groupMax?: number) =>
    Layer.build(
      Storage.layer(groupMax === undefined ? {} : { groupMax }).pipe(
        Layer.provide(Layer.succeed(StorageDriver, driver))
      )
    ).pipe(Effect.map((context) => Context.get(context, Storage)))
  const grouped = yield* doorOver()
  const single = yield* doorOver(1)
  const connect = (maxConnections: number) =>
    PgClient.make({ url: Redacted.make(url), maxConnections }).pipe(
      Effect.provide(Reactivity.layer)
    )
  const interactive = makeInteractive(yield* connect(8))
  const recorder = Context.get(
    yield* Layer.build(postgres({ url, schema: "recorder" })),
    StorageDriver
  )
  const bare = yield* makeBare(yield* connect(1), recorder)
  const commits: Record<Way, (unit: Unit) => Effect.Effect<void, unknown>> = {
    "group commit": grouped.commit,
    "one by one": single.commit,
    interactive
  }
  return { driver, world: yield* makeWorld(grouped, manyWallets), commits, bare }
})

export type SetUp = Effect.Success<ReturnType<typeof setUp>>

/** Writes what has to be there before a payment can be booked, and takes the leases of the notifications. */
export const prepare = Effect.fnUntraced(function* (
  { driver, world }: Pick<SetUp, "driver" | "world">,
  count: number,
  wallets: number
) {
  const paid = yield* world.pay(yield* world.open(count, wallets))
  const write = Effect.fnUntraced(function* (units: ReadonlyArray<Unit>) {
    for (let from = 0; from < units.length; from += 500) {
      const failed = yield* driver.write(
        MergedUnit.merge(units.slice(from, from + 500), WriteId.make(randomUUID()))
      )
      if (failed !== null) return yield* Effect.die(new Error(JSON.stringify(failed)))
    }
  })
  yield* write(paid.map(({ units }) => units[0]))
  yield* write(paid.map(({ units }) => units[1]))
  yield* write(paid.map(notification))
  const now = yield* DateTime.now
  const claimed = yield* driver.claim([
    {
      queue: "inbox",
      now,
      lease: Duration.minutes(30),
      max: count,
      // Other processes may hold some of the same wallet.
      perGroup: 1_000_000,
      token: inboxLease
    }
  ])
  if (claimed.length !== count) return yield* Effect.die(new Error("A notification is missing."))
  return paid
})

const notification = ({ charge: { value } }: Paid): Unit => ({
  id: value.id as unknown as Unit["id"],
  at: value.updatedAt,
  jobs: [
    { _tag: "Schedule", queue: "inbox", id: value.id, group: value.account, due: value.createdAt }
  ]
})

/** One timed run. A creation is two commits one after the other, as the service does them. */
const runCell = Effect.fnUntraced(function* (on: SetUp, { callers, job, wallets }: Cell, way: Way) {
  const commit = on.commits[way]
  const count = countOf(way, callers)
  if (job === "settle") {
    const paid = yield* prepare(on, count, wallets)
    return yield* drive(paid, callers, ({ settlement }) => commit(settlement))
  }
  const opened = yield* on.world.open(count, wallets)
  return yield* drive(opened, callers, ({ units }) =>
    Effect.andThen(commit(units[0]), commit(units[1]))
  )
})

const runBare = Effect.fnUntraced(function* (on: SetUp, wallets: number) {
  const paid = yield* prepare(on, bareCount, wallets)
  yield* on.bare.prepare(
    paid.map(({ settlement }) => settlement),
    bareBatch
  )
  const start = performance.now()
  yield* on.bare.run
  return (bareCount / (performance.now() - start)) * 1_000
})

const nameOf = ({ callers, job, wallets }: Cell): string => `${job} ${wallets} ${callers}`

/**
 * Charge creations and settlements through the write door, with group commit on and off, beside the same work
 * as one interactive transaction per commit and beside the write function fed inside the server. All of them
 * take turns in one run, on the same tables.
 */
export const commits = Effect.fnUntraced(function* (url: string, rounds: number) {
  const on = yield* setUp(url)
  const runs = new Map<string, Array<Run>>()
  const bare = new Map<number, Array<number>>()
  yield* warmUp(on)
  for (let round = 0; round < rounds; round++) {
    for (const wallets of [1, manyWallets]) {
      bare.set(wallets, [...(bare.get(wallets) ?? []), yield* runBare(on, wallets)])
    }
    for (const cell of cells) {
      for (const way of ways) {
        const key = `${nameOf(cell)} ${way}`
        runs.set(key, [...(runs.get(key) ?? []), yield* runCell(on, cell, way)])
      }
    }
    yield* Console.error(`round ${round + 1} of ${rounds} done`)
  }
  yield* Console.log(report(runs, bare))
  const { violations } = yield* completeAudit(on.driver)
  yield* Console.log(
    violations.length === 0
      ? "Audit after the run: clean."
      : `AUDIT FAILED: ${JSON.stringify(violations.slice(0, 5))}`
  )
})

const warmUp = Effect.fnUntraced(function* (on: SetUp) {
  for (const way of ways) {
    yield* runCell(on, { job: "settle", wallets: manyWallets, callers: 8 }, way)
    yield* runCell(on, { job: "create", wallets: 1, callers: 8 }, way)
  }
})

const rates = (runs: ReadonlyMap<string, ReadonlyArray<Run>>, cell: Cell, way: Way) =>
  (runs.get(`${nameOf(cell)} ${way}`) ?? []).map((run) => run.perSecond)

const report = (
  runs: ReadonlyMap<string, ReadonlyArray<Run>>,
  bare: ReadonlyMap<number, ReadonlyArray<number>>
): string => {
  const ratios = (left: ReadonlyArray<number>, right: ReadonlyArray<number>) =>
    left.map((value, index) => value / (right[index] ?? Number.NaN))
  const rows = cells.map((cell) => {
    const grouped = rates(runs, cell, "group commit")
    const latency = runs.get(`${nameOf(cell)} group commit`) ?? []
    return [
      cell.job,
      cell.wallets === 1 ? "one hot" : `${cell.wallets}`,
      `${cell.callers}`,
      median(grouped).toFixed(0),
      `${median(latency.map((run) => run.p50)).toFixed(1)}/${median(latency.map((run) => run.p99)).toFixed(1)}`,
      median(rates(runs, cell, "one by one")).toFixed(0),
      median(rates(runs, cell, "interactive")).toFixed(0),
      spread(ratios(grouped, rates(runs, cell, "one by one")), 1),
      spread(ratios(grouped, rates(runs, cell, "interactive")), 1)
    ]
  })
  const limits = [...bare].map(([wallets, values]) => {
    const cell = { job: "settle", wallets, callers: 64 } as const
    const part = ratios(rates(runs, cell, "group commit"), values).map((ratio) => ratio * 100)
    return `bare batches of ${bareBatch}, settle, ${wallets === 1 ? "one hot wallet" : `${wallets} wallets`}: ${median(values).toFixed(0)}/s; group commit at 64 callers reaches ${spread(part, 0)} % of it`
  })
  const head = [
    "job",
    "wallets",
    "callers",
    "group/s",
    "p50/p99 ms",
    "single/s",
    "interactive/s",
    "x single",
    "x interactive"
  ]
  return [table([head, ...rows]), ...limits].join("\n")
}
