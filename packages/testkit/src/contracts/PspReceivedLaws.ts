import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import type {
  PspFinding,
  PspInfraction,
  PspInfractionsQuery,
  PspNotice,
  PspPaymentsQuery,
  PspReceived
} from "@pagora/core"
import type { Law } from "./PspLaws.ts"
import {
  aCharge,
  amount,
  assertWorded,
  doneValue,
  eventually,
  neverPaid,
  newReference,
  periodOf
} from "./PspLaws.ts"
import { paid } from "./PspPaymentLaws.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

/** Laws of what the PSP has received, whatever it was for, and of what it tells of by names of its own. */
export const receivedLaws: ReadonlyArray<Law> = [
  {
    title: "a payment is found by its end-to-end id, with the charge that it pays",
    needs: ["payments", "receivedPayments"],
    proof: Effect.gen(function* () {
      const { endToEndId, reference } = yield* aPayment
      const payment = yield* foundPayment(endToEndId)
      assert.strictEqual(payment.endToEndId, endToEndId)
      assert.strictEqual(payment.reference, reference)
      assert.strictEqual(payment.amount, amount)
      assert.deepStrictEqual(payment.returns, [])
    })
  },

  {
    title: "no payment is found under an end-to-end id of none",
    needs: ["receivedPayments"],
    proof: Effect.gen(function* () {
      const find = yield* method("findPayment")
      for (const id of [neverPaid, "E1"]) {
        const outcome = yield* find(id)
        assert.isFalse(outcome._tag === "Done" && outcome.value !== undefined, id)
      }
    })
  },

  {
    title: "a payment shows each of its returns",
    needs: ["payments", "refunds", "receivedPayments"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const { endToEndId } = yield* aPayment
      const reference = yield* newReference
      const asked = { reference, endToEndId, amount, purpose: "requested" } as const
      doneValue(yield* psp.refund(asked))
      const look = Effect.map(foundPayment(endToEndId), ({ returns }) =>
        returns.length === 0 ? undefined : returns
      )
      const returns = yield* eventually(look, "the return below its payment")
      assert.deepStrictEqual(
        returns.map((one) => [one.reference, one.amount]),
        [[reference, amount]]
      )
    })
  },

  {
    title: "a list has each payment of its period once, over all of its pages",
    needs: ["payments", "paymentLists"],
    proof: Effect.gen(function* () {
      const made = yield* Effect.all([aPayment, aPayment, aPayment])
      const period = periodOf(made)
      const look = Effect.map(listed(period), (all) =>
        made.every(({ endToEndId }) => all.some((one) => one.endToEndId === endToEndId))
          ? all
          : undefined
      )
      const all = yield* eventually(look, "the payments in the list")
      for (const { endToEndId, reference } of made) {
        const shown = all.filter((one) => one.endToEndId === endToEndId)
        assert.strictEqual(shown.length, 1, endToEndId)
        assert.strictEqual(shown[0]?.amount, amount)
        assert.strictEqual(shown[0]?.reference, reference)
      }
    })
  },

  {
    title: "whatever a list shows was paid, or given back, is more than nothing",
    needs: ["payments", "paymentLists"],
    proof: Effect.gen(function* () {
      const made = yield* aPayment
      const look = Effect.map(listed(periodOf([made])), (all) =>
        all.some(({ endToEndId }) => endToEndId === made.endToEndId) ? all : undefined
      )
      for (const { amount: paid, endToEndId, returns } of yield* eventually(look, "the list")) {
        assert.isTrue(paid > 0n, endToEndId)
        for (const money of returns) assert.isTrue(money.amount > 0n, money.reference)
      }
    })
  },

  {
    title: "a list has nothing that was paid before or after its period",
    needs: ["payments", "paymentLists"],
    proof: Effect.gen(function* () {
      const made = yield* aPayment
      const { from, to } = periodOf([made])
      const others = [
        { from: DateTime.subtract(from, { minutes: 10 }), to: from },
        { from: to, to: DateTime.add(to, { minutes: 10 }) }
      ]
      for (const period of others) {
        const ids = (yield* listed(period)).map(({ endToEndId }) => endToEndId)
        assert.notInclude(ids, made.endToEndId)
      }
    })
  },

  {
    title: "what is paid to the key itself is for no charge, and is named by its end-to-end id",
    needs: ["directPayments", "receivedPayments", "notifications"],
    proof: Effect.gen(function* () {
      const { payKey } = yield* PspUnderTest
      if (payKey === undefined) return assert.fail("There is no hook `payKey`.")
      const endToEndId = yield* payKey()
      assert.isUndefined((yield* foundPayment(endToEndId)).reference)
      yield* assertTold(endToEndId, { _tag: "Payment", endToEndId })
    })
  },

  {
    title: "a payment that the PSP gives back by itself shows so, and is named",
    needs: ["payments", "ownReturns", "receivedPayments", "notifications"],
    proof: Effect.gen(function* () {
      const { returnPayment } = yield* PspUnderTest
      if (returnPayment === undefined) return assert.fail("There is no hook `returnPayment`.")
      const { endToEndId } = yield* aPayment
      yield* returnPayment(endToEndId)
      const look = Effect.map(foundPayment(endToEndId), ({ returns }) =>
        returns.find(({ status }) => status === "confirmed")
      )
      const money = yield* eventually(look, "the return of the PSP")
      assert.strictEqual(money.amount, amount)
      assert.notStrictEqual(money.reference, "")
      yield* assertTold(endToEndId, { _tag: "Payment", endToEndId })
    })
  },

  {
    title: "who has paid is confirmed, and nobody else",
    needs: ["payments", "payerClaims"],
    proof: Effect.gen(function* () {
      const { payerDocument } = yield* PspUnderTest
      const confirm = yield* method("confirmPayer")
      const { endToEndId, payer } = yield* aPayment
      const document = payer?.document ?? payerDocument
      if (document === undefined)
        return assert.fail("Payments do not tell who paid, and there is no `payerDocument`.")
      assert.isTrue(doneValue(yield* confirm({ endToEndId, document })))
      for (const other of ["40442820135", "11222333000181"]) {
        assert.isFalse(doneValue(yield* confirm({ endToEndId, document: other })), other)
      }
      const unpaid = yield* confirm({ endToEndId: neverPaid, document })
      assert.isFalse(unpaid._tag === "Done" && unpaid.value, "what nobody paid")
    })
  },

  {
    title: "an infraction is found under the id that its notice names",
    needs: ["payments", "infractions", "notifications"],
    proof: Effect.gen(function* () {
      const { reportInfraction } = yield* PspUnderTest
      if (reportInfraction === undefined) return assert.fail("There is no hook `reportInfraction`.")
      const { endToEndId } = yield* aPayment
      const id = yield* reportInfraction(endToEndId)
      yield* assertTold(id, { _tag: "Infraction", id })
      const find = yield* method("findInfraction")
      const infraction = doneValue(yield* find(id))
      assert.strictEqual(infraction?.endToEndId, endToEndId)
      assert.strictEqual(infraction?.amount, amount)
      assert.isUndefined(doneValue(yield* find(yield* newReference)))
    })
  },

  {
    title:
      "a list has each infraction of its period once, over all of its pages, and none of another",
    needs: ["payments", "infractionLists"],
    proof: Effect.gen(function* () {
      const made = yield* Effect.all([anInfraction, anInfraction, anInfraction])
      const paidIn = periodOf(made)
      // They were reported a moment after they were paid.
      const period = { ...paidIn, to: DateTime.add(paidIn.to, { minutes: 2 }) }
      const look = Effect.map(listedInfractions(period), (all) =>
        made.every(({ id }) => all.some((one) => one.id === id)) ? all : undefined
      )
      const all = yield* eventually(look, "the infractions in the list")
      for (const { endToEndId, id } of made) {
        const shown = all.filter((one) => one.id === id)
        assert.strictEqual(shown.length, 1, id)
        assert.strictEqual(shown[0]?.endToEndId, endToEndId)
        assert.strictEqual(shown[0]?.amount, amount)
        assert.strictEqual(shown[0]?.status, "open")
      }
      const { from, to } = period
      const others = [
        { from: DateTime.subtract(from, { minutes: 10 }), to: from },
        { from: to, to: DateTime.add(to, { minutes: 10 }) }
      ]
      for (const other of others) {
        const ids = (yield* listedInfractions(other)).map(({ id }) => id)
        for (const { id } of made) assert.notInclude(ids, id)
      }
    })
  },

  {
    title: "a check tells the same when it is made again, with words for each thing that it finds",
    needs: ["checks"],
    proof: Effect.gen(function* () {
      const { check } = (yield* PspUnderTest).psp
      if (check === undefined) return assert.fail("The PSP has no `check`.")
      const first = yield* check()
      assertWorded(first)
      assert.deepStrictEqual(namesOf(yield* check()), namesOf(first))
    })
  },

  {
    title:
      "what was prepared can be prepared again, and leaves nothing amiss that it did not before",
    needs: ["preparation"],
    proof: Effect.gen(function* () {
      const { prepare } = (yield* PspUnderTest).psp
      if (prepare === undefined) return assert.fail("The PSP has no `prepare`.")
      const wanted = { webhookUrl: "https://pay.example.com/v2/psp/id/webhook" }
      const first = yield* prepare(wanted)
      assertWorded(first)
      const failedOf = (findings: ReadonlyArray<PspFinding>) =>
        namesOf(findings.filter(({ state }) => state === "failed"))
      assert.deepStrictEqual(failedOf(yield* prepare(wanted)), failedOf(first))
    })
  }
]

const namesOf = (findings: ReadonlyArray<PspFinding>) => findings.map(({ name }) => name)

/** A method that the PSP may leave out, and has. */
const method = <
  Name extends
    | "findPayment"
    | "listPayments"
    | "confirmPayer"
    | "findInfraction"
    | "listInfractions"
>(
  name: Name
) =>
  Effect.map(PspUnderTest, ({ psp }) => {
    const found = psp[name]
    return found ?? assert.fail(`It is declared as supported, but the PSP has no ${name}.`)
  })

/** A charge of 12.34 that somebody paid: its payment. */
const aPayment = Effect.gen(function* () {
  const { payments, reference } = yield* paid(yield* aCharge)
  const [payment] = payments
  return payment === undefined
    ? assert.fail("The PSP shows no payment.")
    : { ...payment, reference }
})

/** The payment as the PSP has it, as soon as that shows. */
const foundPayment = Effect.fnUntraced(function* (endToEndId: string) {
  const find = yield* method("findPayment")
  return yield* eventually(Effect.map(find(endToEndId), doneValue), `the payment ${endToEndId}`)
})

/** All pages of a list. */
const listed = Effect.fnUntraced(function* (period: Pick<PspPaymentsQuery, "from" | "to">) {
  const list = yield* method("listPayments")
  const all: Array<PspReceived> = []
  for (let cursor: string | undefined; ;) {
    const page = doneValue(yield* list({ ...period, ...(cursor === undefined ? {} : { cursor }) }))
    all.push(...page.payments)
    cursor = page.next
    if (cursor === undefined) return all
  }
})

/** Fraud that somebody reported about a payment, with the time of that payment. */
const anInfraction = Effect.gen(function* () {
  const { reportInfraction } = yield* PspUnderTest
  if (reportInfraction === undefined) return assert.fail("There is no hook `reportInfraction`.")
  const { endToEndId, paidAt } = yield* aPayment
  return { id: yield* reportInfraction(endToEndId), endToEndId, paidAt }
})

/** All pages of the list of infractions. */
const listedInfractions = Effect.fnUntraced(function* (
  period: Pick<PspInfractionsQuery, "from" | "to">
) {
  const list = yield* method("listInfractions")
  const all: Array<PspInfraction> = []
  for (let cursor: string | undefined; ;) {
    const page = doneValue(yield* list({ ...period, ...(cursor === undefined ? {} : { cursor }) }))
    all.push(...page.infractions)
    cursor = page.next
    if (cursor === undefined) return all
  }
})

/** Of the notifications that have this in them, one tells of this. */
const assertTold = Effect.fnUntraced(function* (name: string, notice: PspNotice) {
  const { notifications, psp } = yield* PspUnderTest
  if (notifications === undefined) return assert.fail("There is no hook `notifications`.")
  const look = Effect.gen(function* () {
    const told = yield* Effect.forEach(yield* notifications(name), psp.readNotification)
    return told.flat().find((one) => JSON.stringify(one) === JSON.stringify(notice))
  })
  yield* eventually(look, `a notification that names ${name}`)
})
