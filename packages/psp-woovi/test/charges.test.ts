import { assert, describe, it } from "@effect/vitest"
import { Money } from "@pagora/core"
import { DateTime, Duration, Effect } from "effect"
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
      const [atWoovi] = bank.book.charges.values()
      assert.isAbove(atWoovi?.expiresDate.getTime() ?? 0, Date.now() + 299_000)
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
      bank.fault({ to: "PATCH", with: { status: 400, body: '{"error":"A cobrança já foi paga"}' } })
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
      bank.fault({ to: "GET /transaction", with: { status: 200, body } })
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
      const { endToEndId } = bank.payKey(1_234)
      const asked = { reference, endToEndId, amount, purpose: "requested" } as const
      for (const _ of [1, 2]) {
        const made = yield* psp.refund(asked)
        assert.strictEqual(made._tag === "Done" && made.value.status, "processing")
      }
      bank.endRefund(reference, "CONFIRMED")
      const found = yield* psp.findRefund({ reference, endToEndId })
      assert.strictEqual(found._tag === "Done" && found.value?.status, "confirmed")
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
  it.live("goes on over its pages, and shows what went back", () =>
    Effect.gen(function* () {
      const { bank, options } = yield* running({ pageMax: 2 })
      const psp = woovi(options)
      yield* psp.createCharge(charge)
      const { endToEndId } = bank.pay(reference)
      bank.giveBack(endToEndId)
      for (const value of [1, 2, 3]) bank.payKey(value)
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
