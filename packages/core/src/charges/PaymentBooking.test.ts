import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Schema } from "effect"
import { Account } from "../accounts/Account.ts"
import type { Fees } from "../accounts/Fees.ts"
import { SubAccount } from "../accounts/SubAccount.ts"
import type {
  AccountId,
  ChargeId,
  DepositId,
  LedgerTxId,
  PspCredentialId,
  ReturnId,
  SubAccountId
} from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { Percent } from "../kernel/Money.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { imbalanceOf } from "../ledger/LedgerTx.ts"
import type { PspPayment } from "../ports/Psp.ts"
import type { ChargeStatus } from "./Charge.ts"
import { Charge } from "./Charge.ts"
import type { PaymentBooking } from "./PaymentBooking.ts"
import { bookPayment, unbooked } from "./PaymentBooking.ts"

const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`
const accountId = id(1) as AccountId
const start = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const end = DateTime.add(start, { hours: 1 })
const brl = (centavos: number) => BigInt(centavos) as Centavos
const onePercent = Percent.make(10_000)

const account = (
  options: { readonly fees?: Fees; readonly policy?: Partial<Account["policy"]> } = {}
) =>
  new Account({
    id: accountId,
    name: "Loja",
    status: "approved",
    fees: options.fees ?? {},
    policy: { blockCnpjPayers: false, onUnknownPayer: "accept", ...options.policy },
    limits: {},
    routes: [],
    createdAt: start,
    updatedAt: start
  })

const subAccount = (status: SubAccount["status"]) =>
  new SubAccount({
    id: id(4) as SubAccountId,
    account: accountId,
    reference: "loja-1",
    name: "Loja",
    status,
    fees: {},
    createdAt: start
  })

const charge = (over: Partial<ConstructorParameters<typeof Charge>[0]> = {}) =>
  new Charge({
    id: id(2) as ChargeId,
    account: accountId,
    wallet: accountId,
    status: "pending",
    amount: brl(10_00),
    pspCredentialId: id(3) as PspCredentialId,
    expiresAt: end,
    createdAt: start,
    updatedAt: start,
    ...over
  })

const payment = (over: Partial<PspPayment> = {}): PspPayment => ({
  endToEndId: "E12345678202611211200abcdefghijk",
  amount: brl(10_00),
  paidAt: start,
  payer: { name: "Ana", document: "52998224725" },
  ...over
})

const decide = (
  options: {
    readonly charge?: Charge
    readonly payment?: PspPayment
    readonly account?: Account
    readonly promotional?: Centavos
    readonly owner?: SubAccount["status"]
    readonly destinations?: ReadonlyArray<SubAccount>
  } = {}
): PaymentBooking =>
  bookPayment(options.charge ?? charge(), options.payment ?? payment(), {
    account: options.account ?? account(),
    subAccount: options.owner === undefined ? undefined : subAccount(options.owner),
    promotional: options.promotional ?? brl(0),
    now: DateTime.add(start, { seconds: 1 }),
    destinations: options.destinations ?? [],
    ids: {
      payment: id(10) as LedgerTxId,
      fee: id(11) as LedgerTxId,
      deposit: id(12) as DepositId,
      legs: Array.from({ length: 20 }, (_, leg) => id(20 + leg) as LedgerTxId),
      return: id(13) as ReturnId
    }
  })

const movement = (ledger: ReadonlyArray<LedgerTx>) => {
  const sums: Record<string, bigint> = {}
  for (const { account: of, amount } of ledger.flatMap((tx) => tx.postings)) {
    sums[of.bucket] = (sums[of.bucket] ?? 0n) + amount
  }
  return sums
}

describe("a payment in time, of the right amount", () => {
  it("credits the amount less the fee of this moment", () => {
    const booking = decide({
      account: account({ fees: { payment: { fixed: brl(50), percent: onePercent } } })
    })
    assert.strictEqual(booking._tag, "Completed")
    assert.strictEqual(booking.charge.status, "completed")
    assert.strictEqual(booking.charge.feeAmount, 60n)
    assert.deepStrictEqual(movement(booking.ledger), {
      psp_clearing: -10_00n,
      available: 9_40n,
      fee_revenue: 60n
    })
    assert.deepStrictEqual(
      booking.ledger.map((tx) => tx.kind),
      ["payment", "fee"]
    )
    assert.isTrue(booking.ledger.every((tx) => imbalanceOf(tx.postings) === undefined))
  })

  it("books no fee where none is due", () => {
    assert.deepStrictEqual(
      decide().ledger.map((tx) => tx.kind),
      ["payment"]
    )
  })

  it("never takes more than the amount as a fee", () => {
    const booking = decide({ account: account({ fees: { payment: { fixed: brl(99_00) } } }) })
    assert.deepStrictEqual(movement(booking.ledger), {
      psp_clearing: -10_00n,
      available: 0n,
      fee_revenue: 10_00n
    })
  })

  it("pays the fee from the promotional balance first, and reports it whole", () => {
    const booking = decide({
      account: account({ fees: { payment: { fixed: brl(60) } } }),
      promotional: brl(45)
    })
    assert.deepStrictEqual(movement(booking.ledger), {
      psp_clearing: -10_00n,
      available: 9_85n,
      promotional: -45n,
      fee_revenue: 60n
    })
    assert.strictEqual(booking.charge.feeAmount, 60n)
  })

  it("keeps who paid", () => {
    const { charge: booked } = decide()
    assert.strictEqual(booked.counterpartName, "Ana")
    assert.strictEqual(booked.counterpartDocument, "52998224725")
    assert.strictEqual(booked.e2eId, payment().endToEndId)
  })

  it("completes an expired charge that was paid in time and told late", () => {
    const late = charge({ status: "expired" })
    const inTime = payment({ paidAt: DateTime.subtractDuration(end, Duration.millis(1)) })
    assert.strictEqual(decide({ charge: late, payment: inTime })._tag, "Completed")
  })
})

describe("money that is not what was asked for", () => {
  const cases: ReadonlyArray<
    readonly [string, Partial<ConstructorParameters<typeof Charge>[0]>, Partial<PspPayment>, string]
  > = [
    ["a centavo too little", {}, { amount: brl(9_99) }, "amount_mismatch"],
    ["a centavo too much", {}, { amount: brl(10_01) }, "amount_mismatch"],
    ["paid at the very end", {}, { paidAt: end }, "charge_expired"],
    [
      "paid at the very end, told after the expiry",
      { status: "expired" },
      { paidAt: end },
      "charge_expired"
    ],
    ["paid again", { status: "completed", e2eId: "E-first" }, {}, "charge_already_paid"],
    [
      "paid again after a blocked payer",
      { status: "failed", e2eId: "E-first" },
      {},
      "charge_already_paid"
    ],
    ["paid though the PSP refused the charge", { status: "failed" }, {}, "charge_not_payable"],
    ["paid after it was given up", { status: "cancelled" }, {}, "charge_not_payable"]
  ]
  for (const [name, over, paid, reason] of cases) {
    it(`${name}: suspense, a deposit of its own, nothing credited`, () => {
      const before = charge(over)
      const booking = decide({ charge: before, payment: payment(paid) })
      assert.strictEqual(booking._tag, "Stray")
      if (booking._tag !== "Stray") return
      assert.strictEqual(booking.deposit.reason, reason)
      assert.strictEqual(booking.charge.status, before.status satisfies ChargeStatus)
      assert.deepStrictEqual(booking.charge.strayPayments, [payment().endToEndId])
      const amount = paid.amount ?? brl(10_00)
      assert.deepStrictEqual(movement(booking.ledger), {
        psp_clearing: -amount,
        suspense: amount
      })
      assert.strictEqual(booking.ledger[0]?.source, booking.deposit.id)
    })
  }
})

describe("a payer that the account does not take money from", () => {
  const policy = { blockCnpjPayers: true } as const
  const payers: ReadonlyArray<
    readonly [string, PspPayment["payer"] | undefined, "accept" | "return", string]
  > = [
    ["a CNPJ", { document: "11222333000181" }, "accept", "Blocked"],
    ["an alphanumeric CNPJ", { document: "12ABC34501DE35" }, "accept", "Blocked"],
    ["a CPF", { document: "52998224725" }, "return", "Completed"],
    ["nobody knows who, and that is accepted", undefined, "accept", "Completed"],
    ["nobody knows who, and that is returned", undefined, "return", "Blocked"],
    ["a document that is none counts as unknown", { document: "123" }, "return", "Blocked"]
  ]
  for (const [name, payer, onUnknownPayer, outcome] of payers) {
    it(`${name}: ${outcome}`, () => {
      const { payer: _, ...paid } = payment()
      const booking = decide({
        account: account({
          policy: { ...policy, onUnknownPayer },
          fees: { payment: { fixed: brl(60) } }
        }),
        payment: payer === undefined ? paid : { ...paid, payer }
      })
      assert.strictEqual(booking._tag, outcome)
      if (outcome === "Blocked") {
        assert.strictEqual(booking.charge.status, "failed")
        assert.strictEqual(booking.charge.feeAmount, undefined)
        assert.deepStrictEqual(movement(booking.ledger), {
          psp_clearing: -10_00n,
          suspense: 10_00n
        })
      }
    })
  }
  it("matters only under the policy", () => {
    assert.strictEqual(
      decide({ payment: payment({ payer: { document: "11222333000181" } }) })._tag,
      "Completed"
    )
  })
})

describe("unbooked", () => {
  const first = payment({ endToEndId: "E1", paidAt: DateTime.add(start, { seconds: 2 }) })
  const second = payment({ endToEndId: "E2", paidAt: start })
  it("gives the oldest first and leaves out what is booked", () => {
    assert.deepStrictEqual(
      unbooked(charge(), [first, second]).map((entry) => entry.endToEndId),
      ["E2", "E1"]
    )
    assert.deepStrictEqual(
      unbooked(charge({ e2eId: "E2" }), [first, second]).map((entry) => entry.endToEndId),
      ["E1"]
    )
    assert.deepStrictEqual(
      unbooked(charge({ e2eId: "E2", strayPayments: ["E1"] }), [first, second]),
      []
    )
  })
})

it.effect.prop(
  "whatever the fee schedule, a booking balances and fee plus net is the amount",
  {
    amount: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 12n })),
    fixed: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 6n })),
    percent: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })),
    promotional: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 7n }))
  },
  ({ amount, fixed, percent, promotional }) =>
    Effect.sync(() => {
      const booking = decide({
        charge: charge({ amount: amount as Centavos }),
        payment: payment({ amount: amount as Centavos }),
        account: account({
          fees: { payment: { fixed: fixed as Centavos, percent: Percent.make(percent) } }
        }),
        promotional: promotional as Centavos
      })
      const fee = booking.charge.feeAmount ?? 0n
      const moved = movement(booking.ledger)
      assert.isTrue(fee >= 0n && fee <= amount)
      assert.strictEqual((moved["available"] ?? 0n) + (moved["promotional"] ?? 0n), amount - fee)
      assert.isTrue(-(moved["promotional"] ?? 0n) <= promotional)
      assert.strictEqual(
        Object.values(moved).reduce((sum, part) => sum + part, 0n),
        0n
      )
    })
)

describe("a payment to a sub-account", () => {
  const owned = charge({ wallet: id(4) as SubAccountId, subAccount: "loja-1" })

  it("that is approved or suspended is credited", () => {
    for (const owner of ["approved", "suspended"] as const)
      assert.strictEqual(decide({ charge: owned, owner })._tag, "Completed")
  })

  it("that is closed goes to suspense, though it was made in time and of the right amount", () => {
    const booking = decide({ charge: owned, owner: "closed" })
    assert.strictEqual(booking._tag, "Stray")
    if (booking._tag !== "Stray") return
    assert.strictEqual(booking.deposit.reason, "charge_not_payable")
    assert.strictEqual(booking.charge.status, "pending")
    assert.deepStrictEqual(movement(booking.ledger), { psp_clearing: -1000n, suspense: 1000n })
    for (const tx of booking.ledger) assert.isUndefined(imbalanceOf(tx.postings))
  })

  it("that is closed and was paid before is a second one", () => {
    const paid = charge({ ...owned, status: "completed", e2eId: "E1" })
    const booking = decide({ charge: paid, owner: "closed" })
    assert.strictEqual(
      booking._tag === "Stray" ? booking.deposit.reason : undefined,
      "charge_already_paid"
    )
  })
})
