import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { journey, whileTimePasses } from "@pagora/testkit"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { PspCharge, PspOutcome } from "../../src/ports/Psp.ts"
import { codeOf, pspThat, world } from "../world/ServiceWorld.test-data.ts"
import { opened, subAccountBecomes } from "../sub-accounts/SubAccounts.test-data.ts"

const cancel = ({ shop }: Pick<Journey, "shop">, charge: WithId, key: string) =>
  shop.call("POST", `/pix/${charge.id}/cancel`, {
    headers: { "idempotency-key": key }
  })

const lost: PspOutcome<PspCharge> = { _tag: "Unknown", detail: "timeout" }
const refused: PspOutcome<PspCharge> = { _tag: "Rejected", code: "NOT_ALLOWED", message: "No." }

/** A PSP that does not tell what becomes of a cancel, and how it comes to its senses. */
const silentPsp = Effect.gen(function* () {
  const { cancelCharge } = yield* pspThat({})
  yield* pspThat({ cancelCharge: () => Effect.succeed(lost) })
  return { speaks: pspThat({ cancelCharge }) }
})

type Told = Effect.Success<ReturnType<typeof cancel>>

const isReplay = ({ headers }: Told): boolean => headers.get("idempotent-replayed") === "true"

const keysOf = (count: number) => Array.from({ length: count }, (_, nth) => `cancel-${nth + 1000}`)

describe("cancels of one charge with several keys", () => {
  it.effect("are all answered with what the last of them came to, at once and again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const psp = yield* silentPsp
      assert.strictEqual((yield* cancel(story, charge, "cancel-0001")).status, 500)
      yield* psp.speaks
      const last = yield* cancel(story, charge, "cancel-0002")
      assert.strictEqual(last.status, 200, last.text)
      assert.isFalse(isReplay(last))
      for (const key of ["cancel-0001", "cancel-0002", "cancel-0001"]) {
        const again = yield* cancel(story, charge, key)
        assert.strictEqual(again.text, last.text)
        assert.isTrue(isReplay(again), key)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("are all answered with what a worker came to after their process had died", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const psp = yield* silentPsp
      const keys = keysOf(3)
      for (const key of keys) assert.strictEqual((yield* cancel(story, charge, key)).status, 500)
      yield* psp.speaks
      yield* story.advance("1 hour")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "cancelled")
      const told = yield* Effect.forEach(keys, (key) => cancel(story, charge, key))
      for (const again of told) {
        assert.strictEqual(again.status, 200, again.text)
        assert.strictEqual(again.text, told[0]?.text)
        assert.isTrue(isReplay(again))
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("that meet at the PSP are answered alike, and alike again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const keys = keysOf(4)
      const all = Effect.forEach(keys, (key) => cancel(story, charge, key), {
        concurrency: "unbounded"
      })
      const first = yield* all
      const again = yield* all
      for (const [nth, answer] of first.entries()) {
        // Whoever comes when it is over has claimed nothing.
        if (answer.status === 409) continue
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(again[nth]?.text, answer.text)
        assert.isTrue(again[nth] && isReplay(again[nth]))
      }
      assert.isTrue(first.filter(({ status }) => status === 200).length > 1)
    }).pipe(Effect.provide(world))
  )

  it.effect("have a day of their own each, from when they came", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 1_209_600 })
      const psp = yield* silentPsp
      yield* cancel(story, charge, "cancel-0001")
      yield* story.advance("20 hours")
      yield* cancel(story, charge, "cancel-0002")
      yield* story.advance("5 hours")
      // Its day is over: it is begun anew.
      yield* cancel(story, charge, "cancel-0001")
      yield* psp.speaks
      yield* story.advance("1 hour")
      for (const key of ["cancel-0001", "cancel-0002"]) {
        const again = yield* cancel(story, charge, key)
        assert.strictEqual(again.status, 200, again.text)
        assert.isTrue(isReplay(again), key)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("wait sixteen at a time: one more is told so, and its key stays free", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const psp = yield* silentPsp
      const keys = keysOf(17)
      for (const key of keys) {
        const answer = yield* cancel(story, charge, key)
        assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE", answer.text)
      }
      yield* psp.speaks
      yield* story.advance("1 hour")
      const told = yield* Effect.forEach(keys, (key) => cancel(story, charge, key))
      assert.deepStrictEqual(
        told.map(({ status }) => status),
        keys.map((_, nth) => (nth < 16 ? 200 : 409))
      )
      assert.strictEqual((yield* cancel(story, yield* story.charge(), "cancel-1016")).status, 200)
    }).pipe(Effect.provide(world))
  )
})

describe("the key of a cancel that did not come about", () => {
  it.effect("keeps the PSP's refusal, also where another cancel comes about later", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge()
      const { cancelCharge } = yield* pspThat({})
      yield* pspThat({ cancelCharge: () => Effect.succeed(refused) })
      const first = yield* cancel(story, charge, "cancel-0001")
      assert.strictEqual(codeOf(first), "PSP_REJECTED")
      yield* story.advance("1 second")
      assert.strictEqual((yield* cancel(story, charge, "cancel-0001")).text, first.text)
      yield* pspThat({ cancelCharge })
      assert.strictEqual((yield* cancel(story, charge, "cancel-0002")).status, 200)
      assert.strictEqual((yield* cancel(story, charge, "cancel-0001")).text, first.text)
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps a worker's refusal by the PSP, for all that wait", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 86_400 })
      yield* silentPsp
      for (const key of keysOf(2)) yield* cancel(story, charge, key)
      yield* pspThat({ cancelCharge: () => Effect.succeed(refused) })
      yield* story.advance("1 hour")
      const told = yield* Effect.forEach([...keysOf(2), ...keysOf(2)], (key) =>
        cancel(story, charge, key)
      )
      for (const again of told) {
        assert.strictEqual(codeOf(again), "PSP_REJECTED")
        assert.strictEqual(again.text, told[0]?.text)
      }
      assert.strictEqual((yield* story.transaction(charge.id)).status, "pending")
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["completed", "expired"])(
    "keeps that it was too late, to the byte: %s",
    (ending) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* story.charge({ expiresIn: 3_600 })
        const psp = yield* silentPsp
        for (const key of keysOf(2)) yield* cancel(story, charge, key)
        yield* ending === "completed" ? story.pay(charge) : story.expire(charge)
        yield* psp.speaks
        yield* story.advance("1 minute")
        const told = yield* Effect.forEach(keysOf(2), (key) => cancel(story, charge, key))
        yield* story.advance("1 minute")
        const again = yield* Effect.forEach(keysOf(2), (key) => cancel(story, charge, key))
        for (const answer of [...told, ...again]) {
          assert.strictEqual(answer.status, 409, answer.text)
          assert.strictEqual(answer.json.details?.["value"], ending)
          assert.strictEqual(answer.text, told[0]?.text)
        }
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["at once", "by a repeat"])(
    "is told of a payment that was faster, however long the PSP took: %s",
    (way) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* story.charge()
        const psp = yield* silentPsp
        if (way === "by a repeat") yield* cancel(story, charge, "cancel-0001")
        yield* psp.speaks
        const [asking, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const { cancelCharge } = yield* pspThat({})
        yield* pspThat({
          cancelCharge: (reference) =>
            Deferred.succeed(asking, undefined).pipe(
              Effect.andThen(Deferred.await(gate)),
              Effect.andThen(cancelCharge(reference))
            )
        })
        const request = yield* Effect.forkChild(cancel(story, charge, "cancel-0001"))
        yield* Deferred.await(asking)
        yield* story.pay(charge)
        yield* TestClock.adjust("10 seconds")
        yield* Deferred.succeed(gate, undefined)
        const answer = yield* whileTimePasses(Fiber.join(request), "1 second")
        assert.strictEqual(codeOf(answer), "CHARGE_NOT_PENDING", answer.text)
        assert.strictEqual((yield* cancel(story, charge, "cancel-0001")).text, answer.text)
      }).pipe(Effect.provide(world))
  )

  it.effect("keeps that the charge was cancelled with its sub-account", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      yield* opened(story, "loja-1")
      const headers = { "x-sub-account": "loja-1", "idempotency-key": "cancel-0001" }
      const { id } = (yield* story.shop.call("POST", "/pix", { body: { amount: 1 }, headers })).json
      const ask = story.shop.call("POST", `/pix/${id}/cancel`, { headers })
      const psp = yield* silentPsp
      assert.strictEqual((yield* ask).status, 500)
      yield* psp.speaks
      yield* subAccountBecomes(story, "loja-1", "closed")
      yield* story.advance("1 hour")
      // Nobody else can ask for what became of it.
      yield* subAccountBecomes(story, "loja-1", "approved")
      const answer = yield* ask
      assert.strictEqual(answer.status, 200, answer.text)
      assert.isTrue(isReplay(answer))
    }).pipe(Effect.provide(world))
  )
})
