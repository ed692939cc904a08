import { assert, describe, it } from "@effect/vitest"
import { journey, layerPagora, RecordingTransport } from "@pagora/testkit"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChargeWorker } from "../../src/charges/ChargeWorker.ts"
import type { PspCharge, PspOutcome } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { circuitLimits } from "../../src/psp-calls/PspCircuit.ts"
import type { Question } from "../../src/ports/StorageDriver.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { noon, pspThat } from "../world/ServiceWorld.test-data.ts"

/** A storage that keeps what it was asked for, one entry for each time, and writes while its gate is open. */
const asked = Effect.gen(function* () {
  const driver = yield* Effect.provide(StorageDriver, Layer.fresh(layerMemory))
  const gate = Latch.makeUnsafe(true)
  const looks: Array<ReadonlyArray<Question>> = []
  const look: typeof driver.look = (questions) =>
    Effect.suspend(() => {
      looks.push(questions)
      return driver.look(questions)
    })
  const write: typeof driver.write = (merged) => gate.whenOpen(driver.write(merged))
  return { gate, looks, layer: Layer.succeed(StorageDriver, { ...driver, look, write }) }
})

const isAbout = (id: unknown) => (question: Question) =>
  question._tag === "Row" && question.id === id

type Asked = Effect.Success<typeof asked>

const running = <A, E, R>(story: (asked: Asked) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const storage = yield* asked
    const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
    return yield* story(storage).pipe(
      Effect.provide(layerPagora(storage.layer, Layer.succeedContext(transport))),
      Effect.provide(transport)
    )
  }).pipe(Effect.scoped)

describe("charges whose time is over", () => {
  it.effect("are read in one turn, together with whose they are", () =>
    running(({ looks }) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charges = yield* Effect.replicateEffect(story.charge({ expiresIn: 60 }), 20)
        looks.splice(0)
        yield* story.advance("1 minute")
        const reads = looks.filter((questions) =>
          charges.some(({ id }) => questions.some(isAbout(id)))
        )
        assert.strictEqual(reads.length, 1)
        assert.isTrue(charges.every(({ id }) => reads[0]?.some(isAbout(id))))
        assert.isTrue(reads[0]?.some(isAbout(story.shop.id)))
      })
    )
  )

  it.effect("leave the PSP to others while their end is written", () =>
    running(({ gate }) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const count = 2 * circuitLimits.jobsAtOnce
        yield* Effect.replicateEffect(story.charge({ expiresIn: 60 }), count)
        const answer: PspOutcome<PspCharge> = { _tag: "Rejected", code: "NO", message: "No." }
        let found = 0
        yield* pspThat({
          cancelCharge: () => Effect.succeed(answer),
          findCharge: () =>
            Effect.sync(() => {
              found++
              return done(undefined)
            })
        })
        const { drain } = yield* ChargeWorker
        gate.closeUnsafe()
        yield* TestClock.adjust("60 seconds")
        const drained = yield* Effect.forkChild(drain)
        yield* Effect.replicateEffect(Effect.yieldNow, 2_000, { discard: true })
        assert.strictEqual(found, count)
        gate.openUnsafe()
        assert.strictEqual(yield* Fiber.join(drained), count)
        assert.strictEqual(found, count)
      })
    )
  )
})
