import { assert, describe, it } from "@effect/vitest"
import { RecordingTransport } from "@pagora/testkit"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { DeliveryId, LeaseToken } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { NewUnit } from "../units/Unit.ts"
import { anEndpoint, anEvent, dispatcher, inWorld, stateOf } from "./DispatcherWorld.test-data.ts"
import { EndpointKind } from "./Endpoint.ts"

const { answered } = RecordingTransport

const sent = Effect.flatMap(RecordingTransport, ({ requests }) => requests)
const answerBy = (script: Parameters<RecordingTransport["Service"]["answerBy"]>[0]) =>
  Effect.flatMap(RecordingTransport, (transport) => transport.answerBy(script))

/** A dispatcher over a storage whose commits are seen, and may be changed. */
const watched = Effect.fnUntraced(function* (
  change: (commit: Effect.Effect<void, unknown>) => Effect.Effect<void, unknown> = (commit) =>
    commit
) {
  const storage = yield* Storage
  const units: Array<NewUnit> = []
  const refusals: Array<string> = []
  const seen = Storage.of({
    ...storage,
    commit: (unit) =>
      Effect.suspend(() => {
        units.push(unit)
        const commit = Effect.tapError(storage.commit(unit), ({ _tag }) =>
          Effect.sync(() => refusals.push(_tag))
        )
        return change(commit) as typeof commit
      })
  })
  return { made: yield* Effect.provideService(dispatcher, Storage, seen), units, refusals }
})

/** Everything that needs no time has happened. */
const settled = Effect.repeat(TestClock.adjust("0 millis"), { times: 9 })

/** So many deliveries to one new endpoint. */
const deliveriesTo = Effect.fnUntraced(function* (count: number) {
  const { endpoint } = yield* anEndpoint()
  const events = yield* Effect.replicateEffect(anEvent([endpoint.id]), count)
  return { endpoint, ids: events.flatMap(({ deliveries }) => deliveries) }
})

const statusesOf = (ids: ReadonlyArray<DeliveryId>) =>
  Effect.forEach(ids, (id) => Effect.map(stateOf(id), ({ status }) => status))

/** A gate behind which every answer waits. */
const gated = Effect.fnUntraced(function* (answer: (nth: number) => number) {
  const gate = yield* Deferred.make<void>()
  yield* answerBy((_, nth) => Effect.andThen(Deferred.await(gate), answered(answer(nth))))
  return Deferred.succeed(gate, undefined)
})

describe("tries of one endpoint that end together", () => {
  it.effect("are recorded by one commit", () =>
    inWorld(
      Effect.gen(function* () {
        const { ids } = yield* deliveriesTo(4)
        const { made, refusals, units } = yield* watched()
        const open = yield* gated(() => 200)
        yield* made.start
        yield* TestClock.adjust("0 millis")
        yield* open
        yield* settled
        assert.deepStrictEqual(
          units.map(({ attempts = [], expects = [], jobs = [] }) => [
            attempts.length,
            jobs.length,
            expects.length
          ]),
          [[4, 4, 1]]
        )
        assert.deepStrictEqual(refusals, [])
        assert.deepStrictEqual(
          yield* statusesOf(ids),
          ids.map(() => "delivered")
        )
      })
    )
  )

  it.effect("do not lose to one another where the endpoint changes", () =>
    inWorld(
      Effect.gen(function* () {
        const { endpoint, ids } = yield* deliveriesTo(4)
        const { made, refusals, units } = yield* watched()
        const open = yield* gated((nth) => (nth === 3 ? 200 : 500))
        yield* made.start
        yield* TestClock.adjust("0 millis")
        yield* open
        yield* settled
        assert.deepStrictEqual([units.length, refusals], [1, []])
        const found = yield* (yield* Storage).find(EndpointKind, endpoint.id)
        // What each of them would have done to it, one after the other.
        assert.strictEqual(found?.version, 2)
        assert.isDefined(found?.value.failingSince)
        const statuses = yield* statusesOf(ids)
        assert.deepStrictEqual(statuses.toSorted(), ["delivered", "queued", "queued", "queued"])
      })
    )
  )

  it.effect("are recorded all the same where one of them has lost its lease", () =>
    inWorld(
      Effect.gen(function* () {
        const { endpoint, ids } = yield* deliveriesTo(4)
        const { made } = yield* watched()
        const open = yield* gated(() => 200)
        yield* made.start
        yield* TestClock.adjust("0 millis")
        const [first, second, ...others] = ids as [DeliveryId, DeliveryId, ...Array<DeliveryId>]
        const storage = yield* Storage
        const at = yield* (yield* ServiceTime).now
        // The job of one is put in line anew; of another somebody else has recorded a try.
        yield* storage.commit({
          at,
          jobs: [{ _tag: "Schedule", queue: "webhook", id: first, group: endpoint.id, due: at }],
          attempts: [
            {
              delivery: second,
              number: 1,
              at,
              outcome: "answered",
              httpStatus: 500,
              durationMillis: 1,
              status: "queued"
            }
          ]
        })
        yield* open
        yield* settled
        assert.deepStrictEqual(yield* statusesOf(others), ["delivered", "delivered"])
        assert.deepStrictEqual(yield* stateOf(second), {
          status: "queued",
          attempts: [[1, "answered", 500]]
        })
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* stateOf(first), {
          status: "delivered",
          attempts: [[1, "answered", 200]]
        })
        assert.strictEqual((yield* stateOf(second)).status, "delivered")
      })
    )
  )

  it.effect("are each recorded by themselves where a mistake of ours breaks their commit", () =>
    inWorld(
      Effect.gen(function* () {
        const { ids } = yield* deliveriesTo(4)
        let commits = 0
        const { made } = yield* watched((commit) =>
          ++commits === 1 ? Effect.die(new Error("a bug")) : commit
        )
        const open = yield* gated(() => 200)
        yield* made.start
        yield* TestClock.adjust("0 millis")
        yield* open
        yield* settled
        assert.strictEqual(commits, 5)
        assert.deepStrictEqual(
          yield* statusesOf(ids),
          ids.map(() => "delivered")
        )
      })
    )
  )
})

describe("what is about to be recorded", () => {
  it.effect("has left its slot: others of its endpoint are sent meanwhile, as many at once", () =>
    inWorld(
      Effect.gen(function* () {
        const { ids } = yield* deliveriesTo(12)
        const { made } = yield* watched((commit) => Effect.delay(commit, "5 seconds"))
        let [under, most] = [0, 0]
        yield* answerBy(() =>
          Effect.gen(function* () {
            most = Math.max(most, ++under)
            // Neither quick nor slow, so that its slots stay as they are.
            yield* Effect.sleep("10 millis")
            under--
            return yield* answered(500)
          })
        )
        yield* made.start
        for (let step = 0; step < 10; step++) yield* TestClock.adjust("10 millis")
        assert.deepStrictEqual([(yield* sent).length, most], [12, 4])
        yield* TestClock.adjust("20 seconds")
        for (const id of ids) assert.isAtLeast((yield* stateOf(id)).attempts.length, 1)
      })
    )
  )

  it.effect("is no more than is sent at once: then nothing is begun before it is recorded", () =>
    inWorld(
      Effect.gen(function* () {
        const endpoints = yield* Effect.replicateEffect(anEndpoint(), 40)
        yield* Effect.replicateEffect(anEvent(endpoints.map(({ endpoint }) => endpoint.id)), 4)
        let isAway = true
        const { made } = yield* watched((commit) =>
          isAway
            ? Effect.andThen(
                Effect.sleep("1 second"),
                Effect.fail(new StorageError({ reason: "Unavailable" }))
              )
            : commit
        )
        yield* made.start
        for (let step = 0; step < 20; step++) yield* TestClock.adjust("10 millis")
        assert.strictEqual((yield* sent).length, 64)
        isAway = false
        for (let step = 0; step < 20; step++) yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* sent).length, 160)
      })
    )
  )

  it.effect("counts for nobody else: other processes see it in somebody's hands", () =>
    inWorld(
      Effect.gen(function* () {
        const { endpoint } = yield* deliveriesTo(8)
        const { made } = yield* watched((commit) => Effect.delay(commit, "5 seconds"))
        yield* answerBy(() => answered(500))
        yield* made.start
        yield* TestClock.adjust("0 millis")
        yield* anEvent([endpoint.id])
        const storage = yield* Storage
        const claimed = yield* storage.claim({
          queue: "webhook",
          now: yield* (yield* ServiceTime).now,
          lease: "1 minute" as never,
          max: 64,
          perGroup: 4,
          token: yield* (yield* Ids).next<LeaseToken>()
        })
        assert.deepStrictEqual(claimed, [])
      })
    )
  )
})
