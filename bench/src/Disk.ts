import { PgClient } from "@effect/sql-pg"
import { MergedUnit, Storage, StorageDriver, UnitId, WriteId } from "@pagora/core"
import type { Unit } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { Console, Context, DateTime, Duration, Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { randomUUID } from "node:crypto"
import { table } from "./Measure.ts"
import type { Paid } from "./World.ts"
import { inboxLease, makeWorld } from "./World.ts"

const schema = "disk"
const wallets = 10
const season = 1_000
const openedAtOnce = 10
const settledAtOnce = 50

const batches = <A>(values: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size)
  )

const notification = ({ charge: { value } }: Paid): Unit => ({
  id: UnitId.make(randomUUID()),
  at: value.updatedAt,
  jobs: [
    { _tag: "Schedule", queue: "inbox", id: value.id, group: value.account, due: value.createdAt }
  ]
})

/**
 * What a paid charge takes on disk: every table and index, with its webhook delivered and no subscriber, under plain VACUUM.
 * The charges go through all their units in the order of real life, in groups.
 */
export const disk = Effect.fnUntraced(function* (url: string, count: number) {
  const driver = Context.get(yield* Layer.build(postgres({ url, schema })), StorageDriver)
  const storage = Context.get(
    yield* Layer.build(Storage.layer().pipe(Layer.provide(Layer.succeed(StorageDriver, driver)))),
    Storage
  )
  const sql = yield* PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(
    Effect.provide(Reactivity.layer)
  )
  const world = yield* makeWorld(storage, wallets, false)
  const write = Effect.fnUntraced(function* (units: ReadonlyArray<Unit>) {
    const failed = yield* driver.write(MergedUnit.merge(units, WriteId.make(randomUUID())))
    if (failed !== null) return yield* Effect.die(new Error(JSON.stringify(failed)))
  })
  const before = yield* sizes(sql)
  for (let done = 0; done < count; done += season) {
    // Opened one after the other, each registered soon after; paid later, and the webhook sent after that.
    const paid = yield* world.pay(yield* world.open(season, wallets))
    for (const few of batches(paid, openedAtOnce)) {
      yield* write(few.map(({ units }) => units[0]))
      yield* write(few.map(({ units }) => units[1]))
    }
    for (const some of batches(paid, settledAtOnce)) {
      yield* write(some.map(notification))
      yield* claim(driver, "inbox")
      yield* write(some.map(({ settlement }) => settlement))
      yield* deliver(driver, write)
    }
    // What autovacuum does on a server that runs for longer than this.
    yield* sql.unsafe("vacuum")
  }
  yield* sql.unsafe("vacuum (analyze)")
  const after = yield* sizes(sql)
  const rows = [...after].map(
    ([name, bytes]) => [name, (bytes - (before.get(name) ?? 0)) / count] as const
  )
  const total = rows.reduce((sum, [, bytes]) => sum + bytes, 0)
  const lines = rows
    .filter(([, bytes]) => bytes >= 1)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, bytes]) => [name, bytes.toFixed(0)])
  yield* Console.log(
    `\nDisk per paid charge, of ${count}: ${total.toFixed(0)} bytes\n${table([["table with its indexes", "bytes"], ...lines])}`
  )
})

const claim = Effect.fnUntraced(function* (
  driver: StorageDriver["Service"],
  queue: "inbox" | "webhook"
) {
  return yield* driver.claim([
    {
      queue,
      now: DateTime.add(yield* DateTime.now, { days: 1 }),
      lease: Duration.minutes(10),
      max: settledAtOnce,
      perGroup: settledAtOnce,
      token: inboxLease
    }
  ])
})

const deliver = Effect.fnUntraced(function* (
  driver: StorageDriver["Service"],
  write: (units: ReadonlyArray<Unit>) => Effect.Effect<void, unknown>
) {
  const jobs = yield* claim(driver, "webhook")
  const at = yield* DateTime.now
  yield* write(
    jobs.map(({ id, queue, token }) => ({
      id: UnitId.make(randomUUID()),
      at,
      attempts: [
        {
          delivery: id as never,
          number: 1,
          at,
          outcome: "answered",
          httpStatus: 200,
          durationMillis: 12,
          status: "delivered"
        }
      ],
      jobs: [{ _tag: "Finish", queue, id, token }]
    }))
  )
})

const sizes = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const rows = yield* sql.unsafe<{ name: string; bytes: bigint }>(
    `select relname as name, pg_total_relation_size(c.oid) as bytes from pg_class c
       where relnamespace = '${schema}'::regnamespace and relkind = 'r'`
  )
  return new Map(rows.map(({ bytes, name }) => [name, Number(bytes)]))
})
