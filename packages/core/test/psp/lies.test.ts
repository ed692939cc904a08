import { assert, describe, it } from "@effect/vitest"
import { journey } from "@pagora/testkit"
import { Effect, Logger } from "effect"
import type { Centavos } from "../../src/kernel/Money.ts"
import type { PspCharge, PspOutcome, PspReceived } from "../../src/ports/Psp.ts"
import { done, PspDirectory } from "../../src/ports/Psp.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { openReturns } from "../psp-reports/Infractions.test-data.ts"
import { rowsOf } from "../reviews/Reviews.test-data.ts"
import { atPsp, codeOf, existing, pspThat, world } from "../world/ServiceWorld.test-data.ts"

const errorsIn = (errors: Array<string>) =>
  Logger.layer([
    Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error") errors.push(String(message))
    })
  ])

const brl = (centavos: bigint) => centavos as Centavos

/** Beside the payments of a charge, its PSP shows another one of this amount, made before them. */
const alsoPaid = Effect.fnUntraced(function* (amount: bigint) {
  const { findCharge } = yield* pspThat({})
  yield* pspThat({
    findCharge: (reference) =>
      Effect.map(findCharge(reference), (outcome) => {
        if (outcome._tag !== "Done" || outcome.value === undefined) return outcome
        const { createdAt, payments } = outcome.value
        if (payments.length === 0) return outcome
        const lie = {
          endToEndId: "E9999999920261121120088888888888",
          amount: brl(amount),
          paidAt: createdAt
        }
        return done({ ...outcome.value, payments: [lie, ...payments] })
      })
  })
})

const notUnderstood =
  "A PSP layer answered what the port does not know; the outcome counts as unknown."

describe("money of less than nothing that a PSP tells of", () => {
  it.effect(
    "is not understood: nothing of its charge is booked, until it is told otherwise",
    () => {
      const errors: Array<string> = []
      return Effect.gen(function* () {
        const story = yield* journey()
        yield* story.endpoint()
        const { findCharge } = yield* pspThat({})
        yield* alsoPaid(-1_000n)
        const charge = yield* story.charge()
        yield* story.payAtBank(charge)
        yield* story.drain
        assert.strictEqual((yield* story.transaction(charge.id)).status, "pending")
        assert.include(errors, notUnderstood)
        assert.deepStrictEqual(yield* rowsOf("/suspense"), [])
        assert.strictEqual((yield* story.figures).total, 0)
        yield* pspThat({ findCharge })
        yield* story.advance("61 minutes")
        assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
        assert.strictEqual((yield* story.figures).total, 1_000)
        yield* story.audit
      }).pipe(Effect.provide(world), Effect.provide(errorsIn(errors)))
    }
  )

  it.effect(
    "is not understood: a return told of as a debit is asked about until it is seen",
    () => {
      const errors: Array<string> = []
      return Effect.gen(function* () {
        yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
        const story = yield* journey()
        const { returnPayment } = yield* SandboxPsp
        const [endToEndId = ""] = yield* story.payAtBank(yield* story.charge())
        yield* story.drain
        const { findPayment: find } = yield* pspThat({})
        const findPayment = existing(find)
        yield* pspThat({
          findPayment: (id) =>
            Effect.map(findPayment(id), (outcome) => {
              if (outcome._tag !== "Done" || outcome.value === undefined) return outcome
              const returns = outcome.value.returns.map((back) => ({
                ...back,
                amount: brl(-back.amount)
              }))
              return done({ ...outcome.value, returns })
            })
        })
        yield* returnPayment(endToEndId)
        yield* story.drain
        assert.deepStrictEqual(yield* openReturns(story), [])
        assert.include(errors, notUnderstood)
        yield* pspThat({ findPayment })
        yield* story.advance("10 minutes")
        assert.strictEqual((yield* openReturns(story)).length, 1)
        yield* story.audit
      }).pipe(Effect.provide(world), Effect.provide(errorsIn(errors)))
    }
  )
})

describe("a payment of no amount that a PSP tells of", () => {
  it.effect("keeps no other payment of its charge away", () => {
    const errors: Array<string> = []
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* alsoPaid(0n)
      const charge = yield* story.charge()
      yield* story.pay(charge)
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      assert.deepStrictEqual(yield* rowsOf("/suspense"), [])
      assert.include(errors, "A PSP tells of money without an amount; that entry is left out.")
      yield* story.advance("2 days")
      assert.strictEqual((yield* story.figures).total, 1_000)
      yield* story.audit
    }).pipe(Effect.provide(world), Effect.provide(errorsIn(errors)))
  })

  it.effect("keeps nothing else of a list away, and is booked as nothing", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
      const story = yield* journey()
      const { payKey } = yield* SandboxPsp
      yield* story.faults({ kind: "forget", operation: "notify" })
      const lying = (payment: PspReceived): ReadonlyArray<PspReceived> => [
        { ...payment, endToEndId: payment.endToEndId.replace(/.{4}$/, "zero"), amount: brl(0n) },
        {
          ...payment,
          returns: [{ reference: "D0", status: "confirmed", amount: brl(0n) }]
        }
      ]
      const directory = yield* PspDirectory
      const psp = existing(directory.find(directory.default))
      const list = existing(psp.listPayments)
      const find = existing(psp.findPayment)
      yield* pspThat({
        listPayments: (query) =>
          Effect.map(list(query), (outcome) =>
            outcome._tag === "Done"
              ? done({ ...outcome.value, payments: outcome.value.payments.flatMap(lying) })
              : outcome
          ),
        findPayment: (id) =>
          Effect.map(find(id), (outcome) =>
            outcome._tag === "Done" && outcome.value !== undefined
              ? done(existing(lying(outcome.value)[1]))
              : outcome
          )
      })
      yield* payKey({ amount: brl(1_100n) })
      yield* story.advance("61 minutes")
      yield* story.advance("1 hour")
      assert.deepStrictEqual(
        (yield* rowsOf("/suspense")).map(({ amount }) => amount),
        [11]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

/** Whatever is asked for, the PSP opens charges of one centavo more. */
const opensForMore = Effect.gen(function* () {
  const { createCharge } = yield* pspThat({})
  yield* pspThat({
    createCharge: (charge): Effect.Effect<PspOutcome<PspCharge>> =>
      createCharge({ ...charge, amount: brl(charge.amount + 1n) })
  })
})

describe("a PSP that opens a charge of another amount than it was asked for", () => {
  it.effect("has no payer handed its code, and is not paid", () => {
    const errors: Array<string> = []
    return Effect.gen(function* () {
      const story = yield* journey()
      yield* story.endpoint()
      yield* opensForMore
      const body = { amount: 10, externalReference: "pedido" }
      const answer = yield* story.shop.call("POST", "/pix", { body })
      assert.strictEqual(answer.status, 500)
      assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE")
      assert.notInclude(answer.text, "br.gov.bcb.pix")
      assert.include(errors, "A PSP opened a charge of another amount than it was asked for.")
      const { id, pixCopyPaste } = yield* story.transaction("pedido")
      assert.isUndefined(pixCopyPaste)
      yield* story.advance("1 hour")
      assert.strictEqual((yield* story.transaction("pedido")).status, "cancelled")
      assert.strictEqual((yield* atPsp(id))?.status, "removed")
      yield* story.audit
    }).pipe(Effect.provide(world), Effect.provide(errorsIn(errors)))
  })

  it.effect("has it back from whoever asks again with the key, and nothing is handed out", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      yield* opensForMore
      const ask = story.shop.call("POST", "/pix", {
        body: { amount: 10 },
        headers: { "idempotency-key": "pedido-1" }
      })
      for (let times = 0; times < 3; times++) {
        const answer = yield* ask
        assert.strictEqual(codeOf(answer), "PSP_UNAVAILABLE")
        assert.notInclude(answer.text, "br.gov.bcb.pix")
        yield* story.advance("1 minute")
      }
    }).pipe(Effect.provide(world))
  )
})
