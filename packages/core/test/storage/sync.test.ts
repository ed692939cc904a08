import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, TestPagora } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { IdempotencyKeys } from "../../src/idempotency/IdempotencyKeys.ts"
import { WalletId } from "../../src/kernel/Ids.ts"
import { parse } from "../../src/kernel/StrictJson.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import { CurrentWriteMark, WriteMark } from "../../src/storage/WriteMark.ts"
import { StorageError } from "../../src/units/Refused.ts"

/** A service over a storage that may show what is not safe yet: how often it is asked to make it so, and whether it can. */
const unsafe = () => {
  const asked = { syncs: 0, isAway: false }
  const driver = Layer.effect(
    StorageDriver,
    Effect.map(StorageDriver, (driver) =>
      StorageDriver.of({
        ...driver,
        sync: Effect.suspend(() => {
          asked.syncs++
          return asked.isAway ? new StorageError({ reason: "Unavailable" }) : Effect.void
        })
      })
    )
  ).pipe(Layer.provide(Layer.fresh(layerMemory)))
  const service = layerPagora(driver, RecordingTransport.layer).pipe(
    Layer.provideMerge(RecordingTransport.layer)
  )
  return { asked, service }
}

const charge = ({ shop }: Journey) =>
  shop.call("POST", "/pix", { body: { amount: 10 }, headers: { "idempotency-key": "order-0001" } })

const suspend = ({ shop }: Journey) =>
  Effect.flatMap(TestPagora, ({ operator }) =>
    operator("PATCH", `/accounts/${shop.id}`, { body: { status: "suspended" } })
  )

describe("a storage that shows what may not be safe yet", () => {
  it.effect("is asked nothing where something was written, or nothing was acknowledged", () => {
    const { asked, service } = unsafe()
    return Effect.gen(function* () {
      const story = yield* journey()
      const { call } = story.shop
      const answers = [
        yield* charge(story),
        yield* call("GET", "/transactions"),
        yield* call("POST", "/pix", { body: { amount: -1 } }),
        yield* suspend(story)
      ]
      assert.deepStrictEqual(
        answers.map((answer) => answer.status),
        [201, 200, 400, 200]
      )
      assert.strictEqual(asked.syncs, 0)
    }).pipe(Effect.provide(service))
  })

  it.effect.each([
    ["a repeat of a key", charge, 201],
    ["a change that is made already", suspend, 200]
  ] as const)("makes it safe before %s is acknowledged", ([, ask, status]) => {
    const { asked, service } = unsafe()
    return Effect.gen(function* () {
      const story = yield* journey()
      const first = yield* ask(story)
      assert.deepStrictEqual([first.status, asked.syncs], [status, 0])
      asked.isAway = true
      const unknown = yield* ask(story)
      assert.deepStrictEqual([unknown.status, unknown.json.details?.code], [503, "OUTCOME_UNKNOWN"])
      asked.isAway = false
      const again = yield* ask(story)
      assert.deepStrictEqual([again.status, again.text], [status, first.text])
      assert.strictEqual(asked.syncs, 2)
    }).pipe(Effect.provide(service))
  })

  it.effect("makes it safe before a key has its answer, whatever its request has written", () => {
    const { asked, service } = unsafe()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* charge(story)
      const keys = yield* IdempotencyKeys
      const wallet = WalletId.make(story.shop.id)
      const scope = { wallet, route: "POST /pix", key: "order-0001" }
      const body = yield* Effect.fromResult(parse('{"amount":10}'))
      const mark = new WriteMark()
      yield* mark.follow(Effect.void)
      const look = Effect.provideService(keys.look(scope, body), CurrentWriteMark, mark)
      assert.strictEqual((yield* look)._tag, "Answered")
      assert.strictEqual(asked.syncs, 1)
      asked.isAway = true
      assert.strictEqual((yield* Effect.flip(look)).reason, "OutcomeUnknown")
    }).pipe(Effect.provide(IdempotencyKeys.layer.pipe(Layer.provideMerge(service))))
  })

  it.effect("is asked once for all who ask at once", () => {
    const { asked, service } = unsafe()
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* charge(story)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => charge(story)),
        { concurrency: "unbounded" }
      )
      for (const answer of answers) assert.strictEqual(answer.status, 201)
      assert.isAbove(asked.syncs, 0)
      assert.isBelow(asked.syncs, 10)
    }).pipe(Effect.provide(service))
  })
})
