import { assert, describe, it } from "@effect/vitest"
import type { Journey, ReceivedEvent, WithId } from "@pagora/testkit"
import { hookUrl, journey, RecordingTransport, TestPagora } from "@pagora/testkit"
import type { Duration } from "effect"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { StorageError } from "../../src/units/Refused.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import * as Services from "../../src/app/Services.ts"
import { Workers } from "../../src/workers/Workers.ts"
import { codeOf, world, Written } from "../world/ServiceWorld.test-data.ts"

const { answered, failed } = RecordingTransport

/** Every endpoint answers so from now on; those of `others` as told there. */
const answerWith = (status: number, others: Readonly<Record<string, number>> = {}) =>
  Effect.flatMap(RecordingTransport, ({ answerBy }) =>
    answerBy(({ url }) => answered(others[url] ?? status))
  )

/** Something to tell of: a charge that ends. Answers the id of its event. */
const happens = (story: Journey) =>
  Effect.gen(function* () {
    const charge = yield* story.expire(yield* story.charge())
    yield* story.drain
    return `payment_expired_${charge.id}`
  })

/** Time goes by in steps, and what becomes due is worked off after each. */
const passes = (story: Journey, steps: number, step: Duration.Input = "10 seconds") =>
  Effect.replicateEffect(story.advance(step), steps, { discard: true })

/** Gives up one delivery of each of so many events. */
const misses = (story: Journey, count: number) =>
  Effect.gen(function* () {
    yield* answerWith(500)
    const events = yield* Effect.replicateEffect(happens(story), count)
    yield* passes(story, 6)
    return events
  })

const eventsOf = (told: ReadonlyArray<ReceivedEvent>) => told.map(({ eventId }) => eventId)

const statusesOf = (story: Journey) =>
  Effect.map(story.deliveries, (all) => all.map(({ status }) => status).toSorted())

const endpointOf = (story: Journey) =>
  Effect.gen(function* () {
    const { operator } = yield* TestPagora
    const { json } = yield* operator("GET", `/accounts/${story.shop.id}/webhook-endpoints`)
    return json.data[0] ?? (yield* Effect.die(new Error("There is no endpoint.")))
  })

const change = (story: Journey, endpoint: WithId, body: unknown) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("PATCH", `/accounts/${story.shop.id}/webhook-endpoints/${endpoint.id}`, {
      body
    })
  )

const recover = (endpoint: WithId, since: string) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("POST", `/webhook-endpoints/${endpoint.id}/recover`, { body: { since } })
  )

describe("an endpoint that answers 500 for two minutes", () => {
  it.effect("has every missed event after the next delivered one, in order, without a probe", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* answerWith(500)
      const missed: Array<string> = []
      for (let step = 0; step < 6; step++) {
        missed.push(yield* happens(story))
        yield* passes(story, 2)
      }
      yield* passes(story, 6)
      const tries = (yield* story.received()).length
      assert.strictEqual(tries, 6 * 5)
      // It is well again, and nobody knows: nothing is sent to find out.
      yield* answerWith(200)
      yield* passes(story, 360)
      assert.strictEqual((yield* story.received()).length, tries)
      const next = yield* happens(story)
      yield* story.drain
      const told = eventsOf(yield* story.events()).slice(tries)
      assert.deepStrictEqual(told, [next, ...missed])
      assert.deepStrictEqual(yield* statusesOf(story), [
        ...Array.from({ length: 7 }, () => "delivered"),
        ...Array.from({ length: 6 }, () => "resent")
      ])
      // Once each: another success brings nothing back.
      yield* happens(story)
      yield* passes(story, 10)
      assert.strictEqual((yield* story.received()).length, tries + 8)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "sends the same bytes under ids of their own, and keeps the five attempts in the log",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        const [missed] = yield* misses(story, 1)
        yield* answerWith(200)
        yield* happens(story)
        yield* story.drain
        const requests = (yield* story.received()).filter(({ body }) =>
          body.includes(String(missed))
        )
        assert.strictEqual(requests.length, 6)
        assert.strictEqual(new Set(requests.map(({ body }) => body)).size, 1)
        const ids = requests.map(({ headers }) => headers["X-Service-Webhook-ID"])
        assert.strictEqual(new Set(ids).size, 2)
        const [resent] = yield* story.deliveriesBy("?status=resent")
        assert.strictEqual(resent?.id, ids[0])
        const attempts = resent?.attempts as unknown as ReadonlyArray<unknown>
        assert.strictEqual(attempts.length, 5)
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "gets what it missed in batches, and an endpoint that fails again is spared the rest",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        const missed = yield* misses(story, 250)
        const tries = (yield* story.received()).length
        yield* answerWith(200)
        yield* happens(story)
        yield* story.drain
        const receivedSince = Effect.map(story.received(), ({ length }) => length - tries)
        assert.strictEqual(yield* receivedSince, 101)
        yield* answerWith(500)
        yield* happens(story)
        yield* passes(story, 12)
        // The new event alone, five times.
        assert.strictEqual(yield* receivedSince, 106)
        yield* answerWith(200)
        yield* happens(story)
        yield* passes(story, 5, "1 second")
        assert.strictEqual(yield* receivedSince, 106 + 1 + 151)
        const arrived = new Set(eventsOf(yield* story.events()).slice(tries))
        assert.isTrue(missed.every((event) => arrived.has(event)))
        assert.strictEqual((yield* story.deliveriesBy("?status=exhausted")).length, 0)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is sent nothing twice that was resent by hand", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { operator } = yield* TestPagora
      yield* story.endpoint()
      yield* misses(story, 3)
      const tries = (yield* story.received()).length
      const [one] = yield* story.deliveriesBy("?status=exhausted")
      yield* answerWith(200)
      yield* operator("POST", `/deliveries/${String(one?.id)}/resend`)
      yield* story.drain
      const told = eventsOf(yield* story.events()).slice(tries)
      assert.strictEqual(told.length, 3)
      assert.strictEqual(new Set(told).size, 3)
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves the deliveries of other endpoints alone", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const other = "https://other.example.com/hook"
      yield* story.endpoint()
      yield* story.endpoint({ url: other })
      yield* misses(story, 2)
      const tries = (yield* story.received(other)).length
      yield* answerWith(200, { [other]: 500 })
      yield* happens(story)
      yield* passes(story, 6)
      assert.strictEqual((yield* story.received(other)).length, tries + 5)
      assert.strictEqual((yield* story.deliveriesBy("?status=exhausted")).length, 3)
    }).pipe(Effect.provide(world))
  )
})

describe("a recovery", () => {
  /** Workers of another process over the same storage. */
  const otherWorkers = Effect.map(Layer.build(Layer.fresh(Services.layer)), (context) =>
    Effect.provide(
      Effect.flatMap(Workers, ({ drain }) => drain),
      context
    )
  )

  it.effect("of two processes at once sends each event once", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* misses(story, 30)
      const tries = (yield* story.received()).length
      yield* answerWith(200)
      yield* story.expire(yield* story.charge())
      const drain = yield* otherWorkers
      for (let round = 0; round < 5; round++) {
        yield* Effect.all([drain, story.drain, drain], { concurrency: "unbounded" })
      }
      const told = eventsOf(yield* story.events()).slice(tries)
      assert.strictEqual(told.length, 31)
      assert.strictEqual(new Set(told).size, 31)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that dies before its commit is made by somebody else when its lease is over", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* misses(story, 5)
      const tries = (yield* story.received()).length
      yield* answerWith(200)
      const driver = yield* StorageDriver
      const { write } = driver
      // Nothing of the batch gets through, as when its process is gone before it commits.
      Object.assign(driver, {
        write: (merged: Parameters<typeof write>[0]) =>
          merged.deliveries.length > 1 && merged.events.length === 0
            ? new StorageError({ reason: "Unavailable" })
            : write(merged)
      })
      yield* happens(story)
      Object.assign(driver, { write })
      assert.strictEqual((yield* story.deliveriesBy("?status=resent")).length, 0)
      const drain = yield* otherWorkers
      yield* drain
      assert.strictEqual((yield* story.deliveriesBy("?status=resent")).length, 0)
      yield* TestClock.adjust("61 seconds")
      for (let round = 0; round < 3; round++) yield* drain
      assert.strictEqual((yield* story.deliveriesBy("?status=resent")).length, 5)
      const told = eventsOf(yield* story.events()).slice(tries)
      assert.strictEqual(told.length, 6)
      assert.strictEqual(new Set(told).size, 6)
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect(
    "on request sends what was given up since an instant, also while the endpoint fails",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const endpoint = yield* story.endpoint()
        yield* misses(story, 2)
        yield* story.advance("1 hour")
        const since = new Date(Date.parse("2026-11-21T12:30:00.000Z")).toISOString()
        const later = yield* misses(story, 2)
        const tries = (yield* story.received()).length
        const answer = yield* recover(endpoint, since)
        assert.strictEqual(answer.status, 201)
        assert.strictEqual(answer.json.endpointId, endpoint.id)
        assert.strictEqual(answer.json.since, since)
        yield* passes(story, 12)
        // Each of them five times more, and then no more: what fails again was not asked for.
        const told = eventsOf(yield* story.events()).slice(tries)
        assert.strictEqual(told.length, 10)
        assert.sameMembers([...new Set(told)], later)
        assert.strictEqual((yield* story.deliveriesBy("?status=exhausted")).length, 4)
      }).pipe(Effect.provide(world))
  )
})

describe("an endpoint that is switched off", () => {
  const logged = () => {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Warn") lines.push(String(message))
    })
    return { lines, layer: Logger.layer([logger]) }
  }

  it.effect("by 410 gets nothing more, says why, and gets all of it when it is on again", () => {
    const { layer, lines } = logged()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* answerWith(410)
      const first = yield* happens(story)
      assert.strictEqual((yield* story.received()).length, 1)
      const endpoint = yield* endpointOf(story)
      assert.strictEqual(endpoint.enabled, false)
      assert.strictEqual(endpoint.disabledReason, "gone")
      assert.strictEqual(endpoint.disabledAt, "2026-11-21T12:00:00.000Z")
      assert.strictEqual(lines.filter((line) => line.includes("was switched off")).length, 1)
      const kept = [yield* happens(story), yield* happens(story)]
      yield* passes(story, 20)
      assert.strictEqual((yield* story.received()).length, 1)
      assert.deepStrictEqual(yield* statusesOf(story), ["exhausted", "exhausted", "exhausted"])
      const refused = yield* recover(endpoint, "2026-11-21")
      assert.strictEqual(refused.status, 409)
      assert.strictEqual(codeOf(refused), "ENDPOINT_GONE")
      yield* answerWith(200)
      const on = yield* change(story, endpoint, { enabled: true })
      assert.strictEqual(on.status, 200)
      assert.notProperty(on.json, "disabledReason")
      yield* story.drain
      assert.deepStrictEqual(eventsOf(yield* story.events()).slice(1), [first, ...kept])
      assert.strictEqual((yield* story.deliveriesBy("?status=exhausted")).length, 0)
      yield* story.audit
    }).pipe(Effect.provide(world), Effect.provide(layer))
  })

  it.effect("after five days of failures, and not while something gets through", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const day = (status: number) =>
        Effect.gen(function* () {
          yield* answerWith(status)
          yield* happens(story)
          yield* passes(story, 6)
          yield* story.advance("23 hours")
        })
      for (const status of [500, 500, 500, 500, 200]) yield* day(status)
      for (let days = 0; days < 5; days++) yield* day(500)
      const failing = yield* endpointOf(story)
      assert.strictEqual(failing.enabled, true)
      assert.isDefined(failing.failingSince)
      yield* day(500)
      yield* day(500)
      const off = yield* endpointOf(story)
      assert.strictEqual(off.enabled, false)
      assert.strictEqual(off.disabledReason, "failing")
    }).pipe(Effect.provide(world))
  )

  it.effect("by its owner gets no events, and what waited for it is kept", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const made = yield* story.endpoint()
      yield* answerWith(500)
      const waiting = yield* happens(story)
      const off = yield* change(story, made, { enabled: false })
      assert.strictEqual(off.json.disabledReason, "request")
      yield* happens(story)
      yield* passes(story, 10)
      assert.strictEqual((yield* story.received()).length, 1)
      yield* answerWith(200)
      yield* change(story, made, { enabled: true })
      yield* story.drain
      assert.deepStrictEqual(eventsOf(yield* story.events()), [waiting, waiting])
    }).pipe(Effect.provide(world))
  )

  it.effect("writes nothing to its row while all goes well", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const { units } = yield* Written
      const before = units.length
      yield* Effect.replicateEffect(happens(story), 5)
      const written = units.slice(before).flatMap(({ updates }) => updates)
      assert.isFalse(written.some(({ row }) => row.kind === "endpoint"))
      assert.strictEqual((yield* story.received(hookUrl)).length, 5)
      yield* Effect.flatMap(RecordingTransport, ({ answerBy }) => answerBy(() => failed("dns")))
      yield* happens(story)
      const failedUpdates = units.slice(before).flatMap(({ updates }) => updates)
      assert.strictEqual(failedUpdates.filter(({ row }) => row.kind === "endpoint").length, 1)
    }).pipe(Effect.provide(world))
  )
})
