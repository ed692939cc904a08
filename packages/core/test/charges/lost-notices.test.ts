import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { DateTime, Effect } from "effect"
import type { PspOutcome, PspShape } from "../../src/ports/Psp.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import {
  callBack,
  noon,
  noticeOf,
  pspThat,
  txidOf,
  world
} from "../world/ServiceWorld.test-data.ts"

/** The minutes of business time after noon at which the PSP was asked about a charge, or to take it back. */
const watched = Effect.fnUntraced(function* (answer?: Effect.Effect<PspOutcome<never>>) {
  const minutes: Array<number> = []
  const time = yield* ServiceTime
  const told = <A>(call: Effect.Effect<PspOutcome<A>>) =>
    Effect.flatMap(time.now, (now): Effect.Effect<PspOutcome<A>> => {
      const minute = Math.round((DateTime.toEpochMillis(now) - noon) / 60_000)
      if (minutes.at(-1) !== minute) minutes.push(minute)
      return answer ?? call
    })
  const real: PspShape = yield* pspThat({
    findCharge: (reference) => told(real.findCharge(reference)),
    cancelCharge: (reference) => told(real.cancelCharge(reference))
  })
  return { minutes, real }
})

const statusOf = (story: Journey, charge: WithId) =>
  Effect.map(story.transaction(charge.id), ({ status }) => status)

/** Time goes by minute by minute. */
const passes = (story: Journey, minutes: number) =>
  Effect.replicateEffect(story.advance("1 minute"), minutes, { discard: true })

describe("a charge whose notice was lost for good", () => {
  it.effect(
    "is asked about in between, and credited within minutes of a payment made at once",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* story.charge()
        yield* story.faults({ operation: "notify", kind: "dropRequest" })
        yield* story.payAtBank(charge)
        yield* passes(story, 4)
        assert.strictEqual(yield* statusOf(story, charge), "pending")
        yield* passes(story, 1)
        assert.strictEqual(yield* statusOf(story, charge), "completed")
        assert.strictEqual((yield* story.figures).total, 1_000)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is found later the later it was paid, at its end at the latest", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 3_600 })
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      yield* passes(story, 30)
      yield* story.payAtBank(charge)
      yield* passes(story, 29)
      assert.strictEqual(yield* statusOf(story, charge), "pending")
      yield* passes(story, 3)
      assert.strictEqual(yield* statusOf(story, charge), "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("costs five questions in a day, beside the one at its end and those after it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { minutes } = yield* watched()
      const charge = yield* story.charge()
      yield* Effect.replicateEffect(story.advance("5 minutes"), 300, { discard: true })
      assert.strictEqual(yield* statusOf(story, charge), "cancelled")
      assert.deepStrictEqual(minutes.slice(0, 5), [5, 20, 80, 320, 1_280])
      assert.deepStrictEqual(minutes.slice(5), [1_440, 1_500])
    }).pipe(Effect.provide(world))
  )

  it.effect("is not asked about more often when the PSP does not answer", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { minutes, real } = yield* watched(
        Effect.succeed({ _tag: "Unknown", detail: "no answer" })
      )
      const charge = yield* story.charge({ expiresIn: 3_600 })
      yield* passes(story, 58)
      assert.deepStrictEqual(minutes, [5, 20])
      // At its end somebody waits for the answer: it is asked until there is one.
      yield* passes(story, 10)
      assert.isAbove(minutes.length, 5)
      yield* pspThat({ findCharge: real.findCharge, cancelCharge: real.cancelCharge })
      yield* passes(story, 10)
      assert.strictEqual(yield* statusOf(story, charge), "cancelled")
    }).pipe(Effect.provide(world))
  )

  it.effect("goes on being asked about when its PSP would not cancel it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const real = yield* pspThat({
        cancelCharge: () =>
          Effect.succeed({ _tag: "Rejected", code: "NO", message: "No." } as const)
      })
      yield* passes(story, 6)
      const answer = yield* story.shop.call("POST", `/pix/${charge.id}/cancel`)
      assert.strictEqual(answer.status, 400, answer.text)
      yield* pspThat({ cancelCharge: real.cancelCharge })
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      yield* story.payAtBank(charge)
      yield* passes(story, 20)
      assert.strictEqual(yield* statusOf(story, charge), "completed")
    }).pipe(Effect.provide(world))
  )
})

describe("a charge whose notice comes before the PSP shows the payment", () => {
  it.effect(
    "is asked about at growing waits for a day, and as ever afterwards",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const { minutes } = yield* watched()
        const charge = yield* story.charge({ expiresIn: 14 * 86_400 })
        yield* passes(story, 6)
        minutes.length = 0
        yield* callBack(noticeOf(txidOf(charge.id)))
        yield* passes(story, 1_600)
        // After notice: 25 times in the day; and when a lost notice would be looked for.
        assert.isBelow(minutes.length, 32)
        assert.isAbove(minutes.length, 20)
        const [last = 0, ...before] = minutes.toReversed()
        assert.strictEqual(last, 1_280)
        assert.isTrue(before.every((minute) => minute < 1_446))
        // Another notice begins anew, and finds what was paid.
        yield* story.faults({ operation: "notify", kind: "dropRequest" })
        yield* story.payAtBank(charge)
        yield* story.faults({ operation: "findCharge", kind: "lie", times: 1 })
        yield* callBack(noticeOf(txidOf(charge.id)))
        yield* story.drain
        assert.strictEqual(yield* statusOf(story, charge), "pending")
        yield* passes(story, 1)
        assert.strictEqual(yield* statusOf(story, charge), "completed")
        yield* story.audit
      }).pipe(Effect.provide(world)),
    // A day, minute by minute.
    60_000
  )

  it.effect("is asked about soon again when the PSP does not answer", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      yield* passes(story, 360)
      yield* story.faults({ operation: "findCharge", kind: "dropAnswer", times: 1 })
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual(yield* statusOf(story, charge), "pending")
      yield* passes(story, 6)
      assert.strictEqual(yield* statusOf(story, charge), "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
