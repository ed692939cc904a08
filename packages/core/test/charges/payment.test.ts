import { assert, describe, it } from "@effect/vitest"
import type { ReceivedEvent } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import { atPsp, existing, pspThat, world } from "../world/ServiceWorld.test-data.ts"

const kindsOf = (events: ReadonlyArray<ReceivedEvent>) => events.map(({ event }) => event)

const reasonOf = (transaction: Pick<ReceivedEvent["data"], "blockedDeposit"> | undefined) =>
  String(transaction?.blockedDeposit?.reason)

describe("a charge that is paid", () => {
  it.effect("is credited once, and one event says so", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* story.pay(charge)
      yield* story.drain
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      assert.deepStrictEqual(yield* story.figures, {
        available: 1_000,
        promotional: 0,
        held: 0,
        total: 1_000
      })
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_completed"])
      yield* story.advance("30 days")
      assert.strictEqual((yield* story.figures).total, 1_000)
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_completed"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("twice, is credited once; the second payment is kept for its payer", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* story.pay(charge)
      yield* story.pay(charge)
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 1_000)
      const events = yield* story.events()
      assert.deepStrictEqual(kindsOf(events), ["payment_completed", "payment_failed"])
      const [completed, failed] = events
      assert.strictEqual(reasonOf(failed?.data), "charge_already_paid")
      assert.notStrictEqual(failed?.eventId, completed?.eventId)
      assert.notStrictEqual(failed?.data?.e2eId, completed?.data?.e2eId)
      const stray = yield* story.transaction(existing(failed?.data.transactionId))
      assert.strictEqual(stray.status, "failed")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("five times at once, is credited once", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* story.pay(yield* story.charge(), { times: 5 })
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 1_000)
      const events = yield* story.events()
      assert.strictEqual(kindsOf(events).filter((kind) => kind === "payment_completed").length, 1)
      assert.strictEqual(kindsOf(events).filter((kind) => kind === "payment_failed").length, 4)
      assert.strictEqual(new Set(events.map(({ eventId }) => eventId)).size, 5)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("with a wrong amount stays open, and the right one completes it", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge()
      for (const amount of [9.99, 10.01, 0.01, 1_000]) yield* story.pay(charge, { amount })
      const waiting = yield* story.transaction(charge.id)
      assert.strictEqual(waiting.status, "pending")
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.pay(charge)
      yield* story.drain
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      assert.strictEqual((yield* story.figures).total, 1_000)
      const events = yield* story.events()
      assert.deepStrictEqual(kindsOf(events).toSorted(), [
        "payment_completed",
        ...Array.from({ length: 4 }, () => "payment_failed")
      ])
      const strays = events.filter(({ event }) => event === "payment_failed")
      assert.deepStrictEqual(
        strays.map(({ data }) => Number(data?.amount)).toSorted((a, b) => a - b),
        [0.01, 9.99, 10.01, 1_000]
      )
      for (const { data } of strays) assert.strictEqual(reasonOf(data), "amount_mismatch")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("with a wrong amount only, expires as if nobody had paid", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const charge = yield* story.charge({ expiresIn: 60 })
      yield* story.pay(charge, { amount: 1 })
      yield* story.advance("60 seconds")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "cancelled")
      assert.deepStrictEqual(kindsOf(yield* story.events()), ["payment_failed", "payment_expired"])
      assert.strictEqual((yield* story.figures).total, 0)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("by two shops at once, each has its own", () =>
    Effect.gen(function* () {
      const one = yield* journey()
      const two = yield* journey()
      const charges = [yield* one.charge({ amount: 1 }), yield* two.charge({ amount: 2 })]
      yield* Effect.forEach(charges, (charge) => one.payAtBank(charge), { concurrency: 2 })
      yield* one.drain
      assert.strictEqual((yield* one.figures).total, 100)
      assert.strictEqual((yield* two.figures).total, 200)
      yield* one.audit
    }).pipe(Effect.provide(world))
  )
})

describe("a payer whom the account does not take money from", () => {
  it.effect("with a CNPJ fails the charge: nothing is credited, no fee, and it stays failed", () =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true } })
      yield* story.change({ fees: { payment: { fixed: 1 } } })
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* story.pay(charge, { payerDocument: "11.222.333/0001-81", payerName: "Empresa" })
      yield* story.drain
      assert.strictEqual((yield* story.transaction(charge.id)).status, "failed")
      assert.strictEqual((yield* story.figures).total, 0)
      const [event, ...more] = yield* story.events()
      assert.deepStrictEqual(more, [])
      assert.strictEqual(event?.event, "payment_failed")
      assert.strictEqual(event?.eventId, charge.id)
      assert.strictEqual(reasonOf(event?.data), "payer_cnpj_not_allowed")
      yield* story.advance("2 days")
      assert.strictEqual((yield* story.transaction(charge.id)).status, "failed")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("fails it for good: a person who pays it afterwards is paid back", () =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true } })
      yield* story.endpoint()
      const charge = yield* story.charge()
      yield* story.pay(charge, { payerDocument: "11222333000181" })
      yield* story.pay(charge, { payerDocument: "12345678909" })
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, 0)
      const reasons = (yield* story.events()).map(({ data }) => reasonOf(data))
      assert.deepStrictEqual(reasons, ["payer_cnpj_not_allowed", "charge_already_paid"])
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("with a CPF is welcome", () =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true } })
      yield* story.pay(yield* story.charge(), { payerDocument: "12345678909" })
      assert.strictEqual((yield* story.figures).total, 1_000)
    }).pipe(Effect.provide(world))
  )

  it.effect("with a CNPJ is welcome where no policy says otherwise", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.pay(yield* story.charge(), { payerDocument: "11222333000181" })
      assert.strictEqual((yield* story.figures).total, 1_000)
    }).pipe(Effect.provide(world))
  )

  it.effect.each([
    ["accept", 1_000],
    ["return", 0]
  ] as const)("without a name that the PSP tells: %s", ([onUnknownPayer, total]) =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true, onUnknownPayer } })
      yield* story.endpoint()
      const { findCharge } = yield* pspThat({})
      yield* pspThat({
        findCharge: (reference) =>
          Effect.map(findCharge(reference), (outcome) =>
            outcome._tag !== "Done" || outcome.value === undefined
              ? outcome
              : {
                  _tag: "Done" as const,
                  value: {
                    ...outcome.value,
                    payments: outcome.value.payments.map(({ payer: _, ...payment }) => payment)
                  }
                }
          )
      })
      const charge = yield* story.charge()
      yield* story.pay(charge)
      yield* story.drain
      assert.strictEqual((yield* story.figures).total, total)
      const [event] = yield* story.events()
      assert.isUndefined(event?.data?.counterpartDocument)
      if (total === 0) assert.strictEqual(reasonOf(event?.data), "payer_unknown")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is decided by the policy of the moment of payment", () =>
    Effect.gen(function* () {
      const story = yield* journey({ policy: { blockCnpjPayers: true } })
      const charge = yield* story.charge()
      yield* story.change({ policy: { blockCnpjPayers: false } })
      yield* story.pay(charge, { payerDocument: "11222333000181" })
      assert.strictEqual((yield* story.figures).total, 1_000)
    }).pipe(Effect.provide(world))
  )
})

describe("money that has arrived", () => {
  it.effect.each(["suspended", "rejected", "pending"])(
    "is booked for an account that is %s by now",
    (status) =>
      Effect.gen(function* () {
        const story = yield* journey()
        const charge = yield* story.charge()
        yield* story.change({ status })
        yield* story.pay(charge)
        assert.strictEqual((yield* story.figures).total, 1_000)
        yield* story.audit
      }).pipe(Effect.provide(world))
  )

  it.effect("is booked once, whichever charge the PSP shows it under", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      const first = yield* story.charge()
      const second = yield* story.charge()
      yield* story.pay(first)
      const known = yield* atPsp(first.id)
      const { findCharge } = yield* pspThat({})
      // The PSP confuses its charges: the payment of the first shows under the second too.
      yield* pspThat({
        findCharge: (reference) =>
          Effect.map(findCharge(reference), (outcome) =>
            outcome._tag !== "Done" || outcome.value === undefined
              ? outcome
              : {
                  _tag: "Done" as const,
                  value: { ...outcome.value, payments: known?.payments ?? [] }
                }
          )
      })
      yield* story.advance("2 days")
      assert.strictEqual((yield* story.figures).total, 1_000)
      assert.deepStrictEqual(kindsOf(yield* story.events()).toSorted(), [
        "payment_completed",
        "payment_expired"
      ])
      assert.strictEqual((yield* story.transaction(second.id)).status, "cancelled")
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})
