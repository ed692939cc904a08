import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import { Account } from "../accounts/Account.ts"
import { SubAccount } from "../accounts/SubAccount.ts"
import type {
  AccountId,
  ChargeId,
  CustomerId,
  PspCredentialId,
  SubAccountId
} from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { NewCharge, NewChargeContext } from "./NewCharge.ts"
import { accept, isNamed, mayCreate } from "./NewCharge.ts"

const id = (n: number) => `019aa5f1-0000-7000-8000-${String(n).padStart(12, "0")}`
const brl = (centavos: number) => BigInt(centavos) as Centavos
const start = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")

const account = (over: Partial<ConstructorParameters<typeof Account>[0]> = {}) =>
  new Account({
    id: id(1) as AccountId,
    name: "Loja",
    status: "approved",
    fees: { payment: { fixed: brl(1_00) } },
    policy: { blockCnpjPayers: false, onUnknownPayer: "accept" },
    limits: { charge: { min: brl(5_00), max: brl(50_00) } },
    routes: [],
    createdAt: start,
    updatedAt: start,
    ...over
  })

const subAccount = (over: Partial<ConstructorParameters<typeof SubAccount>[0]> = {}) =>
  new SubAccount({
    id: id(4) as SubAccountId,
    account: id(1) as AccountId,
    reference: "loja-1",
    name: "Loja",
    status: "approved",
    fees: { payment: { fixed: brl(2_00) } },
    createdAt: start,
    ...over
  })

const context = (over: Partial<NewChargeContext> = {}): NewChargeContext => ({
  id: id(2) as ChargeId,
  customerId: undefined,
  account: account(),
  subAccount: undefined,
  destinations: [],
  pspCredentialId: id(3) as PspCredentialId,
  now: start,
  ...over
})

const created = (request: NewCharge, over: Partial<NewChargeContext> = {}) =>
  Result.getOrThrow(accept(request, context(over)))
const refusal = (result: Result.Result<unknown, { readonly _tag: string }>) =>
  Result.isFailure(result) ? result.failure._tag : undefined

describe("whether an account may create a charge", () => {
  const may = (amount: number, of = account()) => refusal(mayCreate({ amount: brl(amount) }, of))

  for (const status of ["pending", "rejected", "suspended", "closed"] as const)
    it(`${status}: not`, () => assert.strictEqual(may(10_00, account({ status })), "NotActive"))

  it("approved: within its bounds, both included", () => {
    assert.strictEqual(may(4_99), "LimitReached")
    assert.isUndefined(may(5_00))
    assert.isUndefined(may(50_00))
    assert.strictEqual(may(50_01), "LimitReached")
  })
})

describe("a charge that is created", () => {
  it("is an intent until the PSP answers, for a day where nothing else is asked", () => {
    const charge = created({ amount: brl(10_00) })
    assert.strictEqual(charge.status, "creating")
    assert.strictEqual(charge.wallet, charge.account)
    assert.deepStrictEqual(charge.createdAt, start)
    assert.deepStrictEqual(charge.expiresAt, DateTime.add(start, { days: 1 }))
    const { expiresAt } = created({ amount: brl(10_00), expiresIn: 60 })
    assert.deepStrictEqual(expiresAt, DateTime.add(start, { minutes: 1 }))
  })

  it("is its sub-account's, when one acts", () => {
    const { subAccount: reference, wallet } = created(
      { amount: brl(10_00) },
      { subAccount: subAccount() }
    )
    assert.strictEqual(reference, "loja-1")
    assert.strictEqual(wallet, subAccount().id)
  })

  it("keeps a customer of whom something is told, with an id", () => {
    const customerId = id(5) as CustomerId
    assert.isTrue(isNamed({ name: "Ana" }))
    assert.isFalse(isNamed({}))
    const customer = { name: "Ana" }
    assert.strictEqual(
      created({ amount: brl(10_00), customer }, { customerId }).customerId,
      customerId
    )
    assert.isUndefined(created({ amount: brl(10_00), customer: {} }).customer)
  })

  it("is split at most as far as it brings in after its fee of now", () => {
    const split = (amount: number, over: Partial<NewChargeContext> = {}) =>
      accept(
        { amount: brl(10_00), split: [{ subAccount: "loja-1", amount: brl(amount) }] },
        context({ destinations: [subAccount().id], ...over })
      )
    const { split: legs } = Result.getOrThrow(split(9_00))
    assert.deepStrictEqual(
      legs?.map(({ amount, reference, wallet }) => [wallet, reference, amount]),
      [[subAccount().id, "loja-1", brl(9_00)]]
    )
    assert.strictEqual(refusal(split(9_01)), "SplitExceedsNet")
    // The fee of the sub-account that acts is its own.
    assert.strictEqual(refusal(split(8_01, { subAccount: subAccount() })), "SplitExceedsNet")
  })
})
