import { assert, describe, it } from "@effect/vitest"
import { RecordingTransport } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { AccountId } from "../kernel/Ids.ts"
import { Storage } from "../storage/Storage.ts"
import { anEndpoint, anEvent, dispatcher, inWorld } from "./DispatcherWorld.test-data.ts"

const { answered, silent } = RecordingTransport

const sent = Effect.flatMap(RecordingTransport, ({ requests }) => requests)
const answerBy = (script: Parameters<RecordingTransport["Service"]["answerBy"]>[0]) =>
  Effect.flatMap(RecordingTransport, (transport) => transport.answerBy(script))

/** A storage whose claims take their time: sends end while one is under way. */
const withSlowClaims = (millis: number) =>
  Effect.map(Storage, (storage) =>
    Storage.of({
      ...storage,
      claim: (claim) => Effect.tap(storage.claim(claim), () => Effect.sleep(millis))
    })
  )

/** The longest time in which nothing was sent, between the first send and the last. */
const longestSilence = (times: ReadonlyArray<number>): number =>
  Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)))

describe("a backlog for a receiver that answers at once", () => {
  for (const claimMillis of [1, 5, 20]) {
    it.effect(`is sent without a silence, where a claim takes ${claimMillis} ms`, () =>
      inWorld(
        Effect.gen(function* () {
          const { endpoint } = yield* anEndpoint()
          yield* Effect.replicateEffect(anEvent([endpoint.id]), 500)
          yield* answerBy((_, nth) => Effect.andThen(Effect.sleep(nth % 4), answered(200)))
          const storage = yield* withSlowClaims(claimMillis)
          const made = yield* Effect.provideService(dispatcher, Storage, storage)
          yield* made.start
          for (let step = 0; step < 100; step++) yield* TestClock.adjust("50 millis")
          const times = (yield* sent).map(({ epochMillis }) => epochMillis)
          assert.isAtMost(longestSilence(times), 100)
          assert.strictEqual(times.length, 500)
        })
      )
    )
  }
})

const start = Effect.flatMap(dispatcher, (made) => made.start)

/** How many sends to one address are under way, at most, and now. */
const counting = (millis: number) => {
  const seen = { under: 0, most: 0 }
  const answering = Effect.gen(function* () {
    seen.most = Math.max(seen.most, ++seen.under)
    yield* Effect.sleep(millis)
    seen.under--
    return { _tag: "Answered", status: 200, durationMillis: millis } as const
  })
  return { seen, answering }
}

describe("an endpoint", () => {
  it.effect("that answers quickly gets more slots, up to 32", () =>
    inWorld(
      Effect.gen(function* () {
        const { endpoint } = yield* anEndpoint()
        yield* Effect.replicateEffect(anEvent([endpoint.id]), 2_000)
        const { answering, seen } = counting(20)
        yield* answerBy(() => answering)
        yield* start
        yield* TestClock.adjust("20 millis")
        assert.strictEqual(seen.most, 4)
        for (let step = 0; step < 100; step++) yield* TestClock.adjust("50 millis")
        assert.strictEqual(seen.most, 32)
        assert.strictEqual((yield* sent).length, 2_000)
      })
    )
  )

  it.effect("that answers slowly keeps one, and gets more again when it is quick", () =>
    inWorld(
      Effect.gen(function* () {
        const { endpoint } = yield* anEndpoint()
        yield* Effect.replicateEffect(anEvent([endpoint.id]), 200)
        const slow = counting(3_000)
        yield* answerBy(() => slow.answering)
        yield* start
        for (let second = 0; second < 8; second++) yield* TestClock.adjust("1 second")
        assert.strictEqual(slow.seen.under, 1)
        const quick = counting(10)
        yield* answerBy(() => quick.answering)
        for (let step = 0; step < 80; step++) yield* TestClock.adjust("50 millis")
        assert.isAbove(quick.seen.most, 4)
        assert.strictEqual((yield* sent).length, 200)
      })
    )
  )
})

describe("one account with twenty endpoints that hang", () => {
  const tarpits = Effect.gen(function* () {
    const account = "00000000-0000-7000-8000-0000000000bb" as AccountId
    const slow = yield* Effect.replicateEffect(anEndpoint({ account }), 20)
    const ids = slow.map(({ endpoint }) => endpoint.id)
    yield* Effect.replicateEffect(anEvent(ids), 12)
    const { endpoint: other } = yield* anEndpoint()
    const { endpoint: own } = yield* anEndpoint({ account })
    yield* answerBy(({ url }) => (url === other.url || url === own.url ? answered(200) : silent))
    return { other, own }
  })
  const arrived = (url: string) =>
    Effect.map(sent, (requests) => requests.filter((request) => request.url === url).length)

  it.effect("keeps nobody else waiting", () =>
    inWorld(
      Effect.gen(function* () {
        const { other } = yield* tarpits
        yield* start
        for (let second = 1; second <= 30; second++) {
          yield* TestClock.adjust("1 second")
          yield* anEvent([other.id])
          yield* TestClock.adjust("0 millis")
          assert.strictEqual(yield* arrived(other.url), second)
        }
      })
    )
  )

  it.effect("has slots left for its others, once those are known to hang", () =>
    inWorld(
      Effect.gen(function* () {
        const { own } = yield* tarpits
        yield* start
        for (let second = 1; second <= 12; second++) yield* TestClock.adjust("1 second")
        for (let second = 1; second <= 30; second++) {
          yield* anEvent([own.id])
          yield* TestClock.adjust("1 second")
          assert.strictEqual(yield* arrived(own.url), second)
        }
      })
    )
  )
})

describe("a payment", () => {
  it.effect("goes ahead of a thousand expiries, and they are not kept waiting by payments", () =>
    inWorld(
      Effect.gen(function* () {
        const { endpoint } = yield* anEndpoint()
        yield* Effect.replicateEffect(anEvent([endpoint.id], "payment_expired"), 1_000)
        yield* answerBy(() => Effect.andThen(Effect.sleep(500), answered(200)))
        yield* start
        yield* TestClock.adjust("100 millis")
        yield* Effect.replicateEffect(anEvent([endpoint.id]), 200)
        yield* TestClock.adjust("0 millis")
        const kinds = (yield* sent).map(({ headers }) => headers["X-Service-Event"])
        assert.strictEqual(kinds.filter((kind) => kind === "payment_completed").length, 4)
        yield* TestClock.adjust("1 second")
        const later = (yield* sent).slice(kinds.length)
        assert.isAbove(
          later.filter(({ headers }) => headers["X-Service-Event"] === "payment_expired").length,
          0
        )
      })
    )
  )
})
