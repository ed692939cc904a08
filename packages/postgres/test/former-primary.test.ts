import { assert, describe, it } from "@effect/vitest"
import type { StorageDriverShape, WalletId, WriteId } from "@pagora/core"
import { GroupCommit, MergedUnit } from "@pagora/core"
import type { OwnPostgres } from "@pagora/testkit/postgres"
import { Effect, Schedule } from "effect"
import { faultyProxy, sqlOn } from "./FreshDatabase.test-data.ts"
import { driverOf, quietly } from "./Processes.test-data.ts"
import { aPair } from "./StandbyPair.test-data.ts"
import { newId, unitOf } from "./Units.test-data.ts"

const times = {
  connectTimeout: 800,
  lockTimeout: 500,
  statementTimeout: 1_400,
  answerTimeout: 1_500
}

/** The standby takes the place of the primary, which goes on: its commits wait for a standby for ever. */
const promote = ({ url }: OwnPostgres) =>
  sqlOn(
    url,
    "select pg_promote(true, 60)",
    "alter system reset synchronous_standby_names",
    "select pg_reload_conf()"
  )

/** A storage whose sessions are with the primary, and what makes its address lead to the standby, which takes over. */
const beforeTheSwitch = Effect.gen(function* () {
  const { primary, standby } = yield* aPair
  const front = yield* faultyProxy(primary.url)
  const driver = yield* driverOf({ url: front.url, poolMax: 4, ...times })
  const known = newId<WalletId>()
  const commit = yield* GroupCommit.groupCommit(driver)
  yield* commit(unitOf({ opens: [known] }))
  return {
    driver,
    front,
    primary,
    standby,
    commit,
    known,
    switchOver: Effect.andThen(
      promote(standby),
      Effect.sync(() => front.pointTo(standby.url))
    )
  }
})

/** Asks in every session at once, and answers in how many the wallet is there. */
const seenIn = (driver: StorageDriverShape, wallet: WalletId) =>
  Effect.map(
    Effect.all(
      Array.from({ length: 24 }, () => driver.wallets([wallet])),
      {
        concurrency: "unbounded"
      }
    ),
    (answers) => answers.filter((found) => found.length === 1).length
  )

describe("a primary that goes on when another server has taken its place", () => {
  it.live(
    "answers nothing any more, once something was written to the other",
    () =>
      Effect.gen(function* () {
        const { commit, driver, known, switchOver } = yield* beforeTheSwitch
        assert.strictEqual(yield* seenIn(driver, known), 24)
        yield* switchOver
        // Sessions of before are in use all the time, so that none of them seems to be dead.
        yield* Effect.forkScoped(
          Effect.repeat(Effect.ignore(seenIn(driver, known)), Schedule.spaced("20 millis"))
        )
        const wallet = newId<WalletId>()
        yield* commit(unitOf({ opens: [wallet] }))
        for (let round = 0; round < 5; round++)
          assert.strictEqual(yield* seenIn(driver, wallet), 24)
      }).pipe(Effect.scoped, quietly),
    120_000
  )

  it.live(
    "decides nothing: what was decided before is not written to the other",
    () =>
      Effect.gen(function* () {
        const { commit, driver, switchOver } = yield* beforeTheSwitch
        const epoch = driver.epoch?.()
        assert.isDefined(epoch)
        yield* switchOver
        const [wallet, late] = [newId<WalletId>(), newId<WalletId>()]
        yield* commit(unitOf({ opens: [wallet] }))
        assert.notStrictEqual(driver.epoch?.(), epoch)

        const id = newId<WriteId>()
        const write = (decided: number | undefined) =>
          driver.write(MergedUnit.merge([unitOf({ opens: [late], epoch: decided })], id))
        assert.strictEqual((yield* Effect.flip(write(epoch))).reason, "Unavailable")
        assert.deepStrictEqual(yield* driver.wallets([late]), [])
        assert.isNull(yield* write(driver.epoch?.()))
      }).pipe(Effect.scoped, quietly),
    120_000
  )

  it.live(
    "is not gone back to, nor is a standby taken for the primary, wherever the address leads",
    () =>
      Effect.gen(function* () {
        const { driver, front, known, primary, standby, switchOver } = yield* beforeTheSwitch
        /** Every session is new, and with the server that the address leads to now. */
        const leadTo = (url: string) =>
          Effect.gen(function* () {
            front.setAway(true)
            yield* Effect.sleep("200 millis")
            front.pointTo(url)
            front.setAway(false)
          })
        const asked = driver.wallets([known])
        const answers = Effect.map(
          Effect.retry(asked, { schedule: Schedule.spaced("200 millis"), times: 50 }),
          (found) => assert.lengthOf(found, 1)
        )
        const refuses = Effect.repeat(
          Effect.map(Effect.flip(asked), ({ reason }) => assert.strictEqual(reason, "Unavailable")),
          { schedule: Schedule.spaced("200 millis"), times: 10 }
        )

        yield* leadTo(standby.url)
        yield* refuses
        yield* leadTo(primary.url)
        yield* answers

        yield* switchOver
        yield* leadTo(standby.url)
        yield* answers
        const epoch = driver.epoch?.()
        yield* leadTo(primary.url)
        yield* refuses
        yield* leadTo(standby.url)
        yield* answers
        assert.strictEqual(driver.epoch?.(), epoch)
      }).pipe(Effect.scoped, quietly),
    120_000
  )
})
