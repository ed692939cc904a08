import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { epochMillisOf, WalletId } from "../../src/kernel/Ids.ts"
import type { Uuid } from "../../src/kernel/Ids.ts"
import { Auditor } from "../../src/operator/Auditor.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { Ids } from "../../src/time/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { begun } from "../../src/units/Idempotency.ts"
import { Purger } from "../../src/workers/Purger.ts"
import { wake } from "../../src/workers/SleepingJobs.ts"
import { Workers } from "../../src/workers/Workers.ts"
import { passing } from "../audit/AuditProcesses.test-data.ts"
import { noon, pspThat, txidOf } from "../world/ServiceWorld.test-data.ts"
import { StorageClock, worldOfSetClock } from "../world/SetClock.test-data.ts"

const key = "pay-once-0001"

const pay = (story: Journey) =>
  story.shop.call("POST", "/withdrawals", {
    headers: { "idempotency-key": key },
    body: { amount: 10, pixKey: "ana@example.com", pixKeyType: "email" }
  })

/** The references of all payouts that the PSP is told of from now on. */
const payoutsSent = Effect.gen(function* () {
  const bank = yield* pspThat({})
  const sent: Array<string> = []
  yield* pspThat({
    sendPayout: (payout) => {
      sent.push(payout.reference)
      return bank.sendPayout(payout)
    }
  })
  return sent
})

const set = (ahead: Parameters<StorageClock["Service"]["set"]>[0]) =>
  Effect.flatMap(StorageClock, (clock) => clock.set(ahead))

/** A turn of the audit, through its pauses. */
const turn = Effect.flatMap(Auditor, (auditor) => Effect.raceFirst(auditor.turn, passing))

describe("a storage's clock that runs ahead for a while", () => {
  it.effect("frees no key: the client's retry pays once", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      const first = yield* pay(story)
      assert.strictEqual(first.status, 201)
      yield* set("25 hours")
      assert.strictEqual((yield* pay(story)).text, first.text)
      yield* set(0)
      assert.strictEqual((yield* pay(story)).text, first.text)
      assert.strictEqual((yield* story.figures).held, 1_000)
    }).pipe(Effect.provide(worldOfSetClock))
  )

  it.effect("purges no answer of a key", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const storage = yield* Storage
      const purger = yield* Purger
      yield* story.fund(100)
      yield* pay(story)
      yield* set("26 hours")
      yield* purger.drain
      const scope = { wallet: WalletId.make(story.shop.id), route: "POST /withdrawals", key }
      assert.isNotNull((yield* storage.idempotency(scope))?.snapshot)
    }).pipe(Effect.provide(worldOfSetClock))
  )

  it.effect("lets nobody begin a key that a twin has begun since he looked", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const storage = yield* Storage
      const ids = yield* Ids
      const time = yield* ServiceTime
      const scope = { wallet: WalletId.make(story.shop.id), route: "POST /withdrawals", key }
      const { earliest } = yield* time.bounds
      const expiresAt = DateTime.add(earliest, { hours: 24 })
      const begin = Effect.gen(function* () {
        const fresh = { scope, fingerprint: "x", expiresAt, asOf: earliest }
        const at = yield* time.now
        yield* storage.commit({ at, ...begun(fresh, yield* ids.next<Uuid>(), null) })
      })
      yield* begin
      yield* set("25 hours")
      const refused = yield* Effect.flip(begin)
      assert.strictEqual(refused._tag, "DuplicateKey")
    }).pipe(Effect.provide(worldOfSetClock))
  )

  it.effect("leaves a new charge and a new withdrawal with the time at which they were made", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      yield* set("25 hours")
      const ahead = yield* story.charge()
      yield* set(0)
      const charge = yield* story.charge({ expiresIn: 3_600 })
      // Ids go on in their order; what is promised goes by the clock.
      assert.isAbove(epochMillisOf(charge.id as Uuid), noon)
      assert.isAbove(epochMillisOf(charge.id as Uuid), epochMillisOf(ahead.id as Uuid) - 1)
      assert.strictEqual(charge.createdAt, "2026-11-21T12:00:00.000Z")
      assert.strictEqual(charge.expiresAt, "2026-11-21T13:00:00.000Z")
      const withdrawal = yield* story.withdraw()
      assert.strictEqual(withdrawal.createdAt, "2026-11-21T12:00:00.000Z")
      // It is due now, and not tomorrow.
      const sent = yield* payoutsSent
      yield* story.drain
      assert.deepStrictEqual(sent, [txidOf(String(withdrawal.id))])
    }).pipe(Effect.provide(worldOfSetClock))
  )

  it.effect("does not keep the audit from going on, of all that was written since", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* set("2 days")
      assert.isTrue((yield* turn)?.complete)
      yield* set(0)
      yield* TestClock.adjust("2 hours")
      yield* story.fund(100)
      const again = yield* turn
      assert.deepStrictEqual([again?.ok, again?.complete], [true, true])
      yield* TestClock.adjust("2 hours")
      assert.isFalse((yield* turn)?.complete)
    }).pipe(Effect.provide(worldOfSetClock))
  )
})

describe("what a storage's clock that was ahead has put in line", () => {
  it.effect("does not sleep until then, once the clock is right", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const sent = yield* payoutsSent
      yield* story.fund(100)
      const { start } = yield* Workers
      yield* start
      yield* set("25 hours")
      const withdrawal = yield* story.withdraw()
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(sent, [])
      yield* set(0)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(sent, [txidOf(String(withdrawal.id))])
    }).pipe(Effect.scoped, Effect.provide(worldOfSetClock))
  )

  it.effect("does not sleep until then where the clock was set while no process ran", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const sent = yield* payoutsSent
      yield* story.fund(100)
      yield* set("25 hours")
      const withdrawal = yield* story.withdraw()
      yield* set(0)
      const { start } = yield* Workers
      yield* start
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(sent, [txidOf(String(withdrawal.id))])
    }).pipe(Effect.scoped, Effect.provide(worldOfSetClock))
  )

  it.effect("is left alone where it can be put off for so long", () =>
    Effect.gen(function* () {
      const [story, storage, time] = [yield* journey(), yield* Storage, yield* ServiceTime]
      yield* story.charge()
      yield* story.fund(100)
      yield* story.withdraw()
      assert.strictEqual(yield* wake({ storage, time }), 0)
    }).pipe(Effect.provide(worldOfSetClock))
  )
})

describe("a storage's clock that was behind and is right again", () => {
  it.effect("has shortened the life of no key that was begun meanwhile", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.fund(100)
      yield* set("-25 hours")
      const first = yield* pay(story)
      assert.strictEqual(first.status, 201)
      yield* set(0)
      assert.strictEqual((yield* pay(story)).text, first.text)
      assert.strictEqual((yield* story.figures).held, 1_000)
    }).pipe(Effect.provide(worldOfSetClock))
  )
})
