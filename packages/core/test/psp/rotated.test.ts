import { assert, describe, it } from "@effect/vitest"
import type { PspShape } from "@pagora/core"
import { PspCredentialId, PspDirectory, PspOutcome } from "@pagora/core"
import { Context, Effect, Fiber, Layer, Metric, Option } from "effect"
import { TestClock } from "effect/testing"
import { circuitLimits, guardedDirectory } from "../../src/psp-calls/PspCircuit.ts"
import { pspCircuits } from "../../src/telemetry/Metrics.ts"
import { bankPsp } from "../world/Embedding.test-data.ts"
import { bankA } from "./PlainBank.test-data.ts"

const id = PspCredentialId.make(bankA)
const { done } = PspOutcome

describe("a PSP whose credentials were rotated", () => {
  /** A directory in which another may come under the same id, and how often each was asked. */
  const rotating = () => {
    const asked: Array<string> = []
    const named = (name: string, answer: PspShape["findCharge"]): PspShape => ({
      ...bankPsp,
      findCharge: (reference) => {
        asked.push(name)
        return answer(reference)
      }
    })
    const former = named("former", () => Effect.never)
    const next = named("next", () => Effect.succeed(done(undefined)))
    let found = former
    const base = Layer.succeed(PspDirectory, { default: id, all: [id], find: () => found })
    const guarded = Layer.build(guardedDirectory.pipe(Layer.provide(base)))
    return {
      asked,
      find: Effect.map(guarded, (context) => {
        const { find } = Context.get(context, PspDirectory)
        return () => find(id) ?? bankPsp
      }),
      rotate: () => (found = next)
    }
  }

  it.effect("is asked nothing more by whoever had it in hand", () =>
    Effect.gen(function* () {
      const { asked, find: made, rotate } = rotating()
      const find = yield* made
      const inHand = find()
      rotate()
      const outcome = yield* Effect.timeoutOption(inHand.findCharge("a"), "1 second").pipe(
        Effect.forkChild,
        Effect.tap(() => TestClock.adjust("1 second")),
        Effect.flatMap(Fiber.join)
      )
      assert.strictEqual(Option.getOrUndefined(outcome)?._tag, "NotSent")
      assert.strictEqual((yield* find().findCharge("b"))._tag, "Done")
      assert.deepStrictEqual(asked, ["next"])
    }).pipe(Effect.scoped)
  )

  it.effect("is not measured any more by what was under way", () =>
    Effect.gen(function* () {
      const { find: made, rotate } = rotating()
      const find = yield* made
      const calls = yield* Effect.forEach(Array.from({ length: circuitLimits.silencesMax }), () =>
        Effect.forkChild(Effect.timeoutOption(find().findCharge("a"), "15 seconds"))
      )
      yield* TestClock.adjust("1 second")
      rotate()
      yield* TestClock.adjust("15 seconds")
      yield* Effect.forEach(calls, Fiber.join)
      assert.deepInclude(yield* Metric.value(pspCircuits.of(id)), { value: 0 })
    }).pipe(Effect.scoped)
  )
})
