import { assert, describe, it } from "@effect/vitest"
import type { Answer, Journey } from "@pagora/testkit"
import { journey, whileTimePasses } from "@pagora/testkit"
import { Deferred, Effect, Fiber } from "effect"
import { ChargeKind } from "../../src/charges/Charge.ts"
import type { PspCharge, PspOutcome } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { Storage } from "../../src/storage/Storage.ts"
import { atPsp, codeOf, pspThat, world, Written } from "../world/ServiceWorld.test-data.ts"

const chargesOf = ({ shop }: Journey) =>
  Effect.flatMap(Storage, (storage) =>
    storage.list(ChargeKind, { account: shop.id, order: "asc", limit: 100 })
  )

const asked = (story: Journey) =>
  story.shop.call("POST", "/pix", { body: { amount: 10, externalReference: "pedido" } })

const assertUnavailable = (answer: Answer<unknown>) => {
  assert.strictEqual(answer.status, 500)
  assert.strictEqual(answer.json.error, "InternalError")
  assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE")
}

describe("POST /pix, when the PSP refuses", () => {
  it.effect("answers 400 with the PSP's code, and the charge is stored as failed", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* pspThat({
        createCharge: () =>
          Effect.succeed({
            _tag: "Rejected",
            code: "LIMIT_REACHED",
            message: "Too many charges today."
          })
      })
      const answer = yield* asked(story)
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.json.error, "BadRequest")
      assert.strictEqual(codeOf(answer), "PSP_REJECTED")
      assert.strictEqual(answer.json.details?.["pspCode"], "LIMIT_REACHED")
      const found = yield* story.transaction("pedido")
      assert.strictEqual(found.status, "failed")
      assert.strictEqual(found.failureReason, "LIMIT_REACHED")
      assert.isUndefined(found.pixCopyPaste)
      assert.isUndefined(found.blockedDeposit)
      // Nothing is left to do but a look at what has ended, and nobody is told of a charge that never was.
      const before = (yield* Written).units.length
      yield* story.advance("1 day")
      assert.deepStrictEqual(
        (yield* Written).units
          .slice(before)
          .map(({ jobs }) => jobs.filter(({ op }) => op === "Retry").map(({ queue }) => queue)),
        [[], ["reconciliation"]]
      )
      assert.deepStrictEqual(yield* story.events(), [])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** Every way to learn nothing definite. */
const unknowns: ReadonlyArray<
  readonly [name: string, create: Effect.Effect<PspOutcome<PspCharge>>]
> = [
  ["an answer that was lost", Effect.succeed({ _tag: "Unknown", detail: "timeout" })],
  ["a request that never left", Effect.succeed({ _tag: "NotSent", detail: "refused" })],
  ["a PSP layer that dies", Effect.die(new Error("broken"))],
  ["a PSP that never answers", Effect.never]
]

describe("POST /pix, when nothing definite is learnt", () => {
  it.effect.each(unknowns)(
    "%s is 500, and the janitor clears the intent up after 2 minutes",
    ([_, create]) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        yield* pspThat({ createCharge: () => create })
        assertUnavailable(yield* whileTimePasses(asked(story), "15 seconds"))
        const [intent] = yield* chargesOf(story)
        assert.strictEqual(intent?.value.status, "creating")
        const pending = yield* story.transaction("pedido")
        assert.strictEqual(pending.status, "pending")
        assert.isUndefined(pending.pixCopyPaste)

        // Two minutes after the intent, 15 seconds of which have passed.
        yield* story.advance(104_999)
        assert.strictEqual((yield* chargesOf(story))[0]?.value.status, "creating")
        yield* story.advance(1)
        assert.strictEqual((yield* chargesOf(story))[0]?.value.status, "cancelled")
        assert.strictEqual((yield* story.transaction("pedido")).status, "cancelled")
        yield* story.advance("2 days")
        assert.deepStrictEqual(yield* story.events(), [])
        assert.strictEqual((yield* chargesOf(story)).length, 1)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("waits 15 seconds for the answer and not longer", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { createCharge } = yield* pspThat({})
      yield* pspThat({ createCharge: (charge) => Effect.delay(createCharge(charge), 14_999) })
      assert.strictEqual((yield* whileTimePasses(asked(story), "14999 millis")).status, 201)
      yield* pspThat({ createCharge: (charge) => Effect.delay(createCharge(charge), 15_001) })
      assertUnavailable(yield* whileTimePasses(asked(story), "15 seconds"))
    }).pipe(Effect.provide(world))
  )

  it.effect("keeps the intent, and asks again, while the PSP cannot be asked either", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { findCharge } = yield* pspThat({
        createCharge: () => Effect.succeed({ _tag: "Unknown", detail: "lost" }),
        findCharge: () => Effect.succeed({ _tag: "Unknown", detail: "down" })
      })
      assertUnavailable(yield* asked(story))
      yield* story.advance("1 hour")
      assert.strictEqual((yield* chargesOf(story))[0]?.value.status, "creating")
      yield* pspThat({ findCharge })
      yield* story.advance("5 minutes")
      assert.strictEqual((yield* chargesOf(story))[0]?.value.status, "cancelled")
    }).pipe(Effect.provide(world))
  )

  it.effect("a later request opens a charge of its own", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ operation: "createCharge", kind: "dropRequest", times: 1 })
      assertUnavailable(yield* asked(story))
      const answer = yield* asked(story)
      assert.strictEqual(answer.status, 201)
      yield* story.advance("2 minutes")
      const charges = yield* chargesOf(story)
      assert.deepStrictEqual(
        charges.map(({ value }) => value.status),
        ["cancelled", "pending"]
      )
      yield* story.pay(answer.json)
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(["does it", "refuses it"] as const)(
    "the janitor's decision stands when the PSP %s after that",
    (does) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const asking = yield* Deferred.make<void>()
        const gate = yield* Deferred.make<void>()
        const { createCharge } = yield* pspThat({})
        const refusal = { _tag: "Rejected", code: "LIMIT_REACHED", message: "Too many." } as const
        yield* pspThat({
          createCharge: (charge) =>
            Effect.andThen(
              Effect.andThen(Deferred.succeed(asking, undefined), Deferred.await(gate)),
              does === "does it" ? createCharge(charge) : Effect.succeed(refusal)
            )
        })
        const request = yield* Effect.forkChild(asked(story))
        yield* Deferred.await(asking)
        yield* story.advance("3 minutes")
        assert.strictEqual((yield* chargesOf(story))[0]?.value.status, "cancelled")
        yield* Deferred.succeed(gate, undefined)
        assertUnavailable(yield* Fiber.join(request))
        assert.strictEqual((yield* chargesOf(story))[0]?.value.status, "cancelled")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )
})

describe("POST /pix, when the simulated PSP goes wrong", () => {
  it.effect.each(["dropAnswer", "errorAfterDoing"])(
    "%s: the charge that exists there only is taken back by the janitor",
    (kind) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.faults({ operation: "createCharge", kind, times: 1 })
        assertUnavailable(yield* asked(story))
        const { id } = yield* story.transaction("pedido")
        assert.strictEqual((yield* atPsp(id))?.status, "active")
        yield* story.advance("2 minutes")
        assert.strictEqual((yield* atPsp(id))?.status, "removed")
        assert.strictEqual((yield* story.transaction("pedido")).status, "cancelled")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect.each(["dropAnswer", "errorAfterDoing"])(
    "%s: what was paid there all the same completes the charge, once",
    (kind) =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        yield* story.faults({ operation: "createCharge", kind, times: 1 })
        assertUnavailable(yield* asked(story))
        const intent = yield* story.transaction("pedido")
        yield* story.payAtBank(intent)
        yield* story.drain
        assert.strictEqual((yield* story.transaction("pedido")).status, "completed")
        yield* story.advance("2 days")
        assert.strictEqual((yield* story.figures).available, 1_000)
        assert.deepStrictEqual(
          (yield* story.events()).map(({ event }) => event),
          ["payment_completed"]
        )
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("dropAnswer: what was paid before its caller knew of it is told once, then again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const ask = story.shop.call("POST", "/pix", {
        body: { amount: 10, externalReference: "pedido" },
        headers: { "idempotency-key": "pedido-0001" }
      })
      yield* story.faults({ operation: "createCharge", kind: "dropAnswer", times: 1 })
      assertUnavailable(yield* ask)
      yield* story.payAtBank(yield* story.transaction("pedido"))
      yield* story.drain
      const first = yield* ask
      assert.strictEqual(first.status, 201, first.text)
      assert.isNull(first.headers.get("idempotent-replayed"))
      // From now on the PSP is not needed, whatever becomes of the charge.
      yield* story.faults({ operation: "findCharge", kind: "dropRequest" })
      const again = yield* Effect.all([ask, ask], { concurrency: "unbounded" })
      for (const answer of again) {
        assert.strictEqual(answer.status, 201, answer.text)
        assert.strictEqual(answer.text, first.text)
        assert.strictEqual(answer.headers.get("idempotent-replayed"), "true")
      }
      assert.strictEqual((yield* story.figures).available, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("dropAnswer: of two who ask for it at once one tells, and the other tells again", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const ask = story.shop.call("POST", "/pix", {
        body: { amount: 10, externalReference: "pedido" },
        headers: { "idempotency-key": "pedido-0001" }
      })
      yield* story.faults({ operation: "createCharge", kind: "dropAnswer", times: 1 })
      assertUnavailable(yield* ask)
      yield* story.payAtBank(yield* story.transaction("pedido"))
      yield* story.drain
      const answers = yield* whileTimePasses(
        Effect.all([ask, ask, ask], { concurrency: "unbounded" }),
        "1 second"
      )
      const [{ text }] = answers
      assert.deepStrictEqual(
        answers.map((answer) => answer.text),
        [text, text, text]
      )
      const replays = answers.map(({ headers }) => headers.get("idempotent-replayed"))
      assert.deepStrictEqual(replays.toSorted(), [null, "true", "true"])
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "dropAnswer: what the PSP shows when the janitor takes it back completes the charge",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        yield* story.faults(
          { operation: "createCharge", kind: "dropAnswer", times: 1 },
          { operation: "notify", kind: "forget" }
        )
        assertUnavailable(yield* asked(story))
        const intent = yield* story.transaction("pedido")
        yield* story.payAtBank(intent)
        const { findCharge } = yield* pspThat({})
        yield* pspThat({
          findCharge: (reference) =>
            Effect.map(findCharge(reference), (outcome) =>
              outcome._tag === "Done" && outcome.value !== undefined
                ? done({ ...outcome.value, status: "active" as const, payments: [] })
                : outcome
            )
        })
        yield* story.advance("3 minutes")
        assert.strictEqual((yield* story.transaction("pedido")).status, "completed")
        assert.strictEqual((yield* story.figures).available, 1_000)
        assert.deepStrictEqual(
          (yield* story.events()).map(({ event }) => event),
          ["payment_completed"]
        )
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("dropAnswer: paid after the janitor gave up, the money is kept for its payer", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* story.faults({ operation: "createCharge", kind: "dropAnswer", times: 1 })
      assertUnavailable(yield* asked(story))
      const intent = yield* story.transaction("pedido")
      yield* story.advance("2 minutes")
      yield* story.payAtBank(intent)
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 0)
      const [event, ...more] = yield* story.events()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(event?.event, "payment_failed")
      assert.strictEqual(event?.data?.blockedDeposit?.reason, "charge_not_payable")
      assert.strictEqual((yield* story.transaction("pedido")).status, "cancelled")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("delay: the answer comes late and is as good", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.faults({ operation: "createCharge", kind: "delay", times: 1 })
      const answer = yield* whileTimePasses(asked(story), "1 second")
      assert.strictEqual(answer.status, 201)
    }).pipe(Effect.provide(world))
  )
})
