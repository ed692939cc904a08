import { assert, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Random } from "effect"
import { TestClock } from "effect/testing"
import { epochMillisOf, isUuid } from "../kernel/Ids.ts"
import { Ids } from "./Ids.ts"
import { ServiceTime } from "./ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"

const layer = Ids.layerSeeded.pipe(
  Layer.provideMerge(ServiceTime.layer),
  Layer.provide(Storage.layer()),
  Layer.provide(layerMemory)
)

it.effect("ids of one process are version 7 UUIDs in the order they were made", () =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const made = yield* Effect.replicateEffect(ids.next(), 10_000)
    assert.isTrue(made.every(isUuid))
    assert.isTrue(made.every((id) => id[14] === "7" && "89ab".includes(id[19] ?? "")))
    assert.deepStrictEqual(made.toSorted(), [...made])
    assert.strictEqual(new Set(made).size, made.length)
  }).pipe(Effect.provide(layer))
)

it.effect("ids carry business time, and keep their order when it steps back", () =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const time = yield* ServiceTime
    yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-21T12:00:00Z")))
    yield* time.setOffset(Duration.days(1))
    const ahead = yield* ids.next()
    assert.strictEqual(
      epochMillisOf(ahead),
      DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-22T12:00:00Z"))
    )
    yield* time.setOffset(Duration.zero)
    const behind = yield* ids.next()
    assert.isTrue(behind > ahead)
  }).pipe(Effect.provide(layer))
)

it.effect("one seed gives the same ids again", () =>
  Effect.gen(function* () {
    const run = Effect.provide(
      Effect.flatMap(Ids, (ids) => Effect.replicateEffect(ids.next(), 5)),
      Layer.fresh(layer)
    )
    const first = yield* Random.withSeed(run, "seed")
    assert.deepStrictEqual(yield* Random.withSeed(run, "seed"), first)
    assert.notDeepEqual(yield* Random.withSeed(run, "other"), first)
  })
)
