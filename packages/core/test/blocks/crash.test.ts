import { assert, describe, it } from "@effect/vitest"
import type { CrashPoint, Journey, WithId } from "@pagora/testkit"
import { journey, RecordingTransport, resumed, startMortal, untilDeath } from "@pagora/testkit"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChargeId } from "../../src/kernel/Ids.ts"
import { Charge, ChargeKind } from "../../src/charges/Charge.ts"
import type { Kind } from "../../src/units/Kind.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import {
  block,
  chargebacks,
  defend,
  operatorBlocks,
  paid,
  resolve,
  returns,
  spendable
} from "./BalanceBlocks.test-data.ts"
import { noon } from "../world/ServiceWorld.test-data.ts"

/** What an operator does who looks what is there and takes the next step, until the block is at its end. */
const carryOn = Effect.fnUntraced(function* (story: Journey, charge: WithId) {
  const [known] = yield* operatorBlocks(story)
  const made = known ?? (yield* block(story, charge))
  if (made.status === "awaiting_response") yield* defend(made)
  if (made.status !== "approved") yield* resolve(made, "approved")
  const [current] = yield* operatorBlocks(story)
  const { total } = yield* story.figures
  // 3.00 were there; 7.00 are still to come.
  if (total + Math.round(Number(current?.returnedAmount) * 100) === 300) {
    yield* story.adjust({ amount: 7, reason: "credit" })
  }
  yield* story.advance("1 hour")
  yield* story.drain
})

const verify = Effect.fnUntraced(function* (story: Journey, charge: WithId) {
  const [made, ...others] = yield* operatorBlocks(story)
  assert.deepStrictEqual(others, [])
  assert.strictEqual(made?.returnedAmount, 10)
  assert.strictEqual(made?.owedAmount, 0)
  assert.deepStrictEqual(yield* spendable(story), [0, 0])
  for (const pieces of [yield* chargebacks(story), yield* returns(story)]) {
    assert.strictEqual(Number(pieces.reduce((sum, { amount }) => sum + amount, 0n)), 1_000)
  }
  const storage = yield* Storage
  const stored = yield* storage.find(ChargeKind as Kind<Charge>, ChargeId.make(charge.id))
  assert.strictEqual(stored?.value.openBlocks, 0)
  assert.strictEqual(stored?.value.chargedBack, 1_000n)
  assert.isUndefined(yield* storage.nextDue(["block"]))
  const told = new Set((yield* story.events()).map(({ eventId }) => eventId))
  const id = String(made?.id)
  assert.deepStrictEqual([...told].toSorted(), [
    `balance_block_approved_${id}`,
    `balance_block_created_${id}`
  ])
  yield* story.audit
})

/** Lets a block live in a process that dies at the point, and be brought to its end in the next one. */
const crashAt = Effect.fnUntraced(function* (point: CrashPoint | undefined) {
  const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
  const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
  const first = yield* startMortal(driver, transport)
  const { charge, story } = yield* Effect.provideContext(
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* paid(story)
      yield* story.adjust({ amount: -7, reason: "spent before" })
      yield* story.endpoint()
      return { charge, story }
    }),
    first.services
  )
  yield* first.arm(point)
  yield* untilDeath(first, carryOn(story, charge))
  const calls = yield* first.calls
  const last = first.isDead() ? yield* startMortal(driver, transport) : first
  yield* Effect.provideContext(
    Effect.gen(function* () {
      const next = yield* resumed(story.shop)
      // Leases of the dead one end by the real clock.
      yield* TestClock.adjust("61 seconds")
      yield* carryOn(next, charge)
      yield* next.advance("1 hour")
      yield* next.drain
      yield* verify(next, charge)
    }),
    last.services
  )
  return { calls, died: first.isDead() }
})

describe("a block that is approved and collected", { timeout: 180_000 }, () => {
  it.effect("comes to the same end wherever the process dies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { calls, died } = yield* crashAt(undefined)
      assert.isFalse(died)
      // At least: created, defended, approved, credited, the clock, claimed, collected, told twice.
      assert.isAtLeast(calls, 9)
      for (let call = 0; call < calls; call++) {
        for (const side of ["before", "after"] as const) {
          assert.isTrue((yield* crashAt({ call, side })).died, `${side} ${call}`)
        }
      }
    })
  )
})
