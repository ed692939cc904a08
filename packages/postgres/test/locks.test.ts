import { assert, describe, it, layer } from "@effect/vitest"
import type { Answer, Journey } from "@pagora/testkit"
import { expecting, journey } from "@pagora/testkit"
import type { DeliveryId, Row, Unit, WalletId } from "@pagora/core"
import { MergedUnit, RowLocks, StorageDriver } from "@pagora/core"
import { Deferred, Duration, Effect, Fiber, Logger } from "effect"
import { makeDatabase, runOver } from "../src/Database.ts"
import { makeWrite } from "../src/Write.ts"
import { aDatabase, clientOf, layerKnown, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import { driverOf, processAt, quietly, timed } from "./Processes.test-data.ts"
import {
  aPaidCharge,
  at,
  brl,
  deliveryOf,
  eventOf,
  newId,
  rowOf,
  unitOf
} from "./Units.test-data.ts"

// Real time and a real lock; a quiet machine answers in milliseconds, a loaded one within this.
const quickly = 4_000
// What needs a row is set aside for five seconds at least before it is given up.
const shortly = 4_000

const body = { amount: 1, pixKey: "ana@example.com", pixKeyType: "email" }
const withdraw = ({ shop }: Journey, key?: string) =>
  shop.call("POST", "/withdrawals", {
    body,
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } })
  })

/** Two shops of one process, each with money, and a session of somebody else in the same database. */
const world = Effect.gen(function* () {
  const { url } = yield* aDatabase
  const process = yield* processAt(url)
  const [locked, other] = yield* Effect.provideContext(Effect.all([journey(), journey()]), process)
  for (const story of [locked, other]) yield* story.fund(1_000)
  const sql = yield* clientOf(url)

  /** Holds locks until it is told to let go. */
  const lock = Effect.fnUntraced(function* (statement: string) {
    const [held, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const session = yield* Effect.forkChild(
      sql.withTransaction(
        Effect.gen(function* () {
          const rows = yield* sql.unsafe(statement)
          assert.isAbove(rows.length, 0, statement)
          yield* Deferred.succeed(held, undefined)
          yield* Deferred.await(letGo)
        })
      )
    )
    yield* Effect.raceFirst(Deferred.await(held), Fiber.join(session))
    return Effect.andThen(Deferred.succeed(letGo, undefined), Fiber.join(session))
  })
  return { locked, other, lock }
})

/** Calls one after the other; each must be answered well, and soon. */
const goesOn = Effect.fnUntraced(function* (story: Journey, calls: number) {
  for (let call = 0; call < calls; call++) {
    const [answer, millis] = yield* timed(withdraw(story))
    assert.strictEqual(answer.status, 201, answer.text)
    assert.isBelow(millis, quickly)
  }
})

const isNotWritten = ({ json, status }: Answer<unknown>): boolean =>
  status === 503 && String(json.details?.code) === "STORAGE_UNAVAILABLE"

describe("a row that somebody else has locked", () => {
  const rowsOf = (id: string) => ({
    "the wallet": `select 1 from pagora.wallet where id = '${id}' for update`,
    "the row of the account": `select 1 from pagora.registry where id = '${id}' for update`
  })

  for (const what of ["the wallet", "the row of the account"] as const) {
    it.live(
      `such as ${what}, holds up nobody else, and what waited for it is done once it is free`,
      () =>
        Effect.gen(function* () {
          const { lock, locked, other } = yield* world
          const letGo = yield* lock(rowsOf(locked.shop.id)[what])
          const waiting = yield* Effect.forkChild(
            Effect.all([withdraw(locked), withdraw(locked)], { concurrency: "unbounded" })
          )
          const [, lockedFor] = yield* timed(goesOn(other, 10))
          if (lockedFor < shortly) assert.isUndefined(waiting.pollUnsafe())
          yield* letGo
          for (const answer of yield* Fiber.join(waiting)) {
            if (lockedFor < shortly || !isNotWritten(answer)) yield* expecting(201)(answer)
          }
          const [answer, millis] = yield* timed(withdraw(locked))
          assert.strictEqual(answer.status, 201, answer.text)
          assert.isBelow(millis, quickly)
          yield* locked.audit
        }).pipe(quietly),
      60_000
    )
  }

  it.live(
    "for long ends the wait of those who need it: nothing is written, and they may try again",
    () =>
      Effect.gen(function* () {
        const { lock, locked, other } = yield* world
        const letGo = yield* lock(rowsOf(locked.shop.id)["the wallet"])
        const waiting = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 20 }, (_, index) => withdraw(locked, `locked-${index}`)),
            { concurrency: "unbounded" }
          )
        )
        while (waiting.pollUnsafe() === undefined) yield* goesOn(other, 1)
        for (const answer of yield* Fiber.join(waiting)) {
          assert.isTrue(isNotWritten(answer), answer.text)
        }
        yield* letGo
        const { held } = yield* locked.figures
        assert.strictEqual(held, 0)
        // The key was not used up.
        yield* Effect.flatMap(withdraw(locked, "locked-0"), expecting(201))
        yield* locked.audit
      }).pipe(quietly),
    90_000
  )

  it.live(
    "among counters or jobs holds up nobody who does not need it",
    () =>
      Effect.gen(function* () {
        const { lock, locked, other } = yield* world
        yield* locked.change({ limits: { withdrawal: { daily: 500 } } })
        yield* Effect.flatMap(withdraw(locked, "before-0001"), expecting(201))
        for (const table of ["counter", "job"]) {
          const letGo = yield* lock(`select 1 from pagora.${table} for update`)
          const waiting = yield* Effect.forkChild(
            table === "counter" ? withdraw(locked) : locked.drain
          )
          yield* goesOn(other, 5)
          yield* letGo
          yield* Fiber.join(waiting)
        }
        yield* locked.drain
        yield* locked.audit
      }).pipe(quietly),
    60_000
  )
})

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })("a lock", (it) => {
  it.effect("is told by its name, of whatever it is on", () =>
    Effect.gen(function* () {
      const driver = yield* StorageDriver
      const sql = yield* clientOf(yield* Url)
      const write = (unit: Unit) =>
        driver.write(MergedUnit.merge([unit], newId(), Duration.millis(50)))
      const wallet = newId<WalletId>()
      const [row, account] = [rowOf(), rowOf({ table: "registry" })]
      const [job, delivery, counter, entity] = [newId(), deliveryOf(), newId(), newId()]
      const scope = { wallet, route: "POST /pix", key: "a key" }
      const lien = { wallet, delta: brl(1) }
      const begin = { _tag: "Begin", scope, fingerprint: "f", entity, snapshot: null } as const
      const schedule = { _tag: "Schedule", queue: "inbox", id: job, group: job, due: at() } as const
      const first = {
        ...unitOf({ opens: [wallet], inserts: [row, account] }),
        jobs: [schedule],
        events: [{ event: eventOf(), deliveries: [delivery] }],
        counters: [{ key: counter, add: brl(1) }],
        idempotency: { ...begin, expiresAt: at(60) }
      }
      assert.isNull(yield* write(first))

      const { attempts } = aPaidCharge(wallet).delivered
      const update = (of: Row) => unitOf({ updates: [{ row: of, expected: 1 }] })
      const ofScope = `wallet = '${wallet}' and key = 'a key'`
      const cases: ReadonlyArray<readonly [table: string, where: string, name: string, Unit]> = [
        ["wallet", `id = '${wallet}'`, `wallet ${wallet}`, unitOf({ liens: [lien] })],
        ["wallet", `id = '${wallet}'`, `wallet ${wallet}`, unitOf({ empty: [wallet] })],
        ["operation", `id = '${row.id}'`, `row ${row.id}`, update(row)],
        ["registry", `id = '${account.id}'`, `row ${account.id}`, update(account)],
        [
          "registry",
          `id = '${account.id}'`,
          `row ${account.id}`,
          unitOf({ expects: [{ table: "registry", id: account.id, version: 1 }] })
        ],
        [
          "counter",
          `key = '${counter}'`,
          `counter ${counter}`,
          unitOf({ counters: [{ key: counter, add: brl(1) }] })
        ],
        ["job", `id = '${job}'`, `job inbox ${job}`, unitOf({ jobs: [schedule] })],
        [
          "delivery",
          `id = '${delivery.id}'`,
          `delivery ${delivery.id}`,
          unitOf({
            attempts: (attempts ?? []).map((one) => ({ ...one, delivery: delivery.id }))
          })
        ],
        [
          "idempotency",
          ofScope,
          `idempotency ${wallet} a key POST /pix`,
          unitOf({ at: at(90), idempotency: { ...begin, expiresAt: at(120) } })
        ],
        [
          "idempotency",
          ofScope,
          `idempotency ${wallet} a key POST /pix`,
          unitOf({ idempotency: { _tag: "Complete", scopes: [scope], entity, snapshot: "{}" } })
        ]
      ]
      for (const [table, where, name, unit] of cases) {
        assert.include(RowLocks.locksOf(unit), name)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(`select 1 from pagora.${table} where ${where} for update`)
            const others = unitOf({ ...unit, inserts: [rowOf()], id: newId() })
            assert.deepStrictEqual(yield* write(others), { expectation: "locked", locked: [name] })
          })
        )
      }
      // A whole table has no name.
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe("lock table pagora.counter in access exclusive mode")
          const unit = unitOf({ counters: [{ key: counter, add: brl(1) }] })
          assert.deepStrictEqual(yield* write(unit), { expectation: "locked", locked: [] })
        })
      )
    })
  )
})

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })(
  "a purge of deliveries",
  (it) => {
    const over = Effect.fnUntraced(function* (driver: StorageDriver["Service"], millis: number) {
      const id = `01000000-${String(millis).padStart(4, "0")}-7000-8000-000000000000` as DeliveryId
      const event = eventOf()
      const told = { ...unitOf({}), events: [{ event, deliveries: [{ ...deliveryOf(), id }] }] }
      assert.isNull(yield* driver.write(MergedUnit.merge([told], newId())))
      const { attempts = [] } = aPaidCharge(newId()).delivered
      const ended = unitOf({ attempts: attempts.map((one) => ({ ...one, delivery: id })) })
      assert.isNull(yield* driver.write(MergedUnit.merge([ended], newId())))
      return { id, event }
    })
    const left = (driver: StorageDriver["Service"], ids: ReadonlyArray<DeliveryId>) =>
      Effect.map(driver.deliveries({ ids }), (found) => found.map(({ id }) => id))

    it.effect("waits for nobody who holds one of them, and leaves that one for later", () =>
      Effect.gen(function* () {
        const driver = yield* StorageDriver
        const sql = yield* clientOf(yield* Url)
        const [held, free] = [yield* over(driver, 1), yield* over(driver, 2)]
        const ids = [held.id, free.id]
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(
              `select 1 from pagora.delivery where id = '${held.id}' for no key update`
            )
            const [purged, millis] = yield* timed(driver.purge("delivery", at(), 9))
            assert.strictEqual(purged, 2)
            assert.isBelow(millis, quickly)
            assert.deepStrictEqual(yield* left(driver, ids), [held.id])
          })
        )
        assert.strictEqual(yield* driver.purge("delivery", at(), 9), 2)
        assert.deepStrictEqual(yield* left(driver, ids), [])
      })
    )

    it.effect("that takes its time holds up no payment, no delivery of it and no other purge", () =>
      Effect.gen(function* () {
        const driver = yield* StorageDriver
        const sql = yield* clientOf(yield* Url)
        const { event, id } = yield* over(driver, 3)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            const [purge] = yield* sql.unsafe<{ purged: number }>(
              "select pagora.forget_deliveries(now(), 9) as purged"
            )
            assert.strictEqual(purge?.purged, 2)
            const wallet = newId<WalletId>()
            const { delivered, opened, paid } = aPaidCharge(wallet)
            const again = unitOf({ redeliveries: [{ event, delivery: deliveryOf() }] })
            for (const unit of [unitOf({ opens: [wallet] }), opened, paid, delivered, again]) {
              const waiting = Duration.millis(50)
              assert.isNull(yield* driver.write(MergedUnit.merge([unit], newId(), waiting)))
            }
            assert.strictEqual(yield* driver.purge("delivery", at(), 9), 0)
          })
        )
        assert.deepStrictEqual(yield* left(driver, [id]), [])
      })
    )
  }
)

describe("a session with another isolation level than read committed", () => {
  it.live(
    "writes nothing, and is told what to set",
    () =>
      Effect.gen(function* () {
        const { url } = yield* aDatabase
        const driver = yield* driverOf({ url })
        const name = new URL(url).pathname.slice(1)
        yield* sqlOn(
          url,
          `alter database "${name}" set default_transaction_isolation = 'repeatable read'`
        )
        const sql = yield* clientOf(url)
        const logged: Array<string> = []
        const logger = Logger.make(({ message }) => void logged.push(String(message)))
        const row = rowOf()
        const write = makeWrite(makeDatabase(runOver(sql), "pagora"), "database")
        const end = yield* Effect.match(
          write(MergedUnit.merge([unitOf({ inserts: [row] })], newId())),
          { onFailure: ({ reason }) => reason, onSuccess: () => "written" }
        ).pipe(Effect.provide(Logger.layer([logger])))
        assert.strictEqual(end, "Unavailable")
        assert.match(logged.join(), /default_transaction_isolation/)
        assert.deepStrictEqual(yield* driver.rows("operation", [row.id]), [])
      }).pipe(Effect.scoped),
    60_000
  )
})
