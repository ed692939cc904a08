import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { AccountId, SubAccountId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { SubAccountStatus } from "./SubAccount.ts"
import { changed, referencePattern, SubAccount, SubAccountKind } from "./SubAccount.ts"

const id = "019a2b3c-0000-7000-8000-000000000001" as SubAccountId
const now = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const fee = (centavos: bigint) => ({ fixed: centavos as Centavos })

const subAccount = (status: SubAccountStatus) =>
  new SubAccount({
    id,
    account: "019a2b3c-0000-7000-8000-000000000002" as AccountId,
    reference: "loja-1",
    name: "Loja",
    status,
    fees: { payment: fee(10n), refund: fee(20n) },
    createdAt: instantOf(id)
  })

describe("a change of a sub-account", () => {
  const moves: ReadonlyArray<readonly [SubAccountStatus, SubAccountStatus]> = [
    ["approved", "suspended"],
    ["suspended", "approved"],
    ["approved", "closed"],
    ["suspended", "closed"],
    ["approved", "approved"],
    ["closed", "closed"]
  ]
  for (const [from, to] of moves) {
    it(`goes from ${from} to ${to}`, () => {
      const next = changed(subAccount(from), { status: to }, now)
      assert.strictEqual(next?.status, to)
      const isClosing = to === "closed" && from !== "closed"
      assert.deepStrictEqual(next?.closedAt, isClosing ? now : undefined)
    })
  }

  for (const change of [{ status: "approved" }, { status: "suspended" }, { fees: {} }] as const) {
    it(`of a closed one is refused: ${JSON.stringify(change)}`, () =>
      assert.isUndefined(changed(subAccount("closed"), change, now)))
  }

  it("replaces the named schedule whole, and keeps the others", () => {
    const fees = { payment: { min: 5n as Centavos } }
    assert.deepStrictEqual(changed(subAccount("approved"), { fees }, now)?.fees, {
      payment: { min: 5n as Centavos },
      refund: fee(20n)
    })
  })
})

describe("the form of a reference", () => {
  it("takes 2 to 32 small letters, digits, - and _, starting with a letter or digit", () => {
    for (const good of ["ab", "0-", "a_-9", "a".repeat(32)])
      assert.isTrue(referencePattern.test(good), good)
    const bad = ["", "a", "-a", "_a", "Ab", "a b", "á1", "ab\n", "a.b", "a".repeat(33)]
    for (const text of bad) assert.isFalse(referencePattern.test(text), JSON.stringify(text))
  })
})

describe("SubAccountKind", () => {
  it("brings back what it keeps", () => {
    const value = subAccount("suspended")
    const row = SubAccountKind.row(value)
    assert.deepStrictEqual(SubAccountKind.read({ ...row, version: 1 }).value, value)
    assert.deepStrictEqual(SubAccountKind.fromSnapshot(SubAccountKind.snapshot(value)), value)
  })
})
