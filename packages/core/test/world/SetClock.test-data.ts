import { layerPagora, RecordingTransport } from "@pagora/testkit"
import { Context, DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { ServiceClock } from "../../src/workers/ServiceClock.ts"
import { noon } from "./ServiceWorld.test-data.ts"

/** Sets the clock of the storage to so much ahead of the machine's, which is right; the service has seen it by then. */
export class StorageClock extends Context.Service<
  StorageClock,
  { readonly set: (ahead: Duration.Input) => Effect.Effect<void> }
>()("@pagora/core/test/StorageClock") {}

/** The whole service over memory, at noon, with a storage whose clock can be set. */
export const worldOfSetClock = Layer.unwrap(
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    let ahead = Duration.zero
    const driver = Context.get(yield* Layer.build(Layer.fresh(layerMemory)), StorageDriver)
    const clock = Effect.map(driver.clock, (told) => DateTime.addDuration(told, ahead))
    const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
    const set = Layer.effect(
      StorageClock,
      Effect.map(ServiceClock, ({ follow }) => ({
        set: (by: Duration.Input) =>
          Effect.suspend(() => {
            ahead = Duration.fromInputUnsafe(by)
            return Effect.orDie(follow)
          })
      }))
    )
    return set.pipe(
      Layer.provideMerge(
        layerPagora(
          Layer.succeed(StorageDriver, { ...driver, clock }),
          Layer.succeedContext(transport)
        )
      ),
      Layer.provideMerge(Layer.succeedContext(transport))
    )
  })
)
