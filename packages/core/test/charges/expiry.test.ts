import { assert, describe, it } from "@effect/vitest"
import type { ReceivedEvent } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { PspShape } from "../../src/ports/Psp.ts"
import { done } from "../../src/ports/Psp.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import {
  atPsp,
  callBack,
  noticeOf,
  pspThat,
  txidOf,
  world
} from "../world/ServiceWorld.test-data.ts"

const kindsOf = (events: ReadonlyArray<ReceivedEvent>) => events.map(({ event }) => event)
const statusOf = ({ status }: { readonly status: string }) => status
const resend = Effect.flatMap(SandboxPsp, (psp) => Effect.orDie(psp.resend))

describe("a charge's time", () => {
  it.effect("does not end it unpaid where the PSP, told to take it back, shows a payment", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.faults({ kind: "forget", operation: "notify" })
      yield* story.payAtBank(charge)
      const { findCharge } = yield* pspThat({})
      yield* pspThat({
        findCharge: (reference) =>
          Effect.map(findCharge(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done({ ...outcome.value, status: "active" as const, payments: [] })
              : outcome
          )
      })
      yield* story.advance("1 minute")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_completed"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("does not end it by a notice either, where the PSP shows that payment only now", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.faults({ kind: "forget", operation: "notify" })
      yield* story.payAtBank(charge)
      const { cancelCharge, findCharge } = yield* pspThat({})
      const lost = () => Effect.succeed({ _tag: "Unknown", detail: "timeout" } as const)
      yield* pspThat({ cancelCharge: lost, findCharge: lost })
      yield* story.advance("2 minutes")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "pending")
      yield* pspThat({
        cancelCharge,
        findCharge: (reference) =>
          Effect.map(findCharge(reference), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done({ ...outcome.value, status: "active" as const, payments: [] })
              : outcome
          )
      })
      assert.strictEqual((yield* callBack(noticeOf(txidOf(charge.id)))).status, 200)
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_completed"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("ends exactly at expiresAt and not before", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.advance(59_999)
      const waiting = yield* story.transaction(charge.id)
      assert.strictEqual(statusOf(waiting), "pending")
      assert.deepStrictEqual(yield* story.events(), [])
      yield* story.advance(1)
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "cancelled")
      const [event, ...more] = yield* story.events()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(event?.event, "payment_expired")
      assert.strictEqual(event?.eventId, `payment_expired_${charge.id}`)
      assert.strictEqual(event?.data?.expiredAt, charge.expiresAt)
      // So that nobody pays it any more.
      assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is not cut short by a notification just before the end", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.advance(59_999)
      assert.strictEqual((yield* callBack(noticeOf(txidOf(charge.id)))).status, 200)
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "pending")
      yield* story.advance(1)
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_expired"])
    }).pipe(Effect.provide(world))
  )

  it.effect("is a day where nobody says otherwise, and 14 days at most", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const day = yield* story.charge()
      const long = yield* story.charge({ expiresIn: 1_209_600 })
      yield* story.advance(Duration.millis(86_399_999))
      assert.strictEqual(statusOf(yield* story.transaction(day.id)), "pending")
      yield* story.advance(1)
      assert.strictEqual(statusOf(yield* story.transaction(day.id)), "cancelled")
      yield* story.advance(Duration.millis(13 * 86_400_000 - 1))
      assert.strictEqual(statusOf(yield* story.transaction(long.id)), "pending")
      yield* story.advance(1)
      assert.strictEqual(statusOf(yield* story.transaction(long.id)), "cancelled")
    }).pipe(Effect.provide(world))
  )

  it.effect("ends once, however often it is looked at afterwards", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charges = yield* Effect.replicateEffect(story.charge({ expiresIn: 60 }), 20)
      yield* story.advance("1 minute")
      yield* Effect.forEach(charges, (charge) => story.expire(charge))
      yield* story.advance("30 days")
      const ids = (yield* story.events()).map(({ eventId }) => eventId)
      assert.strictEqual(ids.length, 20)
      assert.strictEqual(new Set(ids).size, 20)
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("can be ended now by the sandbox, at the PSP too", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      const answer = yield* story.expire(charge)
      assert.strictEqual(statusOf(answer), "cancelled")
      assert.strictEqual(answer.id, charge.id)
      yield* story.drain
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_expired"])
      assert.strictEqual((yield* atPsp(charge.id))?.status, "removed")
    }).pipe(Effect.provide(world))
  )

  it.effect("means nothing to a charge that is paid", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* story.pay(charge)
      yield* story.expire(charge)
      yield* story.advance("2 days")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_completed"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("ends though the PSP cannot be told so", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.faults({ operation: "cancelCharge", kind: "dropRequest" })
      yield* story.advance("60 seconds")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "cancelled")
      assert.strictEqual((yield* atPsp(charge.id))?.status, "active")
      // What is paid there then is not credited.
      yield* story.faults()
      yield* story.payAtBank(charge)
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 0)
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_expired", "payment_failed"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "costs one question to a PSP that takes the charge back, and two to one that does not",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        const asked: Array<string> = []
        let takesBack = true
        const real: PspShape = yield* pspThat({
          findCharge: (reference) =>
            Effect.suspend(() => {
              asked.push("find")
              return real.findCharge(reference)
            }),
          cancelCharge: (reference) =>
            Effect.suspend((): ReturnType<PspShape["cancelCharge"]> => {
              asked.push("cancel")
              return takesBack
                ? real.cancelCharge(reference)
                : Effect.succeed({ _tag: "Rejected", code: "NO", message: "No." })
            })
        })
        const [one, other] = [
          yield* story.charge({ expiresIn: 60 }),
          yield* story.charge({ expiresIn: 120 })
        ]
        yield* story.advance("60 seconds")
        assert.strictEqual(statusOf(yield* story.transaction(one.id)), "cancelled")
        assert.deepStrictEqual(asked, ["cancel"])
        takesBack = false
        yield* story.advance("60 seconds")
        assert.strictEqual(statusOf(yield* story.transaction(other.id)), "cancelled")
        assert.deepStrictEqual(asked, ["cancel", "cancel", "find"])
        assert.deepStrictEqual(kindsOf(yield* story.events()), [
          "payment_expired",
          "payment_expired"
        ])
      }).pipe(Effect.provide(world))
  )

  it.effect("is the PSP's to say where it differs from ours", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { createCharge } = yield* pspThat({})
      // A bank that gives ten minutes, whatever was asked for.
      yield* pspThat({
        createCharge: (charge) => createCharge({ ...charge, expiresInSeconds: 600 })
      })
      const charge = yield* story.charge({ expiresIn: 3_600 })
      assert.strictEqual(charge.expiresAt, "2026-11-21T12:10:00.000Z")
      yield* story.advance("10 minutes")
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "cancelled")
    }).pipe(Effect.provide(world))
  )
})

describe("a payment around the end", () => {
  it.effect("one millisecond before it completes the charge", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.advance(59_999)
      yield* story.pay(charge)
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "completed")
      assert.strictEqual((yield* story.figures).total, 1_000)
    }).pipe(Effect.provide(world))
  )

  it.effect("at the end itself is late: nothing is credited, and the charge stays ended", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.advance(60_000)
      yield* story.pay(charge)
      yield* story.drain
      assert.strictEqual(statusOf(yield* story.transaction(charge.id)), "cancelled")
      assert.strictEqual((yield* story.figures).total, 0)
      const events = yield* story.events()
      assert.deepStrictEqual(kindsOf(events), ["payment_expired", "payment_failed"])
      const stray = events[1]?.data
      assert.strictEqual(stray?.blockedDeposit?.reason, "charge_expired")
      assert.notStrictEqual(stray?.transactionId, charge.id)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "after the end and before anybody looked at it is late as well, and the charge ends",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        const charges = yield* Effect.replicateEffect(story.charge({ expiresIn: 60 }), 10)
        // Time passes while no worker runs.
        yield* TestClock.adjust("60 seconds")
        yield* Effect.forEach(charges, (charge) => story.payAtBank(charge))
        yield* story.drain
        const kinds = kindsOf(yield* story.events())
        assert.strictEqual(kinds.filter((kind) => kind === "payment_expired").length, 10)
        assert.strictEqual(kinds.filter((kind) => kind === "payment_failed").length, 10)
        assert.strictEqual(kinds.length, 20)
        for (const { id } of charges) {
          assert.strictEqual(statusOf(yield* story.transaction(id)), "cancelled")
        }
        assert.strictEqual((yield* story.figures).total, 0)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect(
    "made in time and told late completes the expired charge; both events are told, with two ids",
    () =>
      Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        const charge = yield* story.charge({ expiresIn: 60, externalReference: "pedido" })
        yield* story.advance(59_999)
        // Its notice is lost, a second time too, and when the charge ends the PSP does not show it yet.
        yield* story.faults(
          { operation: "notify", kind: "dropRequest", times: 2 },
          { operation: "cancelCharge", kind: "dropAnswer", times: 1 },
          { operation: "findCharge", kind: "lie", times: 1 }
        )
        yield* story.payAtBank(charge)
        yield* story.advance("1 hour")
        assert.strictEqual(statusOf(yield* story.transaction("pedido")), "cancelled")
        assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_expired"])
        yield* resend
        yield* story.drain
        assert.strictEqual(statusOf(yield* story.transaction("pedido")), "completed")
        assert.strictEqual((yield* story.figures).total, 1_000)
        const events = yield* story.events()
        assert.deepStrictEqual(kindsOf(events), ["payment_expired", "payment_completed"])
        assert.deepStrictEqual(
          events.map(({ eventId }) => eventId),
          [`payment_expired_${charge.id}`, charge.id]
        )
        const paid = yield* story.transaction("pedido")
        assert.strictEqual(paid.paidAt, "2026-11-21T12:00:59.999Z")
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("found at the end completes it, without a word of an end", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* story.faults({ operation: "notify", kind: "dropRequest" })
      const charges = yield* Effect.replicateEffect(story.charge({ expiresIn: 60 }), 10)
      yield* Effect.forEach(charges.slice(0, 5), (charge) => story.payAtBank(charge))
      yield* story.advance("1 day")
      const kinds = kindsOf(yield* story.events())
      assert.strictEqual(kinds.filter((kind) => kind === "payment_completed").length, 5)
      assert.strictEqual(kinds.filter((kind) => kind === "payment_expired").length, 5)
      assert.strictEqual((yield* story.figures).total, 5_000)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("late and of a wrong amount is kept for its payer as well", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.advance("2 minutes")
      yield* story.pay(charge, { amount: 5, times: 2 })
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 0)
      assert.deepStrictEqual(kindsOf(yield* story.events()), [
        "payment_expired",
        "payment_failed",
        "payment_failed"
      ])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
