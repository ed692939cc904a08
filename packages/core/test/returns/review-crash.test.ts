import { assert, describe, it } from "@effect/vitest"
import type { CrashPoint, Tenant } from "@pagora/testkit"
import { journey, RecordingTransport, resumed, startMortal, untilDeath } from "@pagora/testkit"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Storage } from "../../src/storage/Storage.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import type { Manner } from "./Returns.test-data.ts"
import { bankThat, returnsOf, sumOf } from "./Returns.test-data.ts"
import { operate, rowsOf } from "../reviews/Reviews.test-data.ts"
import { noon } from "../world/ServiceWorld.test-data.ts"

type Deed = "retry" | "completed" | "failed"

/** What an operator does who looks at what waits, and takes the next step, until nothing waits. */
const carryOn = Effect.fnUntraced(function* (shop: Tenant, deed: Deed) {
  const story = yield* resumed(shop)
  const reason = "Looked at the bank."
  for (const { id, type } of yield* rowsOf(`/reviews?account=${shop.id}`)) {
    assert.strictEqual(type, "deposit_return")
    const path = `/returns/${id}` as const
    const answer = yield* deed === "retry"
      ? operate("POST", `${path}/retry`, { reason })
      : operate("POST", `${path}/resolve`, { outcome: deed, reason })
    assert.isBelow(answer.status, 300, answer.text)
  }
  yield* story.drain
  return story
})

const begun = Effect.gen(function* () {
  const story = yield* journey()
  const manners: ReadonlyArray<Manner> = ["refuses", "refuses", "refuses"]
  const bank = yield* bankThat(manners)
  const charge = yield* story.charge({ amount: 20 })
  yield* story.payAtBank(charge, { amount: 10 })
  yield* story.drain
  for (const wait of ["1 minute", "10 minutes", "1 minute"] as const) yield* story.advance(wait)
  return { bank, shop: story.shop }
})

const verify = Effect.fnUntraced(function* (shop: Tenant, deed: Deed) {
  const story = yield* resumed(shop)
  const returns = yield* returnsOf(shop.id)
  assert.deepStrictEqual(
    returns.map(({ status }) => status),
    deed === "retry" ? ["replaced", "confirmed"] : [deed === "failed" ? "failed" : "confirmed"]
  )
  assert.strictEqual(yield* sumOf(shop.id, "suspense"), 0n)
  assert.strictEqual(yield* sumOf(shop.id, "equity"), deed === "failed" ? 1_000n : 0n)
  assert.deepStrictEqual(yield* rowsOf("/reviews"), [])
  assert.deepStrictEqual(yield* rowsOf("/suspense"), [])
  const storage = yield* Storage
  assert.isUndefined(yield* storage.nextDue(["return", "review"]))
  yield* story.audit
})

/** Lets a person decide in a process that dies at the point, and decide what is left in the next one. */
const crashAt = Effect.fnUntraced(function* (deed: Deed, point: CrashPoint | undefined) {
  const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
  const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
  const first = yield* startMortal(driver, transport)
  const { bank, shop } = yield* Effect.provideContext(begun, first.services)
  yield* first.arm(point)
  yield* untilDeath(first, carryOn(shop, deed))
  const calls = yield* first.calls
  const last = first.isDead() ? yield* startMortal(driver, transport) : first
  yield* Effect.provideContext(
    Effect.gen(function* () {
      if (first.isDead()) yield* bank.move
      // Leases of the dead one end by the real clock.
      yield* TestClock.adjust("61 seconds")
      const story = yield* carryOn(shop, deed)
      yield* story.advance("1 hour")
      yield* verify(shop, deed)
    }),
    last.services
  )
  assert.strictEqual(bank.sent(), deed === "retry" ? 1_000n : 0n)
  return { calls, died: first.isDead() }
})

describe("a person's decision about refused money", { timeout: 90_000 }, () => {
  it.effect.each(["retry", "completed", "failed"] as const)(
    "%s: comes to the same end wherever the process dies",
    (deed) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const { calls, died } = yield* crashAt(deed, undefined)
        assert.isFalse(died)
        // At least: decided, and for a new try: claimed, about to be told, confirmed.
        assert.isAtLeast(calls, deed === "retry" ? 4 : 1)
        for (let call = 0; call < calls; call++) {
          for (const side of ["before", "after"] as const) {
            assert.isTrue((yield* crashAt(deed, { call, side })).died, `${side} ${call}`)
          }
        }
      })
  )
})
