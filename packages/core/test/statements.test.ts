import { assert, describe, it } from "@effect/vitest"
import { journey, layerPagora, RecordingTransport } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageDriver } from "../src/ports/StorageDriver.ts"
import { layerMemory } from "../src/ports/StorageMemory.ts"
import { Workers } from "../src/workers/Workers.ts"
import { noon } from "./ServiceWorld.test-data.ts"

/** How often the storage was called, by what for. */
interface Calls {
  write: number
  claim: number
  read: number
}

const kindOf = (name: string): keyof Calls =>
  name === "write" ? "write" : name === "claim" ? "claim" : "read"

/** Counts the calls of a storage. */
const counted = Effect.gen(function* () {
  const driver = yield* Effect.provide(StorageDriver, Layer.fresh(layerMemory))
  const calls: Calls = { write: 0, claim: 0, read: 0 }
  const counting = Object.entries(driver).map(([name, method]) => [
    name,
    typeof method === "function"
      ? (...values: ReadonlyArray<never>) => {
          calls[kindOf(name)]++
          return (method as (...values: ReadonlyArray<never>) => unknown)(...values)
        }
      : method
  ])
  const since = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const before = { ...calls }
      yield* effect
      yield* settled
      return {
        write: calls.write - before.write,
        claim: calls.claim - before.claim,
        read: calls.read - before.read
      }
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

describe("what the storage is asked, with workers running,", () => {
  it.effect("for a charge whose time comes later: no claim", () =>
    running((since) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* settled
        const asked = yield* since(story.charge())
        // One write before the PSP is asked, and one after; and what the sandbox's bank keeps of it.
        assert.deepStrictEqual(asked, { write: 3, claim: 0, read: 3 })
      })
    )
  )

  it.effect("while nothing is to be done: one claim a second, and one look ahead", () =>
    running((since) =>
      Effect.gen(function* () {
        for (let second = 0; second < 3; second++) {
          const asked = yield* since(TestClock.adjust("1 second"))
          assert.deepStrictEqual(asked, { write: 0, claim: 1, read: 2 })
        }
      })
    )
  )
})
