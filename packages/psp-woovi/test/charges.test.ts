import { assert, describe, it } from "@effect/vitest"
import { Money } from "@pagora/core"
import { DateTime, Duration, Effect } from "effect"
import type { Fault } from "@pagora/fake-bank"
import { woovi } from "../src/Woovi.ts"
import { amount, charge, reference, running } from "./WooviWorld.test-data.ts"

describe("a charge at Woovi", () => {
  it.live("shorter than Woovi's shortest keeps the end that was asked for", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      const made = yield* psp.createCharge({ ...charge, expiresInSeconds: 60 })
      for (const seen of [made, yield* psp.findCharge(reference)]) {
        if (seen._tag !== "Done" || seen.value === undefined) return assert.fail(seen._tag)
        const lasts = DateTime.distance(seen.value.createdAt, seen.value.expiresAt)
        assert.strictEqual(Duration.toSeconds(lasts), 60)
      }
      const [atWoovi] = bank.world.charges
      assert.strictEqual(atWoovi?.terms.expiresInSeconds, 300)
    })
  )

  it.live("of another amount under the reference is not taken for this one", () =>
    Effect.gen(function* () {
      const { options } = yield* running()
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      const other = yield* psp.createCharge({ ...charge, amount: Money.Centavos.make(1n) })
      assert.strictEqual(other._tag, "Unknown")
    })
  )

  it.live("that is paid while it is cancelled is answered as paid", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      const body = { error: "A cobrança já foi paga" }
      bank.faults.set([{ kind: "status", operation: "changeCharge", status: 400, body, times: 1 }])
      const refused = yield* psp.cancelCharge(reference)
      assert.strictEqual(refused._tag, "Rejected")
      bank.pay(reference)
      const paid = yield* psp.cancelCharge(reference)
      assert.strictEqual(paid._tag === "Done" && paid.value.status, "paid")
    })
  )

  it.live("has no payment of another, even if Woovi shows it", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      const other = reference.replaceAll("0", "a")
      yield* psp.createCharge(charge)
      yield* psp.createCharge({ ...charge, reference: other })
      const { endToEndId } = bank.pay(other)
      const body = yield* Effect.promise(() =>
        fetch(`${bank.url}/api/v1/transaction`, { headers: { authorization: bank.appId } }).then(
          (answer) => answer.text()
        )
      )
      assert.include(body, endToEndId)
      bank.faults.set([
        { kind: "status", operation: "listPaymentsOfCharge", status: 200, text: body, times: 1 }
      ])
      const seen = yield* psp.findCharge(reference)
      assert.deepStrictEqual(seen._tag === "Done" && seen.value?.payments, [])
    })
  )
})

describe("a return at Woovi", () => {
  it.live("of a payment to the key itself is found by its reference", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      const { endToEndId } = bank.payKey({ centavos: 1_234 })
      const asked = { reference, endToEndId, amount, purpose: "requested" } as const
      for (const _ of [1, 2]) {
        const made = yield* psp.refund(asked)
        assert.strictEqual(made._tag === "Done" && made.value.status, "processing")
      }
      bank.settleReturn(reference, "DEVOLVIDO")
      const found = yield* psp.findRefund({ reference, endToEndId })
      assert.strictEqual(found._tag === "Done" && found.value?.status, "confirmed")
    })
  )

  it.live("that the list of its charge leaves out is found by its reference alone", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      const { endToEndId } = bank.pay(reference)
      const asked = { reference: "d".repeat(32), endToEndId, amount } as const
      yield* psp.refund({ ...asked, purpose: "requested" })
      const hides: Fault = { kind: "lie", operation: "listReturnsOfCharge" }
      bank.faults.set([hides])
      const found = yield* psp.findRefund(asked)
      assert.deepInclude(found._tag === "Done" && found.value, {
        reference: asked.reference,
        endToEndId,
        status: "processing"
      })
      // Nothing is there only where both say so, and an answer about another says nothing.
      bank.faults.set([hides, { kind: "lie", operation: "findReturn", times: 1 }])
      assert.deepStrictEqual(yield* psp.findRefund(asked), { _tag: "Done", value: undefined })
      const body = {
        pixTransactionRefund: { correlationID: "another", value: 1_234, status: "REFUNDED" }
      }
      bank.faults.set([hides, { kind: "status", operation: "findReturn", status: 200, body }])
      assert.strictEqual((yield* psp.findRefund(asked))._tag, "Unknown")
    })
  )

  it.live("that is more than was paid is of another payment, and nothing is known", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      const { endToEndId } = bank.pay(reference)
      const listing = (...refunds: ReadonlyArray<object>) => {
        const told = refunds.map((one, index) => ({ correlationID: `refund-${index}`, ...one }))
        const body = { refunds: told }
        const operation = "listReturnsOfCharge"
        bank.faults.set([{ kind: "status", operation, status: 200, body, times: 1 }])
        return psp.findPayment?.(endToEndId) ?? assert.fail("It finds payments.")
      }
      const some = { value: 1_000, status: "CONFIRMED" }
      const more = { value: Number(amount) - 999, status: "IN_PROCESSING" }
      assert.strictEqual((yield* listing(some, more))._tag, "Unknown")
      const refused = yield* listing(some, { ...more, status: "REJECTED" })
      assert.strictEqual(refused._tag === "Done" && refused.value?.returns.length, 2)
    })
  )

  it.live("that is repeated must be of the same amount", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      const { endToEndId } = bank.pay(reference)
      const asked = { reference, endToEndId, amount, purpose: "requested" } as const
      assert.strictEqual((yield* psp.refund(asked))._tag, "Done")
      const other = yield* psp.refund({ ...asked, amount: Money.Centavos.make(1n) })
      assert.strictEqual(other._tag, "Unknown")
    })
  )
})

describe("a list of payments at Woovi", () => {
  it.live("with an entry that cannot be read says which one", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      const now = yield* DateTime.now
      const period = {
        from: DateTime.subtract(now, { minutes: 1 }),
        to: DateTime.add(now, { minutes: 1 })
      }
      const one = { type: "PAYMENT", value: 1, time: DateTime.formatIso(now) }
      const body = {
        transactions: [one, { ...one, time: "segredo" }],
        pageInfo: { skip: 0, limit: 25 }
      }
      bank.faults.set([{ kind: "status", operation: "listPayments", status: 200, body }])
      const page = yield* psp.listPayments?.(period) ?? Effect.die("left out")
      const detail = page._tag === "Unknown" ? page.detail : page._tag
      assert.include(detail, "at transactions.1.time")
      assert.notInclude(detail, "segredo")
    })
  )

  it.live("of which all went back is read page by page", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running()
      const psp = woovi(options)
      for (let number = 0; number < 30; number++) {
        const one = `${number}`.padStart(32, "a")
        yield* psp.createCharge({ ...charge, reference: one })
        bank.returnPayment(bank.pay(one).endToEndId)
      }
      const now = yield* DateTime.now
      const period = {
        from: DateTime.subtract(now, { minutes: 1 }),
        to: DateTime.add(now, { minutes: 1 })
      }
      const page = yield* psp.listPayments?.(period) ?? Effect.die("left out")
      assert.deepStrictEqual(
        page._tag === "Done" && [page.value.payments.length, page.value.next],
        [25, "25"]
      )
      const asked = bank.requests.filter(({ operation }) => operation === "listReturnsOfCharge")
      assert.strictEqual(asked.length, 25)
    })
  )

  it.live("goes on over its pages, and shows what went back", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running({ pageMax: 2 })
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      const { endToEndId } = bank.pay(reference)
      bank.returnPayment(endToEndId)
      for (const centavos of [1, 2, 3]) bank.payKey({ centavos })
      const now = yield* DateTime.now
      const period = {
        from: DateTime.subtract(now, { minutes: 1 }),
        to: DateTime.add(now, { minutes: 1 })
      }
      const amounts: Array<bigint> = []
      let cursor: string | undefined
      do {
        const page = yield* (
          psp.listPayments?.({ ...period, ...(cursor ? { cursor } : {}) }) ?? Effect.die("left out")
        )
        if (page._tag !== "Done") return assert.fail(page._tag)
        for (const payment of page.value.payments) {
          amounts.push(payment.amount)
          const wentBack = payment.endToEndId === endToEndId ? ["confirmed"] : []
          assert.deepStrictEqual(
            payment.returns.map(({ status }) => status),
            wentBack
          )
        }
        cursor = page.value.next
      } while (cursor !== undefined)
      assert.sameMembers(amounts, [1_234n, 1n, 2n, 3n])
    })
  )
})
