import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import type { Storage } from "../storage/Storage.ts"
import type { Claimed, Renewal } from "../ports/StorageDriver.ts"
import { makeKeeper } from "./LeaseKeeper.ts"

const jobOf = (id: string): Claimed => ({
  queue: "payout",
  id: id as Uuid,
  group: "group" as Uuid,
  token: `token of ${id}` as LeaseToken,
  due: DateTime.makeUnsafe(0)
})

/** A storage that tells who asks for which lease; those of `lost` are somebody else's. */
const aKeeper = Effect.gen(function* () {
  const renewed: Array<string> = []
  const lost = new Set<string>()
  let isAway = false
  const renew = ({ id }: Renewal) =>
    Effect.suspend(() => {
      renewed.push(id)
      return isAway ? Effect.die(new Error("away")) : Effect.succeed(!lost.has(id))
    })
  const scope = yield* Effect.scope
  const keeper = makeKeeper({ renew } as Partial<Storage["Service"]> as Storage["Service"], scope)
  return {
    keeper,
    lost,
    away: (is: boolean) => (isAway = is),
    /** Who was renewed in so many seconds. */
    after: (seconds: number) =>
      Effect.map(TestClock.adjust(seconds * 1_000), () => renewed.splice(0).toSorted())
  }
})

it.effect("renews each lease every twenty seconds from its own beginning, while it is held", () =>
  Effect.gen(function* () {
    const { after, keeper } = yield* aKeeper
    const [first, second] = [jobOf("first"), jobOf("second")]
    yield* keeper.hold(first)
    assert.deepStrictEqual(yield* after(15), [])
    yield* keeper.hold(second)
    assert.deepStrictEqual(yield* after(5), ["first"])
    assert.deepStrictEqual(yield* after(14), [])
    assert.deepStrictEqual(yield* after(1), ["second"])
    keeper.release(first)
    assert.deepStrictEqual(yield* after(20), ["second"])
    keeper.release(second)
    assert.deepStrictEqual(yield* after(100), [])
    // What comes after nobody was held is watched over as well.
    yield* keeper.hold(first)
    assert.deepStrictEqual(yield* after(20), ["first"])
  }).pipe(Effect.scoped)
)

it.effect("leaves a lease that somebody else has, and goes on where the storage is away", () =>
  Effect.gen(function* () {
    const { after, away, keeper, lost } = yield* aKeeper
    for (const id of ["kept", "lost"]) yield* keeper.hold(jobOf(id))
    lost.add("lost")
    assert.deepStrictEqual(yield* after(20), ["kept", "lost"])
    assert.deepStrictEqual(yield* after(20), ["kept"])
    away(true)
    assert.deepStrictEqual(yield* after(20), ["kept"])
    away(false)
    assert.deepStrictEqual(yield* after(20), ["kept"])
  }).pipe(Effect.scoped)
)

it.effect("takes work of ten minutes for stuck, and ends with its scope", () =>
  Effect.gen(function* () {
    const { after, keeper } = yield* aKeeper
    yield* keeper.hold(jobOf("stuck"))
    let renewals = 0
    for (let round = 0; round < 40; round++) renewals += (yield* after(20)).length
    assert.strictEqual(renewals, 30)

    const scope = yield* Scope.make()
    const other = yield* Scope.provide(aKeeper, scope)
    yield* other.keeper.hold(jobOf("cut off"))
    assert.deepStrictEqual(yield* other.after(20), ["cut off"])
    yield* Scope.close(scope, yield* Effect.exit(Effect.void))
    assert.deepStrictEqual(yield* other.after(100), [])
  }).pipe(Effect.scoped)
)
