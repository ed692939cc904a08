import { assert, describe, it } from "@effect/vitest"
import { journey, TestPagora } from "@pagora/testkit"
import { DateTime, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { idempotencyWindow } from "../../src/idempotency/IdempotencyKeys.ts"
import type { Uuid } from "../../src/kernel/Ids.ts"
import { WalletId } from "../../src/kernel/Ids.ts"
import { begun } from "../../src/units/Idempotency.ts"
import { Ids } from "../../src/time/Ids.ts"
import { ServiceTime } from "../../src/time/ServiceTime.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { Purger } from "../../src/workers/Purger.ts"
import { world } from "../world/ServiceWorld.test-data.ts"

const key = "issue-once-0001"
const headers = { "idempotency-key": key }
const operatorScope = WalletId.make("00000000-0000-7000-8000-000000000000")

describe("an Idempotency-Key whose 24 hours have been over for an hour", () => {
  it.effect("of the operator's keeps no secret that was answered, sealed or not", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { operator } = yield* TestPagora
      const storage = yield* Storage
      const path = `/accounts/${story.shop.id}/credentials` as const
      const scope = { wallet: operatorScope, route: `POST ${path}`, key }
      const issue = operator("POST", path, { headers, body: { permissions: ["FULL_ACCESS"] } })
      const first = yield* issue
      assert.strictEqual(first.status, 201)
      yield* story.advance("86399 seconds")
      assert.strictEqual((yield* issue).text, first.text)
      assert.isNotNull((yield* storage.idempotency(scope))?.snapshot)
      yield* story.advance("1 hour")
      assert.isNotNull((yield* storage.idempotency(scope))?.snapshot)
      yield* story.advance("1 second")
      assert.isNull((yield* storage.idempotency(scope))?.snapshot)
      // The key is free again: another credential, not the old one.
      const second = yield* issue
      assert.strictEqual(second.status, 201)
      assert.notStrictEqual(second.json.clientId, first.json.clientId)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a tenant's still finds its transaction", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const storage = yield* Storage
      const created = yield* story.shop.call("POST", "/pix", { headers, body: { amount: 10 } })
      const scope = { wallet: WalletId.make(story.shop.id), route: "POST /pix", key }
      assert.include((yield* storage.idempotency(scope))?.snapshot ?? "", created.json.id)
      yield* story.advance("2 days")
      assert.isNull((yield* storage.idempotency(scope))?.snapshot)
      assert.strictEqual((yield* story.transaction(key)).id, created.json.id)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is purged by whoever works, however many there are", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const storage = yield* Storage
      const purger = yield* Purger
      const time = yield* ServiceTime
      const ids = yield* Ids
      const wallet = WalletId.make(story.shop.id)
      const at = yield* time.now
      const expiresAt = DateTime.addDuration(at, idempotencyWindow)
      const scopes = Array.from({ length: 1_101 }, (_, index) => ({
        wallet,
        route: "POST /pix",
        key: `many-of-them-${index}`
      }))
      yield* Effect.forEach(scopes, (scope) =>
        Effect.gen(function* () {
          const entity = yield* ids.next<Uuid>()
          yield* storage.commit({
            at,
            ...begun({ scope, fingerprint: "x", expiresAt }, entity, "{}")
          })
        })
      )
      const left = Effect.map(
        Effect.forEach(scopes, storage.idempotency),
        (records) => records.filter((record) => record?.snapshot !== null).length
      )
      const working = yield* Effect.forkChild(
        Effect.scoped(Effect.andThen(purger.start, Effect.never))
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* left, 1_101)
      yield* time.setOffset(Duration.hours(25))
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* left, 0)
      yield* Fiber.interrupt(working)
      assert.strictEqual(yield* purger.drain, 0)
    }).pipe(Effect.provide(world))
  )
})
