import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, whileTimePasses } from "@pagora/testkit"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChargeKind } from "../../src/charges/Charge.ts"
import type { PspShape } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"
import {
  atPsp,
  codeOf,
  existing,
  pspThat,
  world,
  Written
} from "../world/ServiceWorld.test-data.ts"

const key = "order-0001"

const ask = (
  { shop }: Journey,
  body: Readonly<Record<string, unknown>> | string = { amount: 10 },
  headers: Readonly<Record<string, string>> = { "idempotency-key": key }
) => shop.call("POST", "/pix", { body, headers })

const chargesOf = ({ shop }: Journey) =>
  Effect.flatMap(Storage, (storage) =>
    storage.list(ChargeKind, { account: shop.id, order: "asc", limit: 100 })
  )

const isReplay = (answer: Answer<unknown>) => answer.headers.get("idempotent-replayed") === "true"

const assertSameAnswer = (again: Answer<unknown>, first: Answer<unknown>) => {
  assert.strictEqual(again.status, first.status)
  assert.strictEqual(again.text, first.text)
}

describe("POST /pix with an Idempotency-Key", () => {
  it.effect("is answered the second time with the bytes of the first, and makes one charge", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const body = { amount: 10, externalReference: "a", metadata: { n: 1 } }
      const first = yield* ask(story, body)
      assert.strictEqual(first.status, 201)
      assert.isFalse(isReplay(first))
      yield* story.pay(first.json)
      const before = (yield* Written).units.length
      const again = yield* ask(story, body)
      assertSameAnswer(again, first)
      assert.isTrue(isReplay(again))
      assert.strictEqual((yield* Written).units.length, before)
      assert.strictEqual((yield* chargesOf(story)).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "takes the same request in another spelling, and refuses another request with 422",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        const first = yield* ask(story, '{"amount": 10, "description": "a"}')
        assertSameAnswer(yield* ask(story, '{"description":"\\u0061","amount":10}'), first)
        for (const other of [
          { amount: 11, description: "a" },
          { amount: 10, description: "b" },
          { amount: 10, description: "a", unknown: true },
          { amount: -1 }
        ]) {
          const refused = yield* ask(story, other)
          assert.strictEqual(refused.status, 422)
          assert.strictEqual(refused.json.error, "UnprocessableEntity")
          assert.strictEqual(codeOf(refused), "IDEMPOTENCY_KEY_REUSED")
        }
        assert.strictEqual((yield* chargesOf(story)).length, 1)
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["1234567", "x".repeat(256), "schlüssel"])(
    "refuses the key %s, and writes nothing",
    (bad) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const before = (yield* Written).units.length
        const refused = yield* ask(story, { amount: 10 }, { "idempotency-key": bad })
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(codeOf(refused), "IDEMPOTENCY_KEY_INVALID")
        assert.strictEqual((yield* Written).units.length, before)
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["12345678", "x".repeat(255)])("takes the key %s", (good) =>
    Effect.gen(function* () {
      const story = yield* journey()
      const answer = yield* ask(story, { amount: 10 }, { "idempotency-key": good })
      assert.strictEqual(answer.status, 201)
      const { id } = yield* story.transaction(good)
      assert.strictEqual(id, answer.json.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("counts for the path, which has one spelling, whatever its query is", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const request = { headers: { "idempotency-key": "one-spelling" }, body: { amount: 7 } }
      const first = yield* shop.call("POST", "/pix", request)
      assert.strictEqual(first.status, 201)
      const again = yield* shop.call("POST", "/pix?x=1", request)
      assert.strictEqual(again.text, first.text)
      for (const path of ["/%70ix", "/pix/", "/pix;x=1"])
        assert.strictEqual((yield* shop.call("POST", path, request)).status, 404, path)
    }).pipe(Effect.provide(world))
  )

  it.effect("does not keep what was refused before anything was done", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      assert.strictEqual((yield* ask(story, { amount: "10" })).status, 400)
      assert.strictEqual((yield* ask(story, { amount: 10 })).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("counts for one wallet: another tenant's same key is another key", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* journey(), yield* journey()]
      const first = yield* ask(one)
      const second = yield* ask(other, { amount: 20 })
      assert.strictEqual(second.status, 201)
      assert.notStrictEqual(second.json.id, first.json.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("is forgotten after 24 hours, not before; a lookup by key then finds the newest", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const first = yield* ask(story)
      yield* story.advance("86399 seconds")
      assertSameAnswer(yield* ask(story), first)
      yield* story.advance("1 second")
      const second = yield* ask(story, { amount: 11 })
      assert.strictEqual(second.status, 201)
      assert.notStrictEqual(second.json.id, first.json.id)
      assert.strictEqual((yield* story.transaction(key)).id, second.json.id)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a charge that the PSP refused is answered with the same refusal", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      let calls = 0
      yield* pspThat({
        createCharge: () =>
          Effect.sync(() => {
            calls++
            return { _tag: "Rejected", code: "LIMIT_REACHED", message: "Too many." } as const
          })
      })
      const first = yield* ask(story)
      assert.strictEqual(first.status, 400)
      assert.strictEqual(codeOf(first), "PSP_REJECTED")
      assertSameAnswer(yield* ask(story), first)
      assert.strictEqual(calls, 1)
    }).pipe(Effect.provide(world))
  )
})

/** A first request whose PSP is asked, and does not answer until it may. */
const slowFirst = Effect.fnUntraced(function* (story: Journey) {
  const [asked, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const real: PspShape = yield* pspThat({
    createCharge: (charge) =>
      Deferred.succeed(asked, undefined).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.andThen(Effect.suspend(() => real.createCharge(charge)))
      )
  })
  const slow = yield* Effect.forkChild(ask(story))
  yield* Deferred.await(asked)
  return { slow, answered: Deferred.succeed(gate, undefined) }
})

describe("twins with one Idempotency-Key", () => {
  it.effect("make one charge between them, and get the same bytes", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const answers = yield* whileTimePasses(
        Effect.all(
          Array.from({ length: 20 }, () => ask(story)),
          { concurrency: "unbounded" }
        ),
        "1 second"
      )
      for (const answer of answers) assertSameAnswer(answer, answers[0] as Answer<unknown>)
      assert.strictEqual(answers[0]?.status, 201)
      assert.strictEqual((yield* chargesOf(story)).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "look once before the first of this process ends and once after, however long it takes",
    () => {
      let looks = 0
      const counting = Layer.effect(
        StorageDriver,
        Effect.map(StorageDriver, (driver) =>
          StorageDriver.of({
            ...driver,
            idempotency: (scope) => {
              looks++
              return driver.idempotency(scope)
            }
          })
        )
      ).pipe(Layer.provide(Layer.fresh(layerMemory)))
      return Effect.gen(function* () {
        const story = yield* journey()
        const { answered, slow } = yield* slowFirst(story)
        const twins = yield* Effect.forkChild(
          Effect.all(
            Array.from({ length: 50 }, () => ask(story)),
            { concurrency: "unbounded" }
          )
        )
        for (let step = 0; step < 40; step++) {
          yield* TestClock.adjust("50 millis")
          yield* TestClock.withLive(Effect.sleep("5 millis"))
        }
        yield* answered
        const first = yield* Fiber.join(slow)
        // Twins that look now and then need time to see it.
        const passing = Effect.forever(
          Effect.andThen(
            TestClock.adjust("50 millis"),
            TestClock.withLive(Effect.sleep("1 millis"))
          )
        )
        for (const answer of yield* Effect.raceFirst(Fiber.join(twins), passing))
          assertSameAnswer(answer, first)
        assert.isAtMost(looks, 110)
      }).pipe(
        Effect.provide(layerPagora(counting, RecordingTransport.layer)),
        Effect.provide(RecordingTransport.layer)
      )
    }
  )

  /** A storage whose answer about a key is as old as the first that was given, once it is told so. */
  const forgetful = () => {
    let isOld = false
    let old: Effect.Success<ReturnType<StorageDriver["Service"]["idempotency"]>> | undefined
    const driver = Layer.effect(
      StorageDriver,
      Effect.map(StorageDriver, (driver) =>
        StorageDriver.of({
          ...driver,
          idempotency: (scopes) =>
            isOld && old !== undefined
              ? Effect.sync(() => {
                  isOld = false
                  return old ?? []
                })
              : driver.idempotency(scopes),
          write: (merged) =>
            Effect.tap(driver.write(merged), () =>
              Effect.gen(function* () {
                const begun = merged.units.flatMap(({ idempotency = [] }) => idempotency)
                const [one] = begun.filter((write) => write._tag === "Begin")
                if (one !== undefined) old ??= yield* driver.idempotency([one.scope])
              })
            )
        })
      )
    ).pipe(Layer.provide(Layer.fresh(layerMemory)))
    const service = layerPagora(driver, RecordingTransport.layer).pipe(
      Layer.provideMerge(RecordingTransport.layer)
    )
    return { service, lag: Effect.sync(() => void (isOld = true)) }
  }

  it.effect.each(["paid by somebody who may not", "cancelled"] as const)(
    "of a charge that was %s meanwhile are told what the first was told",
    (how) => {
      const { lag, service } = forgetful()
      return Effect.gen(function* () {
        const story = yield* journey({
          policy: { blockCnpjPayers: true, onUnknownPayer: "accept" }
        })
        const first = yield* ask(story)
        assert.strictEqual(first.status, 201)
        if (how === "cancelled") yield* story.shop.call("POST", `/pix/${first.json.id}/cancel`)
        else yield* story.pay(first.json, { payerName: "Loja", payerDocument: "11222333000181" })
        // It looked at the key before the first had its answer, and at the charge only now.
        yield* lag
        assertSameAnswer(yield* ask(story), first)
      }).pipe(Effect.provide(service))
    }
  )

  it.effect("of a slow first are told 409 after five seconds, and get its answer later", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { answered, slow } = yield* slowFirst(story)
      const twin = yield* whileTimePasses(ask(story), "5 seconds")
      assert.strictEqual(twin.status, 409)
      assert.strictEqual(codeOf(twin), "IDEMPOTENCY_KEY_IN_USE")
      yield* answered
      const first = yield* Fiber.join(slow)
      assert.strictEqual(first.status, 201)
      assertSameAnswer(yield* ask(story), first)
    }).pipe(Effect.provide(world))
  )
})

describe("an intent without an answer", () => {
  it.effect("is gone on with by the same key, under the same reference at the PSP", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ kind: "dropAnswer", operation: "createCharge", times: 1 })
      const first = yield* ask(story)
      assert.strictEqual(first.status, 500)
      assert.strictEqual(codeOf(first), "PSP_UNAVAILABLE")
      const again = yield* ask(story)
      assert.strictEqual(again.status, 201)
      const [charge, ...others] = yield* chargesOf(story)
      assert.strictEqual(others.length, 0)
      assert.strictEqual(charge?.value.id, again.json.id)
      assert.strictEqual(
        (yield* atPsp(existing(charge).value.id))?.pspPaymentId,
        charge?.value.pspPaymentId
      )
      yield* story.pay(again.json)
      assertSameAnswer(yield* ask(story), again)
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("of a process that died is gone on with once the time of its call is over", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const asked = yield* Deferred.make<void>()
      const real = yield* pspThat({
        createCharge: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      })
      // For a dead process no time passes, and nothing is tidied up.
      const clock = yield* Clock.clockWith(Effect.succeed)
      const stopped = { ...clock, sleep: () => Effect.never }
      yield* Effect.forkDetach(Effect.provideService(ask(story), Clock.Clock, stopped))
      yield* Deferred.await(asked)
      yield* pspThat({ createCharge: (charge) => real.createCharge(charge) })
      const early = yield* whileTimePasses(ask(story), "5 seconds")
      assert.strictEqual(early.status, 409)
      yield* TestClock.adjust("20 seconds")
      const answer = yield* ask(story)
      assert.strictEqual(answer.status, 201)
      assert.strictEqual((yield* chargesOf(story)).length, 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("of a client that went away is gone on with at once", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const asked = yield* Deferred.make<void>()
      const real = yield* pspThat({
        createCharge: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
      })
      const left = yield* Effect.forkChild(ask(story))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(left)
      yield* pspThat({ createCharge: (charge) => real.createCharge(charge) })
      assert.strictEqual((yield* ask(story)).status, 201)
      assert.strictEqual((yield* chargesOf(story)).length, 1)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("outlives the janitor, who gives up those that nobody can go on with", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ kind: "dropRequest", operation: "createCharge" })
      assert.strictEqual((yield* ask(story)).status, 500)
      assert.strictEqual((yield* ask(story, { amount: 5 }, {})).status, 500)
      yield* story.faults()
      yield* story.advance("10 minutes")
      const statuses = (yield* chargesOf(story)).map(({ value }) => value.status)
      assert.deepStrictEqual(statuses, ["creating", "cancelled"])
      assert.strictEqual((yield* ask(story)).status, 201)
    }).pipe(Effect.provide(world))
  )

  it.effect("is given up when its time is over, and its key says so", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ kind: "dropRequest", operation: "createCharge" })
      yield* ask(story, { amount: 10, expiresIn: 600 })
      yield* story.faults()
      yield* story.advance("11 minutes")
      assert.deepStrictEqual(
        (yield* chargesOf(story)).map(({ value }) => value.status),
        ["cancelled"]
      )
      const late = yield* ask(story, { amount: 10, expiresIn: 600 })
      assert.strictEqual(late.status, 500)
      assert.strictEqual(codeOf(late), "PSP_UNAVAILABLE")
      assert.match(late.text, /this charge was given up\. Ask for a new one, under another Idemp/)
    }).pipe(Effect.provide(world))
  )
})
