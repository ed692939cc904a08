import { assert, describe, it } from "@effect/vitest"
import type { Duration } from "effect"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspShape } from "../ports/Psp.ts"
import { done, PspOutcome } from "../ports/Psp.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { circuitLimits, makeCircuit } from "../psp-calls/PspCircuit.ts"
import { Storage } from "../storage/Storage.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import { makePayoutCover } from "./PayoutCover.ts"

const layer = ServiceTime.layer.pipe(Layer.provide(Storage.layer()), Layer.provide(layerMemory))

const id = PspCredentialId.make("00000000-0000-7000-8000-0000000000ba")
const brl = (amount: number) => BigInt(amount * 100) as Centavos

/** A PSP that holds R$ 25.00 and takes its time to say so. */
const slowPsp = (wait: Duration.Input) => {
  let asked = 0
  const balance: NonNullable<PspShape["balance"]> = () =>
    Effect.suspend(() => {
      asked++
      return Effect.delay(Effect.succeed(done({ available: brl(25), blocked: brl(0) })), wait)
    })
  return { psp: { balance }, asked: () => asked }
}

/** Five payouts of R$ 10.00 that come at once, and what they hear by then. */
const fiveAtOnce = (wait: Duration.Input, heardBy: Duration.Input) =>
  Effect.gen(function* () {
    const { asked, psp } = slowPsp(wait)
    const cover = makePayoutCover(yield* ServiceTime)
    const fibers = yield* Effect.forEach(["a", "b", "c", "d", "e"], (reference) =>
      Effect.forkChild(cover.take(id, psp, { reference, amount: brl(10) }), {
        startImmediately: true
      })
    )
    yield* TestClock.adjust(heardBy)
    const heard = fibers.map((fiber) => fiber.pollUnsafe() !== undefined)
    assert.notInclude(heard, false)
    return { covers: yield* Fiber.joinAll(fibers), asked: asked() }
  }).pipe(Effect.provide(layer))

describe("payouts that wait for what their PSP says of its balance", () => {
  it.effect("hear it together, and rest on its money once", () =>
    Effect.gen(function* () {
      const { asked, covers } = yield* fiveAtOnce("4 seconds", "4 seconds")
      assert.strictEqual(asked, 1)
      assert.deepStrictEqual(covers.toSorted(), ["covered", "covered", "short", "short", "short"])
    })
  )

  it.effect(
    "do not go without it because somebody is just finding out whether the PSP answers",
    () =>
      Effect.gen(function* () {
        const { asked, psp } = slowPsp(0)
        const { call } = makeCircuit(id)
        const cover = makePayoutCover(yield* ServiceTime)
        const take = cover.take(
          id,
          { balance: () => call(psp.balance) },
          { reference: "a", amount: brl(30) }
        )
        const question = (outcome: PspOutcome<undefined>, after: Duration.Input) =>
          Effect.forkChild(
            call(() => Effect.delay(Effect.succeed(outcome), after)),
            { startImmediately: true }
          )
        for (let silence = 0; silence < circuitLimits.silencesMax; silence++) {
          yield* question(PspOutcome.unknown("silence"), circuitLimits.silentAfter)
          yield* TestClock.adjust(circuitLimits.silentAfter)
        }
        assert.strictEqual(yield* take, "unasked")
        yield* TestClock.adjust(circuitLimits.openFirst)
        yield* question(done(undefined), "2 seconds")
        assert.strictEqual(yield* take, "unasked")
        assert.strictEqual(asked(), 0)
        // It answers again: its balance is asked for before anything leaves.
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* take, "short")
      }).pipe(Effect.provide(layer))
  )

  it.effect("go without it after 5 seconds, all of them", () =>
    Effect.gen(function* () {
      const { asked, covers } = yield* fiveAtOnce("1 hour", "5 seconds")
      assert.strictEqual(asked, 1)
      assert.deepStrictEqual([...new Set(covers)], ["untold"])
    })
  )
})
