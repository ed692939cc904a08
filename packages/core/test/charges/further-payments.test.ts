import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { journey, RecordingTransport, resumed, startMortal } from "@pagora/testkit"
import { Context, Duration, Effect, Layer } from "effect"
import type { PspCharge, PspOutcome } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import {
  callBack,
  noticeOf,
  pspThat,
  txidOf,
  world,
  Written
} from "../world/ServiceWorld.test-data.ts"

/** From now on the PSP's answers are of a time when it had so many payments of a charge. */
const lagging = Effect.gen(function* () {
  const lag = { shown: Infinity, questions: 0, meanwhile: Effect.void as Effect.Effect<void> }
  const { capabilities, findCharge } = yield* pspThat({})
  yield* pspThat({
    capabilities: { ...capabilities, settlementLag: Duration.minutes(2) },
    findCharge: (reference) =>
      Effect.gen(function* () {
        lag.questions++
        const { meanwhile, shown } = lag
        lag.meanwhile = Effect.void
        yield* meanwhile
        const outcome = yield* findCharge(reference)
        if (outcome._tag !== "Done" || outcome.value === undefined) return outcome
        const payments = outcome.value.payments.slice(0, shown)
        const status = payments.length === 0 ? "active" : outcome.value.status
        return done({ ...outcome.value, status, payments }) as PspOutcome<PspCharge>
      })
  })
  return lag
})

const deposits = (story: Journey) =>
  Effect.gen(function* () {
    const found = yield* (yield* Storage).list(
      {
        name: "deposit",
        table: "operation",
        read: ({ amount, version }) => ({ value: Number(amount), version })
      },
      { account: story.shop.id, order: "asc", limit: 9 }
    )
    return found.map(({ value }) => value)
  })

const noticed = (charge: WithId) => callBack(noticeOf(txidOf(charge.id)))

/** A charge that is paid and booked, and paid once more while the PSP shows the first payment alone. */
const paidTwice = Effect.gen(function* () {
  const story = yield* journey()
  const lag = yield* lagging
  const charge = yield* story.charge()
  yield* story.payAtBank(charge)
  yield* story.drain
  yield* story.advance("10 minutes")
  lag.shown = 1
  yield* story.payAtBank(charge)
  yield* story.drain
  assert.deepStrictEqual(yield* deposits(story), [])
  return { charge, lag, story }
})

/** One payment is the shop's, and the others are back with their payers. */
const verifyBooked = Effect.fnUntraced(function* (story: Journey, strays: ReadonlyArray<number>) {
  assert.deepStrictEqual(yield* deposits(story), strays)
  yield* story.drain
  assert.strictEqual((yield* story.figures).total, 1_000)
  yield* story.audit
})

/** Time goes by minute by minute. */
const passes = (story: Journey, minutes: number) =>
  Effect.replicateEffect(story.advance("1 minute"), minutes, { discard: true })

/** Nothing is asked about notices any more. */
const isQuiet = Effect.gen(function* () {
  assert.isUndefined(yield* (yield* Storage).nextDue(["inbox"]))
})

describe("a further payment whose notice comes before the PSP shows it", () => {
  it.effect("is booked, and goes back to its payer", () =>
    Effect.gen(function* () {
      const { lag, story } = yield* paidTwice
      lag.shown = 2
      yield* story.advance("1 minute")
      yield* verifyBooked(story, [1_000])
      yield* story.advance("2 days")
      yield* isQuiet
    }).pipe(Effect.provide(world))
  )

  it.effect.each([8, 64, 512, 24 * 60 - 8])(
    "is booked also where it shows within %s minutes",
    (by) =>
      Effect.gen(function* () {
        const { lag, story } = yield* paidTwice
        yield* passes(story, by - 1)
        assert.deepStrictEqual(yield* deposits(story), [])
        lag.shown = 2
        yield* passes(story, 1)
        yield* verifyBooked(story, [1_000])
      }).pipe(Effect.provide(world)),
    // Nearly a day, minute by minute.
    60_000
  )

  it.effect("is booked where both were announced before the first was shown", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const lag = yield* lagging
      const charge = yield* story.charge()
      lag.shown = 0
      for (let times = 0; times < 2; times++) {
        yield* story.payAtBank(charge)
        yield* story.drain
      }
      lag.shown = 1
      yield* story.advance("10 seconds")
      assert.strictEqual((yield* story.figures).total, 1_000)
      lag.shown = 2
      yield* story.advance("2 minutes")
      yield* verifyBooked(story, [1_000])
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked beside a wrong amount that leaves the charge open", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const lag = yield* lagging
      const charge = yield* story.charge()
      yield* story.payAtBank(charge, { amount: 3 })
      yield* story.drain
      lag.shown = 1
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 0)
      lag.shown = 2
      yield* story.advance("1 minute")
      yield* verifyBooked(story, [300])
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked where the one before it was asked about for the last time", () =>
    Effect.gen(function* () {
      const { charge, lag, story } = yield* paidTwice
      lag.shown = 2
      yield* story.advance("23 hours")
      yield* story.advance("49 minutes")
      assert.deepStrictEqual(yield* deposits(story), [1_000])
      yield* story.payAtBank(charge)
      yield* story.drain
      // What is the last look at the second payment is not the last at the third.
      yield* story.advance("5 minutes")
      yield* story.advance("10 minutes")
      lag.shown = 3
      yield* story.advance("2 hours")
      yield* verifyBooked(story, [1_000, 1_000])
      yield* story.advance("2 days")
      yield* isQuiet
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked long after the end of its charge, where such payments still come", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const lag = yield* lagging
      const charge = yield* story.charge()
      yield* story.payAtBank(charge)
      yield* story.drain
      for (const payments of [2, 3]) {
        yield* story.advance("30 days")
        lag.shown = payments - 1
        yield* story.payAtBank(charge)
        yield* story.drain
        yield* story.advance("59 minutes")
        lag.shown = payments
        yield* story.advance("61 minutes")
      }
      yield* verifyBooked(story, [1_000, 1_000])
      yield* story.advance("2 hours")
      yield* story.advance("2 hours")
      yield* isQuiet
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked where its notice comes while the last question is asked", () =>
    Effect.gen(function* () {
      const { charge, lag, story } = yield* paidTwice
      lag.shown = 2
      yield* story.advance("23 hours")
      lag.shown = 1
      lag.meanwhile = Effect.asVoid(story.payAtBank(charge))
      yield* story.advance("3 hours")
      lag.shown = 3
      yield* story.advance("2 hours")
      yield* verifyBooked(story, [1_000, 1_000])
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked though the PSP does not answer for hours", () =>
    Effect.gen(function* () {
      const { lag, story } = yield* paidTwice
      yield* story.faults({ operation: "findCharge", kind: "dropAnswer" })
      for (let hour = 0; hour < 30; hour++) yield* story.advance("1 hour")
      yield* story.faults()
      lag.shown = 2
      yield* story.advance("1 hour")
      yield* verifyBooked(story, [1_000])
    }).pipe(Effect.provide(world))
  )

  it.effect("is booked by another process where the one that was told has died", () =>
    Effect.gen(function* () {
      const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
      const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
      const told = yield* startMortal(driver, transport)
      const other = yield* startMortal(driver, transport)
      const { story } = yield* Effect.provideContext(paidTwice, told.services)
      yield* Effect.provideContext(
        Effect.gen(function* () {
          const here = yield* resumed(story.shop)
          yield* here.advance("1 minute")
          yield* verifyBooked(here, [1_000])
        }),
        other.services
      )
    })
  )
})

describe("a notice of a payment that is booked", () => {
  it.effect("costs few questions, and one write of the charge, however often it comes", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const lag = yield* lagging
      const charge = yield* story.charge({ expiresIn: 3_600 })
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual(lag.questions, 1)
      const { units } = yield* Written
      const before = units.length
      for (let times = 0; times < 3; times++) {
        yield* noticed(charge)
        yield* story.drain
        yield* story.advance("1 second")
      }
      yield* passes(story, 240)
      // One for each notice, and four in the hours after them.
      assert.isAtMost(lag.questions, 1 + 3 + 4)
      const written = units.slice(before).flatMap(({ updates }) => updates)
      assert.strictEqual(written.filter(({ row }) => row.id === charge.id).length, 1)
      yield* isQuiet
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("that is the only one is followed by no question", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const lag = yield* lagging
      yield* story.payAtBank(yield* story.charge())
      yield* story.drain
      yield* isQuiet
      yield* story.advance("3 days")
      assert.strictEqual(lag.questions, 1)
    }).pipe(Effect.provide(world))
  )
})
