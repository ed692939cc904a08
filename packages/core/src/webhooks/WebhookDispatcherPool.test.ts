import { assert, describe, it } from "@effect/vitest"
import { RecordingTransport } from "@pagora/testkit"
import type { RecordedRequest } from "@pagora/testkit"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { DeliveryId, EndpointId } from "../kernel/Ids.ts"
import { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { anEndpoint, anEvent, dispatcher, inWorld, stateOf } from "./DispatcherWorld.test-data.ts"
import { WebhookDispatcher } from "./WebhookDispatcher.ts"

const { answered, failed, silent } = RecordingTransport

const sent = Effect.flatMap(RecordingTransport, ({ requests }) => requests)
const answerBy = (script: Parameters<RecordingTransport["Service"]["answerBy"]>[0]) =>
  Effect.flatMap(RecordingTransport, (transport) => transport.answerBy(script))

const idOf = (request: RecordedRequest): string => request.headers["X-Service-Webhook-ID"] ?? ""
const tryOf = (request: RecordedRequest): string => `${idOf(request)} ${request.epochMillis}`

const start = Effect.flatMap(dispatcher, (made) => made.start)

const someEndpoints = (count: number) =>
  Effect.map(Effect.replicateEffect(anEndpoint(), count), (all) =>
    all.map(({ endpoint }) => endpoint)
  )

const aDelivery = Effect.gen(function* () {
  const { endpoint } = yield* anEndpoint()
  const { deliveries } = yield* anEvent([endpoint.id])
  return { endpoint, id: deliveries[0] as DeliveryId }
})

const statuses = (ids: ReadonlyArray<DeliveryId>) =>
  Effect.forEach(ids, (id) => Effect.map(stateOf(id), ({ status }) => status))

describe("many endpoints", () => {
  it.effect("one of ten that hangs holds up none of the others", () =>
    inWorld(
      Effect.gen(function* () {
        const endpoints = yield* someEndpoints(10)
        const [slow] = endpoints
        yield* answerBy(({ url }) => (url === slow?.url ? silent : answered(200)))
        yield* start
        yield* Effect.replicateEffect(anEvent(endpoints.map(({ id }) => id)), 30)
        yield* TestClock.adjust("0 millis")
        const requests = yield* sent
        assert.strictEqual(requests.filter(({ url }) => url !== slow?.url).length, 9 * 30)
        assert.strictEqual(requests.filter(({ url }) => url === slow?.url).length, 4)
        assert.isTrue(requests.every(({ epochMillis }) => epochMillis === 0))
        // Its own line goes on, one at a time now that it is known to be slow.
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* sent).filter(({ url }) => url === slow?.url).length, 5)
      })
    )
  )

  it.effect("fifteen that hang leave slots for the rest", () =>
    inWorld(
      Effect.gen(function* () {
        const slow = yield* someEndpoints(15)
        const { endpoint: quick } = yield* anEndpoint()
        yield* answerBy(({ url }) => (url === quick.url ? answered(200) : silent))
        yield* start
        yield* Effect.replicateEffect(anEvent(slow.map(({ id }) => id)), 10)
        yield* TestClock.adjust("1 second")
        yield* Effect.replicateEffect(anEvent([quick.id]), 50)
        yield* TestClock.adjust("0 millis")
        const requests = yield* sent
        assert.strictEqual(requests.filter(({ url }) => url === quick.url).length, 50)
        assert.strictEqual(requests.filter(({ url }) => url !== quick.url).length, 60)
      })
    )
  )

  it.effect("no more than 64 sends are on their way, and every end makes room", () =>
    inWorld(
      Effect.gen(function* () {
        const endpoints = yield* someEndpoints(40)
        let under = 0
        let most = 0
        yield* answerBy(() =>
          Effect.gen(function* () {
            most = Math.max(most, ++under)
            yield* Effect.sleep("300 millis")
            under--
            return yield* answered(200)
          })
        )
        yield* start
        yield* Effect.replicateEffect(anEvent(endpoints.map(({ id }) => id)), 8)
        yield* TestClock.adjust("1499 millis")
        assert.strictEqual(most, 64)
        assert.strictEqual((yield* sent).length, 5 * 64)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(under, 0)
      })
    )
  )
})

describe("many processes", () => {
  it.effect("two never make the same attempt twice", () =>
    inWorld(
      Effect.gen(function* () {
        const endpoints = yield* someEndpoints(20)
        yield* answerBy((_, nth) =>
          Effect.andThen(
            Effect.sleep(`${nth % 7} millis`),
            nth % 3 === 0 ? failed("connection") : answered(200)
          )
        )
        yield* start
        yield* start
        const events = yield* Effect.replicateEffect(anEvent(endpoints.map(({ id }) => id)), 10)
        for (let second = 0; second < 120; second++) yield* TestClock.adjust("1 second")
        const requests = yield* sent
        assert.strictEqual(new Set(requests.map(tryOf)).size, requests.length)
        const all = events.flatMap(({ deliveries }) => deliveries)
        assert.strictEqual(all.length, 200)
        for (const id of all) {
          const { attempts, status } = yield* stateOf(id)
          assert.include(["delivered", "exhausted"], status)
          assert.strictEqual(
            requests.filter((request) => idOf(request) === id).length,
            attempts.length
          )
          assert.isAtMost(attempts.length, 5)
        }
      })
    )
  )

  it.effect("whoever has lost the lease records nothing, and that is no error", () => {
    const errors: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") errors.push(String(message))
    })
    return inWorld(
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        yield* answerBy((_, nth) =>
          nth === 1 ? Effect.andThen(Deferred.await(gate), answered(500)) : answered(200)
        )
        const stuck = yield* dispatcher
        const first = yield* Effect.forkChild(stuck.drain)
        const { id } = yield* aDelivery
        yield* TestClock.adjust("0 millis")
        yield* stuck.wake
        const again = yield* Effect.forkChild(stuck.drain)
        yield* TestClock.adjust("29999 millis")
        const other = yield* dispatcher
        assert.strictEqual(yield* other.drain, 0)
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* other.drain, 1)
        assert.deepStrictEqual(yield* stateOf(id), {
          status: "delivered",
          attempts: [[1, "answered", 200]]
        })
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(first)
        yield* Fiber.join(again)
        assert.deepStrictEqual(yield* stateOf(id), {
          status: "delivered",
          attempts: [[1, "answered", 200]]
        })
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* other.drain, 0)
        assert.deepStrictEqual(errors, [])
      })
    ).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("a crash between sending and recording sends again, with the same bytes and ids", () =>
    inWorld(
      Effect.gen(function* () {
        const storage = yield* Storage
        const { id } = yield* aDelivery
        // The first process can claim and send, and dies before its commit comes through.
        const dying = yield* Scope.make()
        const deaf = Storage.of({ ...storage, commit: () => Effect.never })
        const process = yield* Layer.build(Layer.fresh(WebhookDispatcher.layer)).pipe(
          Effect.provideService(Storage, deaf),
          Scope.provide(dying)
        )
        yield* Effect.forkChild(
          Effect.provide(
            Effect.flatMap(WebhookDispatcher, ({ drain }) => drain),
            process
          )
        )
        yield* TestClock.adjust("0 millis")
        const ending = yield* Effect.forkChild(Scope.close(dying, Exit.void))
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(ending)
        assert.deepStrictEqual(yield* stateOf(id), { status: "queued", attempts: [] })

        yield* start
        yield* TestClock.adjust("19 seconds")
        assert.strictEqual((yield* sent).length, 1)
        yield* TestClock.adjust("2 seconds")
        const [before, after, ...more] = yield* sent
        assert.deepStrictEqual(more, [])
        assert.strictEqual(after?.body, before?.body)
        for (const name of [
          "X-Service-Webhook-ID",
          "X-Service-Signature",
          "X-Service-Event",
          "webhook-id"
        ]) {
          assert.strictEqual(after?.headers[name], before?.headers[name])
        }
        assert.deepStrictEqual(yield* stateOf(id), {
          status: "delivered",
          attempts: [[1, "answered", 200]]
        })
      })
    )
  )
})

describe("trouble of the storage", () => {
  const troubled = (fail: (nth: number) => boolean) =>
    Effect.map(Storage, (storage) => {
      let calls = 0
      return Storage.of({
        ...storage,
        commit: (unit) =>
          Effect.suspend(() =>
            fail(++calls) ? new StorageError({ reason: "Unavailable" }) : storage.commit(unit)
          )
      })
    })

  it.effect("what was sent is recorded as soon as it can be, and not sent again", () =>
    inWorld(
      Effect.gen(function* () {
        const { id } = yield* aDelivery
        const storage = yield* troubled((nth) => nth <= 4)
        const made = yield* Effect.provideService(dispatcher, Storage, storage)
        yield* made.start
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* stateOf(id), {
          status: "delivered",
          attempts: [[1, "answered", 200]]
        })
        yield* TestClock.adjust("1 hour")
        assert.strictEqual((yield* sent).length, 1)
      })
    )
  )

  it.effect("when nothing can be claimed for a while, it goes on afterwards", () =>
    inWorld(
      Effect.gen(function* () {
        const storage = yield* Storage
        let isAway = true
        const away = Storage.of({
          ...storage,
          claim: (claim) =>
            Effect.suspend(() =>
              isAway ? new StorageError({ reason: "Unavailable" }) : storage.claim(claim)
            )
        })
        const made = yield* Effect.provideService(dispatcher, Storage, away)
        yield* made.start
        const { id } = yield* aDelivery
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* sent, [])
        assert.strictEqual((yield* Effect.flip(made.drain)).reason, "Unavailable")
        isAway = false
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* stateOf(id)).status, "delivered")
      })
    )
  )

  it.effect("a bug in one send leaves the others alone, and its delivery is tried again", () =>
    inWorld(
      Effect.gen(function* () {
        const endpoints = yield* someEndpoints(3)
        yield* answerBy((_, nth) => (nth === 2 ? Effect.die(new Error("a bug")) : answered(200)))
        yield* start
        const { deliveries } = yield* anEvent(endpoints.map(({ id }) => id))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual((yield* statuses(deliveries)).toSorted(), [
          "delivered",
          "delivered",
          "queued"
        ])
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual(yield* statuses(deliveries), ["delivered", "delivered", "delivered"])
      })
    )
  )
})

describe("drain", () => {
  it.effect("answers when everything that is due was worked off, also what the loop holds", () =>
    inWorld(
      Effect.gen(function* () {
        yield* answerBy(() => Effect.andThen(Effect.sleep("3 seconds"), answered(200)))
        const made = yield* dispatcher
        yield* made.start
        const endpoints = yield* someEndpoints(3)
        const events = yield* Effect.replicateEffect(anEvent(endpoints.map(({ id }) => id)), 10)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* sent).length, 12)
        const draining = yield* Effect.forkChild(made.drain)
        yield* TestClock.adjust("7999 millis")
        assert.isUndefined(draining.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.isDefined(draining.pollUnsafe())
        const all = events.flatMap(({ deliveries }) => deliveries)
        assert.isTrue((yield* statuses(all)).every((status) => status === "delivered"))
      })
    )
  )

  it.effect("an impatient caller does not take a send along", () =>
    inWorld(
      Effect.gen(function* () {
        yield* answerBy(() => Effect.andThen(Effect.sleep("3 seconds"), answered(200)))
        const made = yield* dispatcher
        const { id } = yield* aDelivery
        const draining = yield* Effect.forkChild(made.drain)
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(draining)
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual((yield* stateOf(id)).status, "delivered")
      })
    )
  )

  const slowClaims = Effect.map(Storage, (storage) =>
    Storage.of({
      ...storage,
      claim: (claim) => Effect.tap(storage.claim(claim), () => Effect.sleep("1 second"))
    })
  )

  it.effect("what an impatient caller has claimed is sent all the same", () =>
    inWorld(
      Effect.gen(function* () {
        const made = yield* Effect.provideService(dispatcher, Storage, yield* slowClaims)
        const { id } = yield* aDelivery
        const draining = yield* Effect.forkChild(made.drain)
        yield* TestClock.adjust("500 millis")
        const leaving = yield* Effect.forkChild(Fiber.interrupt(draining))
        yield* TestClock.adjust("500 millis")
        yield* Fiber.join(leaving)
        assert.strictEqual((yield* stateOf(id)).status, "delivered")
      })
    )
  )

  it.effect("several at once take no more slots than there are", () =>
    inWorld(
      Effect.gen(function* () {
        const made = yield* Effect.provideService(dispatcher, Storage, yield* slowClaims)
        const endpoints = yield* someEndpoints(40)
        yield* answerBy(() => silent)
        yield* Effect.replicateEffect(anEvent(endpoints.map(({ id }) => id)), 4)
        yield* made.start
        yield* Effect.forkChild(made.drain)
        yield* Effect.forkChild(made.drain)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* sent).length, 64)
      })
    )
  )

  it.effect("works a thousand off, in business time", () =>
    inWorld(
      Effect.gen(function* () {
        const made = yield* dispatcher
        const endpoints = yield* someEndpoints(143)
        yield* answerBy((_, nth) => answered(nth % 10 === 0 ? 500 : 200))
        yield* Effect.replicateEffect(anEvent(endpoints.map(({ id }) => id)), 7)
        assert.strictEqual(yield* made.drain, 1_001)
        assert.strictEqual(yield* made.drain, 0)
        const time = yield* ServiceTime
        yield* time.setOffset(Duration.minutes(1))
        assert.strictEqual(yield* made.drain, 100)
      })
    )
  )
})

describe("a stop", () => {
  const stopped = (seconds: number) =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      yield* answerBy(() => Effect.andThen(Effect.sleep(`${seconds} seconds`), answered(200)))
      const made = yield* Scope.provide(dispatcher, scope)
      yield* Scope.provide(made.start, scope)
      const { endpoint, id } = yield* aDelivery
      yield* TestClock.adjust("1 second")
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust("0 millis")
      const late = yield* anEvent([endpoint.id as EndpointId])
      return { closing, id, late: late.deliveries[0] as DeliveryId, made }
    })

  it.effect("lets what is on its way arrive, and begins nothing more", () =>
    inWorld(
      Effect.gen(function* () {
        const { closing, id, late, made } = yield* stopped(9)
        assert.isUndefined(closing.pollUnsafe())
        yield* TestClock.adjust("8 seconds")
        assert.isDefined(closing.pollUnsafe())
        assert.strictEqual((yield* stateOf(id)).status, "delivered")
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* made.drain, 0)
        assert.deepStrictEqual(yield* stateOf(late), { status: "queued", attempts: [] })
        assert.strictEqual((yield* sent).length, 1)
      })
    )
  )

  it.effect("does not wait longer than ten seconds, and leaves the rest to its lease", () =>
    inWorld(
      Effect.gen(function* () {
        const { closing, id } = yield* stopped(60)
        yield* TestClock.adjust("9999 millis")
        assert.isUndefined(closing.pollUnsafe())
        yield* TestClock.adjust("1 millis")
        assert.isDefined(closing.pollUnsafe())
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* stateOf(id), { status: "queued", attempts: [] })
        yield* answerBy(() => answered(200))
        yield* start
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* stateOf(id)).status, "delivered")
      })
    )
  )
})
