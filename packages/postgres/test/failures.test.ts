import { assert, describe, it, layer } from "@effect/vitest"
import type { LeaseToken, Refused, StorageError, Unit, WalletId } from "@pagora/core"
import { completeAudit, GroupCommit, MergedUnit, StorageDriver } from "@pagora/core"
import { Cause, Context, Duration, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { SessionOptions } from "../src/index.ts"
import { postgres } from "../src/index.ts"
import { clientOf, faultyProxy, layerKnown, sqlOn, Url } from "./FreshDatabase.test-data.ts"
import type { PaidCharge } from "./Units.test-data.ts"
import { aPaidCharge, at, brl, moneyIn, newId, rowOf, unitOf } from "./Units.test-data.ts"

/** A storage of its own in the same database, for as long as the scope lasts. */
const driverAt = (url: string, options: SessionOptions = {}) =>
  Effect.map(
    Layer.build(postgres({ url, poolMax: 4, applicationName: "under-test", ...options })),
    (context) => Context.get(context, StorageDriver)
  )

const reasonOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.exit(effect), (exit) =>
    Exit.isFailure(exit)
      ? exit.cause.reasons.map((reason) =>
          Cause.isFailReason(reason)
            ? (reason.error as { readonly reason: string }).reason
            : reason._tag
        )
      : ["success"]
  )

const anInsert = () => unitOf({ inserts: [rowOf()] })
const write = (driver: StorageDriver["Service"], ...units: ReadonlyArray<Unit>) =>
  driver.write(MergedUnit.merge(units, newId()))

/** Waits until statements of the storage under test stand before a lock. */
const someoneWaits = (url: string) =>
  Effect.repeat(
    sqlOn(
      url,
      "select 1 from pg_stat_activity where application_name = 'under-test' and wait_event_type = 'Lock'"
    ),
    { until: (rows) => rows.length > 0 }
  )

describe("a test's clock", () => {
  it.effect("may travel for days: connections live on real time", () =>
    Effect.gen(function* () {
      const driver = yield* StorageDriver
      for (let day = 0; day < 3; day++) {
        assert.isNull(yield* write(driver, anInsert()))
        const waiting = yield* Effect.forkChild(write(driver, anInsert()))
        yield* TestClock.adjust("1 day")
        assert.isNull(yield* Fiber.join(waiting))
      }
    }).pipe(Effect.provide(layerKnown))
  )
})

layer(layerKnown, { excludeTestServices: true, timeout: "60 seconds" })("a failure", (it) => {
  it.effect("to get through is told before anything was sent", () =>
    Effect.gen(function* () {
      const proxy = yield* faultyProxy(yield* Url)
      const driver = yield* driverAt(proxy.url)
      proxy.setAway(true)
      yield* reasonOf(driver.wallets([]))
      assert.deepStrictEqual(yield* reasonOf(write(driver, anInsert())), ["Unavailable"])
      assert.deepStrictEqual(yield* reasonOf(driver.rows("operation", [])), ["Unavailable"])
      proxy.setAway(false)
      assert.isNull(yield* write(driver, anInsert()))
    })
  )

  for (const cut of ["question", "answer"] as const) {
    it.effect(`of the wire leaves the outcome of a write unknown when the ${cut} is lost`, () =>
      Effect.gen(function* () {
        const url = yield* Url
        const proxy = yield* faultyProxy(url)
        const driver = yield* driverAt(proxy.url)
        const unit = anInsert()
        const ids = (unit.inserts ?? []).map(({ id }) => id)
        proxy.cutNext(cut)
        assert.deepStrictEqual(yield* reasonOf(write(driver, unit)), ["OutcomeUnknown"])
        const rows = yield* driver.rows("operation", ids)
        assert.strictEqual(rows.length, cut === "answer" ? 1 : 0)
        // A read is asked again by itself.
        proxy.cutNext(cut)
        assert.deepStrictEqual(yield* driver.rows("operation", ids), rows)
        assert.strictEqual(proxy.cuts(), 2)
      })
    )
  }

  it.effect("to get a lock, which is named, is an expectation that does not hold for now", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const driver = yield* driverAt(url)
      const unit = anInsert()
      const [row] = unit.inserts ?? assert.fail()
      assert.isDefined(row)
      yield* write(driver, unit)
      const update = unitOf({ updates: [{ row, expected: 1 }] })
      const sql = yield* clientOf(url)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`select 1 from pagora.operation where id = '${row.id}' for update`)
          const merged = MergedUnit.merge([update], newId(), Duration.millis(50))
          assert.deepStrictEqual(yield* driver.write(merged), {
            expectation: "locked",
            locked: [`row ${row.id}`]
          })
        })
      )
      assert.isNull(yield* write(driver, update))
    })
  )

  it.effect("to finish in the time that the host allows is told as such", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const driver = yield* driverAt(url, { lockTimeout: 50, statementTimeout: 100 })
      const unit = anInsert()
      const [row] = unit.inserts ?? assert.fail()
      assert.isDefined(row)
      yield* write(driver, unit)
      const sql = yield* clientOf(url)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`select 1 from pagora.operation where id = '${row.id}' for update`)
          // A row that is only expected is looked at again and again, without waiting for its lock.
          const expecting = unitOf({ expects: [{ table: "operation", id: row.id, version: 1 }] })
          assert.deepStrictEqual(yield* reasonOf(write(driver, expecting)), ["Unavailable"])
          yield* sql.unsafe("lock table pagora.operation in access exclusive mode")
          assert.deepStrictEqual(yield* reasonOf(driver.rows("operation", [row.id])), [
            "Unavailable"
          ])
        })
      )
    })
  )

  it.effect("of the wire costs no claim its jobs, whichever message is lost", () =>
    Effect.gen(function* () {
      const proxy = yield* faultyProxy(yield* Url)
      const driver = yield* driverAt(proxy.url)
      const jobs = Array.from({ length: 3 }, () => {
        const id = newId()
        return { _tag: "Schedule", queue: "inbox", id, group: id, due: at() } as const
      })
      yield* write(driver, { ...unitOf({}), jobs })
      const claim = (max: number) =>
        Effect.map(
          driver.claim([
            {
              queue: "inbox",
              now: at(),
              lease: Duration.minutes(1),
              max,
              perGroup: 1,
              token: newId<LeaseToken>()
            }
          ]),
          (claimed) => claimed.length
        )
      proxy.cutNext("answer")
      assert.strictEqual(yield* claim(1), 1)
      proxy.cutNext("question")
      assert.strictEqual(yield* claim(1), 1)
      // Nobody else has the third.
      assert.strictEqual(yield* claim(3), 1)
      assert.strictEqual(proxy.cuts(), 2)
    })
  )

  it.effect("for want of times that fit together is told before anything is opened", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const wrong: ReadonlyArray<SessionOptions> = [
        { lockTimeout: 0 },
        { lockTimeout: "4 seconds" },
        { statementTimeout: "5 seconds" }
      ]
      for (const options of wrong)
        assert.match((yield* Effect.flip(driverAt(url, options))).message, /do not fit together/)
    })
  )

  it.effect(
    "that is our own fault is a defect that quotes nobody's data, and harms no neighbour",
    () =>
      Effect.gen(function* () {
        const driver = yield* StorageDriver
        const wrong = unitOf({ inserts: [rowOf({ document: '{"cpf":"52998224725\0"}' })] })
        const exit = yield* Effect.exit(write(driver, wrong, anInsert()))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        const told = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
        assert.match(told, /SQLSTATE 22021/)
        assert.notInclude(told, "52998224725")

        const commit = yield* GroupCommit.groupCommit(driver)
        const units = [anInsert(), wrong, anInsert()]
        const answers = yield* Effect.forEach(units, (unit) => Effect.exit(commit(unit)), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(answers.map(Exit.isSuccess), [true, false, true])
      })
  )

  it.effect(
    "of every kind, again and again, makes no refusal that is not true and writes nothing twice",
    () =>
      Effect.gen(function* () {
        const proxy = yield* faultyProxy(yield* Url)
        const driver = yield* driverAt(proxy.url)
        const commit = yield* GroupCommit.groupCommit(driver)
        const wallet = newId<WalletId>()
        yield* commit(unitOf({ opens: [wallet] }))
        const told: Array<{ readonly charge: PaidCharge; readonly reason: string }> = []
        const caller = Effect.forever(
          Effect.gen(function* () {
            const charge = aPaidCharge(wallet)
            const reasons = yield* reasonOf(
              Effect.andThen(commit(charge.opened), commit(charge.paid))
            )
            told.push({ charge, reason: String(reasons) })
          })
        )
        const callers = yield* Effect.forEach(Array.from({ length: 16 }), () =>
          Effect.forkChild(caller)
        )
        for (let cut = 0; cut < 30; cut++) {
          yield* Effect.sleep("70 millis")
          proxy.cutNext(cut % 3 === 0 ? "question" : "answer")
        }
        const through = () => told.filter(({ reason }) => reason === "success").length
        // However slow the machine is, the end of the cuts leaves room for some.
        for (let second = 0; second < 20 && through() <= 5; second++)
          yield* Effect.sleep("1 second")
        yield* Fiber.interruptAll(callers)
        assert.isAbove(proxy.cuts(), 5)

        const direct = yield* StorageDriver
        for (const { charge, reason } of told) {
          assert.include(["success", "OutcomeUnknown", "Unavailable"], reason)
          const rows = yield* direct.rows("operation", [charge.row.id])
          const booked = yield* direct.ledgerTxs((charge.paid.ledger ?? []).map(({ id }) => id))
          const isPaid = rows[0]?.status === "completed"
          assert.strictEqual(booked.length, isPaid ? 2 : 0)
          assert.isTrue(rows.every(({ version }) => version === (isPaid ? 2 : 1)))
          if (reason === "success") assert.isTrue(isPaid)
        }
        assert.isAbove(through(), 5)
        assert.deepStrictEqual((yield* completeAudit(direct)).violations, [])
      }),
    60_000
  )

  it.effect(
    "of sessions that an administrator ends costs callers no more than asking again when told so",
    () =>
      Effect.gen(function* () {
        const url = yield* Url
        const driver = yield* driverAt(url)
        const commit = yield* GroupCommit.groupCommit(driver)
        const wallet = newId<WalletId>()
        yield* commit(unitOf({ opens: [wallet] }))
        const isAway = (error: Refused | StorageError) =>
          error._tag === "StorageError" && error.reason === "Unavailable"
        let paid = 0n
        const caller = Effect.forever(
          Effect.gen(function* () {
            const unit = unitOf({ ledger: [moneyIn(wallet, brl(1))] })
            yield* Effect.retry(commit(unit), { while: isAway, times: 9 })
            paid++
          })
        )
        const ending = Effect.andThen(
          Effect.sleep("150 millis"),
          sqlOn(
            url,
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'under-test'"
          )
        )
        const ended = yield* Effect.raceFirst(
          Effect.replicateEffect(ending, 10),
          Effect.forEach(Array.from({ length: 32 }), () => caller, { concurrency: "unbounded" })
        )
        assert.strictEqual(ended.flat().length > 0, true)
        // Those who were still waiting when it was over may be in or not.
        const [shown] = yield* Effect.retry(driver.wallets([wallet]), { while: isAway, times: 9 })
        assert.isDefined(shown)
        assert.isTrue(paid <= shown.available && shown.available <= paid + 32n)
        assert.isTrue(paid > 20n)
      }),
    60_000
  )

  it.effect("of a caller to wait cancels nothing of others, and a unit in flight goes on", () =>
    Effect.gen(function* () {
      const url = yield* Url
      const driver = yield* driverAt(url)
      const commit = yield* GroupCommit.groupCommit(driver)
      const row = rowOf()
      yield* commit(unitOf({ inserts: [row] }))
      const sql = yield* clientOf(url)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql.unsafe(`select 1 from pagora.operation where id = '${row.id}' for update`)
          const impatient = commit(unitOf({ updates: [{ row, expected: 1 }] }))
          assert.isTrue((yield* Effect.timeoutOption(impatient, "100 millis"))._tag === "None")
          yield* someoneWaits(url)
        })
      )
      yield* commit(unitOf({ counters: [{ key: newId(), add: brl(1) }], at: at(1) }))
      const [shown] = yield* driver.rows("operation", [row.id])
      assert.strictEqual(shown?.version, 2)
    })
  )
})
