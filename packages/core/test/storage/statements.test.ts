import { assert, describe, it } from "@effect/vitest"
import { journey, layerPagora, RecordingTransport } from "@pagora/testkit"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { EndToEndId } from "../../src/kernel/EndToEndId.ts"
import type { PspShape } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { Workers } from "../../src/workers/Workers.ts"
import { callBack, noon, noticeOf, pspThat, txidOf } from "../world/ServiceWorld.test-data.ts"

/** How often the storage was called, by what for. */
interface Calls {
  write: number
  claim: number
  nextDue: number
  /** Reads that go together with others of their kind. */
  look: number
  wallets: number
  /** Reads that nobody else's go together with. */
  list: number
  rows: number
}

const none: Calls = { write: 0, claim: 0, nextDue: 0, look: 0, wallets: 0, list: 0, rows: 0 }

const isCounted = (name: string): name is keyof Calls => Object.hasOwn(none, name)

/** Counts the calls of a storage. */
const counted = Effect.gen(function* () {
  const driver = yield* Effect.provide(StorageDriver, Layer.fresh(layerMemory))
  const calls: Calls = { ...none }
  const counting = Object.entries(driver).map(([name, method]) => [
    name,
    isCounted(name)
      ? (...values: ReadonlyArray<never>) => {
          calls[name]++
          return (method as (...values: ReadonlyArray<never>) => unknown)(...values)
        }
      : method
  ])
  const since = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const before = { ...calls }
      yield* effect
      yield* settled
      return Object.fromEntries(
        Object.entries(calls).map(([name, count]) => [name, count - before[name as keyof Calls]])
      )
    })
  return { since, layer: Layer.succeed(StorageDriver, Object.fromEntries(counting) as never) }
})

/** Everything that can be done is done. The test clock stands still: nobody polls. */
const settled = Effect.replicateEffect(Effect.yieldNow, 500, { discard: true })

type Since = Effect.Success<typeof counted>["since"]

const running = <A, E, R>(story: (since: Since) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const { layer, since } = yield* counted
    const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
    return yield* Effect.gen(function* () {
      const { start } = yield* Workers
      yield* start
      yield* settled
      return yield* story(since)
    }).pipe(
      Effect.provide(layerPagora(layer, Layer.succeedContext(transport))),
      Effect.provide(transport),
      Effect.scoped
    )
  })

/** A bank at which a charge is paid when the test says so. */
const bank = Effect.gen(function* () {
  let isPaid = false
  const before = yield* pspThat({})
  yield* pspThat({
    findCharge: (reference) =>
      Effect.map(before.findCharge(reference), (outcome) =>
        isPaid && outcome._tag === "Done" && outcome.value !== undefined
          ? done({
              ...outcome.value,
              status: "paid" as const,
              payments: [
                {
                  endToEndId: EndToEndId.make(`E99999999202611211200${reference.slice(-11)}`),
                  amount: outcome.value.amount,
                  paidAt: outcome.value.createdAt
                }
              ]
            })
          : outcome
      )
  })
  return { book: Effect.sync(() => (isPaid = true)) }
})

/** A bank that pays at once. */
const paidOut: PspShape["sendPayout"] = ({ amount, reference }) =>
  Effect.map(DateTime.now, (settledAt) =>
    done({
      reference,
      pspReference: `P${reference}`,
      status: "completed" as const,
      amount,
      endToEndId: EndToEndId.make(`E99999999202611211200${reference.slice(-11)}`),
      settledAt
    })
  )

describe("what the storage is asked, with workers running,", () => {
  it.effect("for a charge whose time comes later: no claim", () =>
    running((since) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* settled
        const asked = yield* since(story.charge())
        // One write before the PSP is asked, and one after; and what the sandbox's bank keeps of it.
        assert.deepStrictEqual(asked, { ...none, write: 3, look: 3 })
      })
    )
  )

  it.effect("from a notice to the payment: two writes, no claim, and no read by itself", () =>
    running((since) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const { book } = yield* bank
        const first = yield* story.charge()
        const charge = yield* story.charge()
        yield* book
        // The first payment of an account opens what events are routed by.
        yield* callBack(noticeOf(txidOf(first.id)))
        yield* settled
        const asked = yield* since(callBack(noticeOf(txidOf(charge.id))))
        assert.deepStrictEqual(asked, { ...none, write: 2, look: 4, wallets: 1 })
        assert.strictEqual((yield* story.figures).available, 2_000)
      })
    )
  )

  it.effect(
    "from a withdrawal to its end: three writes, no claim, and nothing read that was just written",
    () =>
      running((since) =>
        Effect.gen(function* () {
          const story = yield* journey()
          yield* story.fund(100)
          yield* pspThat({ sendPayout: paidOut })
          yield* story.withdraw()
          yield* settled
          const asked = yield* since(story.withdraw())
          assert.deepStrictEqual(asked, { ...none, write: 3, look: 2, wallets: 1 })
          assert.strictEqual((yield* story.figures).held, 0)
        })
      )
  )

  it.effect("while nothing is to be done: one look ahead a second, and a claim every five", () =>
    running((since) =>
      Effect.gen(function* () {
        const second = since(TestClock.adjust("1 second"))
        for (let count = 1; count < 5; count++)
          assert.deepStrictEqual(yield* second, { ...none, nextDue: 1, look: 1 })
        assert.deepStrictEqual(yield* second, { ...none, claim: 1, nextDue: 1, look: 1 })
        assert.deepStrictEqual(yield* second, { ...none, nextDue: 1, look: 1 })
      })
    )
  )
})
