import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted, Result } from "effect"
import * as SecretsNode from "../node/SecretsNode.ts"
import { layerMemory } from "../storage-memory/StorageMemory.ts"
import { Storage } from "../storage/Storage.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { anEndpoint } from "../webhooks/DispatcherWorld.test-data.ts"
import { keepSecret, knowsSecret } from "./SecretKeeper.ts"

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

describe("a storage that was last used by a release without marks", () => {
  it.effect("keeps a master secret out that does not open what is in it", () =>
    Effect.gen(function* () {
      yield* under("a")(anEndpoint())
      for (const start of [keeping, knowsSecret]) {
        const refused = yield* Effect.result(under("b")(start))
        assert.strictEqual(Result.isFailure(refused) && refused.failure._tag, "SecretMismatch")
      }
      yield* under("a")(keeping)
    }).pipe(Effect.provide(deployment))
  )

  it.effect("takes one with which it was sealed before", () =>
    Effect.gen(function* () {
      yield* under("a")(anEndpoint())
      yield* under("b", "a")(keeping)
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
