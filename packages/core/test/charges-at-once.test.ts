import { assert, describe, it } from "@effect/vitest"
import { journey, layerPagora, RecordingTransport } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Question } from "../src/ports/StorageDriver.ts"
import { StorageDriver } from "../src/ports/StorageDriver.ts"
import { layerMemory } from "../src/ports/StorageMemory.ts"
import { noon } from "./ServiceWorld.test-data.ts"

/** A storage that keeps what it was asked for, one entry for each time. */
const asked = Effect.gen(function* () {
  const driver = yield* Effect.provide(StorageDriver, Layer.fresh(layerMemory))
  const looks: Array<ReadonlyArray<Question>> = []
  const look: typeof driver.look = (questions) =>
    Effect.suspend(() => {
      looks.push(questions)
      return driver.look(questions)
    })
  return { looks, layer: Layer.succeed(StorageDriver, { ...driver, look }) }
})

const isAbout = (id: unknown) => (question: Question) =>
  question._tag === "Row" && question.id === id

describe("charges whose time is over", () => {
  it.effect("are read in one turn, together with whose they are", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { layer, looks } = yield* asked
      const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
      yield* Effect.gen(function* () {
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
      }).pipe(
        Effect.provide(layerPagora(layer, Layer.succeedContext(transport))),
        Effect.provide(transport)
      )
    }).pipe(Effect.scoped)
  )
})
