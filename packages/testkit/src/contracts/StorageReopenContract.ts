import type { LeaseToken, StorageDriver } from "@pagora/core"
import { Storage } from "@pagora/core"
import { assert, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Duration, Effect, Layer } from "effect"
import { anEra, claim, idsOf, schedule } from "./StorageJobs.ts"
import {
  assertSame,
  aWallet,
  beginning,
  brl,
  commit,
  counterOf,
  moneyIn,
  newId,
  newName,
  refusal,
  rowOf,
  scopeOf,
  walletOf
} from "./StorageLaws.ts"

/** Runs work over the store as a process that has just opened it. */
type Open = <A, E>(work: Effect.Effect<A, E, Storage | StorageDriver>) => Effect.Effect<A, unknown>

/** Each time the driver is built, the store is opened anew. */
export const openingOf =
  <E>(driver: Layer.Layer<StorageDriver, E>): Open =>
  (work) =>
    work.pipe(
      Effect.provide(Layer.fresh(Storage.layer().pipe(Layer.provideMerge(Layer.fresh(driver)))))
    )

/**
 * The laws of closing and opening again, for every storage that outlives its process. `store` makes one store, which is
 * there until the scope ends, and gives the driver over it; each time the driver is built, the store is opened anew.
 */
export const storageReopenContract = <E>(
  name: string,
  store: Effect.Effect<Layer.Layer<StorageDriver, E>, never, Scope.Scope>,
  /** How long one law may take, in milliseconds. Default 60,000. */
  lawMillis = 60_000
): void => {
  describe(`Storage contract, opened again: ${name}`, () => {
    for (const { proof, title } of reopenLaws)
      it.live(
        title,
        () => Effect.scoped(Effect.flatMap(store, (driver) => proof(openingOf(driver)))),
        lawMillis
      )
  })
}

interface ReopenLaw {
  readonly title: string
  readonly proof: (open: Open) => Effect.Effect<void, unknown>
}

export const reopenLaws: ReadonlyArray<ReopenLaw> = [
  {
    title: "rows, balances and counters are what they were",
    proof: Effect.fnUntraced(function* (open) {
      const [row, key] = [rowOf(), newName()]
      const wallet = yield* open(
        Effect.gen(function* () {
          const id = yield* aWallet(500n)
          yield* commit({ inserts: [row], counters: [{ key, add: brl(7n) }] }, moneyIn(id, 11n))
          return yield* walletOf(id)
        })
      )
      yield* open(
        Effect.gen(function* () {
          const storage = yield* Storage
          assertSame(yield* walletOf(wallet.id), wallet)
          assert.strictEqual((yield* storage.audit).violations.length, 0)
          assertSame(yield* counterOf(key), 7n)
          assert.strictEqual((yield* refusal({ inserts: [row] }))._tag, "DuplicateKey")
        })
      )
    })
  },
  {
    title: "unique names are taken, and idempotency keys are begun",
    proof: Effect.fnUntraced(function* (open) {
      const unique = { space: "law", key: newName(), holder: newId() }
      const scope = scopeOf()
      yield* open(commit({ keys: [unique] }, beginning(scope)))
      yield* open(
        Effect.gen(function* () {
          const storage = yield* Storage
          assert.isDefined(yield* storage.idempotency(scope))
          const found = yield* storage.resolve({ _tag: "Key", ...unique })
          assert.strictEqual(found, unique.holder)
          const again = yield* refusal({ keys: [{ ...unique, holder: newId() }] })
          assert.strictEqual(again._tag, "DuplicateKey")
          assert.strictEqual((yield* refusal(beginning(scope)))._tag, "DuplicateKey")
        })
      )
    })
  },
  {
    title: "a lease goes on, for its holder and against all others",
    proof: Effect.fnUntraced(function* (open) {
      const era = anEra()
      const job = { queue: "charge" as const, id: newId(), group: newId(), due: era(1) }
      const token = newId<LeaseToken>()
      const lease = Duration.minutes(10)
      yield* open(Effect.andThen(schedule(job), claim(era(1), { token, lease })))
      yield* open(
        Effect.gen(function* () {
          const storage = yield* Storage
          assertSame(yield* claim(era(2)), [])
          const { id, queue } = job
          assert.isTrue(yield* storage.renew({ queue, id, token, lease }))
          yield* commit({ jobs: [{ _tag: "Retry", queue, id, token, due: era(3) }] })
        })
      )
      yield* open(
        Effect.gen(function* () {
          assertSame(yield* claim(era(2)), [])
          assert.deepStrictEqual(idsOf(yield* claim(era(3))), [job.id])
        })
      )
    })
  }
]
