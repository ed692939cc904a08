import { assert, describe, it } from "@effect/vitest"
import { RecordingTransport } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Storage } from "../ports/Storage.ts"
import { anEndpoint, anEvent, dispatcher, inWorld } from "./DispatcherWorld.test-data.ts"

const { answered } = RecordingTransport

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
