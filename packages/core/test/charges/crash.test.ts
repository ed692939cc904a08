import { assert, describe, it } from "@effect/vitest"
import { crashAt, crashScenarios } from "@pagora/testkit"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { noon } from "../world/ServiceWorld.test-data.ts"

const emptyStorage = Effect.map(Layer.build(Layer.fresh(layerMemory)), (context) =>
  Context.get(context, StorageDriver)
)

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe.each(crashScenarios)("a charge that $name", { timeout: 180_000 }, (scenario) => {
  it.effect("comes to the same end wherever the process dies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const whole = yield* crashAt(yield* emptyStorage, scenario)
      assert.isFalse(whole.died)
      // At least: intent, PSP, answer, payment, notice, claim, settlement, claim, two deliveries.
      assert.isAtLeast(whole.calls, 10)
      for (const first of whole.points) {
        const { died } = yield* crashAt(yield* emptyStorage, scenario, { first })
        assert.isTrue(died, `${first.side} ${first.call}`)
      }
    })
  )

  it.effect("comes to the same end when the restart dies as well", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { calls } = yield* crashAt(yield* emptyStorage, scenario)
      let twice = 0
      for (const call of upTo(calls)) {
        const first = { call, side: "before" } as const
        // Another part of the recovery each time, so that all of them together cover it.
        const second = { call: (call * 5) % 16, side: "after" } as const
        const { diedAgain } = yield* crashAt(yield* emptyStorage, scenario, { first, second })
        if (diedAgain) twice++
      }
      assert.strictEqual(twice, calls)
    })
  )
})
