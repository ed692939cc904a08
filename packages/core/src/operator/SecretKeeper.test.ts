import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Result } from "effect"
import * as SecretsNode from "../node/SecretsNode.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import { Storage } from "../storage/Storage.ts"
import * as Kind from "../units/Kind.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { anEndpoint } from "../webhooks/DispatcherWorld.test-data.ts"
import { keepSecret, knowsSecret, markId, SecretMarkKind } from "./SecretKeeper.ts"

const deployment = Layer.provideMerge(
  ServiceTime.layer,
  Layer.provide(Storage.layer(), Layer.fresh(layerMemory))
)

/** As a process with these master secrets, the newest first. */
const under = (secret: string, ...former: ReadonlyArray<string>) => {
  const secrets = SecretsNode.layer({
    secret: Redacted.make(secret.repeat(32)),
    former: former.map((one) => Redacted.make(one.repeat(32)))
  })
  const process = Layer.provideMerge(Ids.layer, Layer.orDie(secrets))
  return <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, process)
}
const keeping = keepSecret(DateTime.makeUnsafe("2026-11-24T12:00:00Z"))

describe("a storage", () => {
  it.effect("without a mark keeps a master secret out that does not open what is in it", () =>
    Effect.gen(function* () {
      yield* under("a")(anEndpoint())
      for (const start of [keeping, knowsSecret]) {
        const refused = yield* Effect.result(under("b")(start))
        assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "SecretMismatch")
      }
      yield* under("a")(keeping)
    }).pipe(Effect.provide(deployment))
  )

  it.effect("goes by what is in use, of which one that opens is enough", () =>
    Effect.gen(function* () {
      yield* under("b")(anEndpoint())
      yield* under("a")(anEndpoint())
      // As it is when it was removed.
      yield* under("a")(anEndpoint({ enabled: false }))
      yield* under("b")(keeping)
    }).pipe(Effect.provide(deployment))
  )

  it.effect("takes one with which it was sealed before", () =>
    Effect.gen(function* () {
      yield* under("a")(anEndpoint())
      yield* under("b", "a")(keeping)
      yield* under("b")(knowsSecret)
    }).pipe(Effect.provide(deployment))
  )

  it.effect("takes any once its owner has written that the one of before is lost", () =>
    Effect.gen(function* () {
      yield* under("a")(anEndpoint())
      yield* under("a")(keeping)
      assert.isTrue(Result.isFailure(yield* Effect.result(under("b")(keeping))))
      const storage = yield* Storage
      const mark = yield* storage.find(SecretMarkKind, markId)
      assert.isDefined(mark)
      const updates = [Kind.update(SecretMarkKind, mark, { mark: "lost" })]
      yield* storage.commit({ at: DateTime.makeUnsafe(0), updates })
      yield* under("b")(keeping)
      yield* under("b")(knowsSecret)
    }).pipe(Effect.provide(deployment))
  )

  it.effect("takes any, where nothing is in it", () =>
    Effect.gen(function* () {
      yield* under("b")(keeping)
      assert.isTrue(Result.isFailure(yield* Effect.result(under("a")(knowsSecret))))
    }).pipe(Effect.provide(deployment))
  )
})
