import { assert, describe, it } from "@effect/vitest"
import type { StorageDriverShape } from "@pagora/core"
import { memory, StorageDriver } from "@pagora/core"
import { Context, DateTime, Effect, Layer } from "effect"
import { Engine } from "./Engine.ts"
import { untilQuiet } from "./QuietEnd.ts"

const job = "00000000-0000-7000-8000-000000000001"

/** An empty storage in which something stands in line between two instants. */
const busyBetween = (engine: Engine, from: number, to: number) =>
  Effect.map(Effect.scoped(Layer.build(memory())), (context): StorageDriverShape => ({
    ...Context.get(context, StorageDriver),
    jobs: ({ queue }) =>
      Effect.sync(() =>
        queue === "webhook" && engine.now() >= from && engine.now() < to
          ? [{ id: job, group: job, due: DateTime.makeUnsafe(engine.now()) } as never]
          : []
      )
  }))

describe("the quiet end of a simulation", () => {
  it.effect("waits for what a request puts in line whose client has given it up", () =>
    Effect.gen(function* () {
      const engine = new Engine(1)
      const beginning = engine.now()
      const driver = yield* busyBetween(engine, beginning + 12_000, beginning + 50_000)
      const forever = yield* Effect.promise(() =>
        untilQuiet(engine, driver, [], () => undefined, new Set())
      )
      assert.deepStrictEqual(forever, [])
      assert.isAtLeast(engine.now() - beginning, 50_000)
    })
  )
})
