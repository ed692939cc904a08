import type { AccountId, Unit } from "@pagora/core"
import { Storage, StorageDriver } from "@pagora/core"
import { postgres } from "@pagora/postgres"
import { Context, Effect, Layer, Logger, References } from "effect"
import { createInterface } from "node:readline"
import { prepare } from "../Commits.ts"
import { drive } from "../Measure.ts"
import { makeWorld } from "../World.ts"
import type { Order, Written } from "./Protocol.ts"

const callers = 64

/** The write door of one process among several, over one database; it does what it is told line by line. */
const [url, wallets, ...known] = process.argv.slice(2)
if (url === undefined) throw new Error("Which database?")

/** Counts what the lane asks of the database. */
const watched = (driver: StorageDriver["Service"]) => {
  let figures = { writes: 0, failed: 0, locked: 0, units: 0 }
  return {
    driver: StorageDriver.of({
      ...driver,
      write: (merged) =>
        Effect.tap(driver.write(merged), (failure) =>
          Effect.sync(() => {
            figures.writes++
            // Without a unit whose lease is gone the others are in.
            if (failure === null || "leaseless" in failure) figures.units += merged.units.length
            else figures.failed++
            if (failure !== null && "locked" in failure) figures.locked++
          })
        )
    }),
    take: () => {
      const taken = figures
      figures = { writes: 0, failed: 0, locked: 0, units: 0 }
      return taken
    }
  }
}

const program = Effect.gen(function* () {
  const real = Context.get(yield* Layer.build(postgres({ url })), StorageDriver)
  const { driver, take } = watched(real)
  const storage = Context.get(
    yield* Layer.build(Storage.layer().pipe(Layer.provide(Layer.succeed(StorageDriver, driver)))),
    Storage
  )
  const world = yield* makeWorld(
    storage,
    Number(wallets),
    true,
    known.length === 0 ? undefined : (known as ReadonlyArray<string> as ReadonlyArray<AccountId>)
  )
  yield* Effect.sync(() => say(world.accounts.map(({ value }) => value.id)))

  let ready: ReadonlyArray<ReadonlyArray<Unit>> = []
  const makeReady = Effect.fnUntraced(function* ({
    count,
    job,
    wallets
  }: Extract<Order, { do: "prepare" }>) {
    if (job === "settle") {
      const paid = yield* prepare({ driver: real, world }, count, wallets)
      ready = paid.map(({ settlement }) => [settlement])
    } else if (job === "create") {
      ready = (yield* world.open(count, wallets)).map(({ units }) => units)
    } else {
      ready = (yield* world.withdraw(count, wallets)).map((unit) => [unit])
    }
    say("ready")
  })
  const write = Effect.gen(function* () {
    take()
    let contended = 0
    const commit = (unit: Unit) =>
      Effect.catchTag(storage.commit(unit), "StorageError", (error) =>
        error.reason === "Contended" ? Effect.sync(() => void contended++) : Effect.fail(error)
      )
    const before = process.cpuUsage()
    const run = yield* drive(ready, callers, (units) =>
      Effect.forEach(units, commit, { discard: true })
    )
    const { system, user } = process.cpuUsage(before)
    const { failed, locked, units, writes } = take()
    const unitsAWrite = units / Math.max(1, writes - failed)
    const cpuMillis = (system + user) / 1_000
    say({ ...run, writes, failed, locked, unitsAWrite, contended, cpuMillis } satisfies Written)
  })
  const orders = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = yield* Effect.promise(() => orders.next())
    if (done === true) return
    const order = JSON.parse(value) as Order
    yield* order.do === "prepare" ? makeReady(order) : write
  }
})

const say = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`)

// Standard output is for what it says.
await Effect.runPromise(
  Effect.scoped(program).pipe(
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)]))
  )
)
