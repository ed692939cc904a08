import { assert, it } from "@effect/vitest"
import { DateTime } from "effect"
import { Charge, ChargeKind } from "../charges/Charge.ts"
import { AccountId, ChargeId, PspCredentialId, ReturnId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { transactionKinds } from "./TransactionKind.ts"

const account = AccountId.make("019a2b3c-0000-7000-8000-000000000001")
const at = DateTime.makeUnsafe("2026-11-22T12:00:00Z")

const charge = new Charge({
  id: ChargeId.make("019a2b3c-0000-7000-8000-000000000002"),
  account,
  wallet: account,
  status: "pending",
  amount: 100n as Centavos,
  pspCredentialId: PspCredentialId.make("019a2b3c-0000-7000-8000-000000000003"),
  expiresAt: at,
  createdAt: at,
  updatedAt: at
})

const shown = (value: Charge, version: number) => {
  const row = { ...ChargeKind.row(value), version }
  const kind = transactionKinds.find(({ name }) => name === ChargeKind.name)
  const read = kind?.read(row).value
  return {
    transaction: read?.transaction({ returning: undefined, charge: undefined }),
    related: read?.related
  }
}

it("an operation is shown as the same value until anything of its row is another", () => {
  const first = shown(charge, 1)
  assert.strictEqual(first.transaction?.status, "pending")
  assert.strictEqual(shown(charge, 1).transaction, first.transaction)
  const again = shown(charge, 2)
  assert.notStrictEqual(again.transaction, first.transaction)
  const paid = shown(new Charge({ ...charge, status: "completed", paidAt: at }), 2)
  assert.strictEqual(paid.transaction?.status, "completed")
})

it("what is shown with another is made anew each time", () => {
  const returning = ReturnId.make("019a2b3c-0000-7000-8000-000000000004")
  const failed = new Charge({
    ...charge,
    status: "failed",
    blockedReason: "payer_unknown",
    returning
  })
  const first = shown(failed, 3)
  assert.deepStrictEqual(first.related, { returning })
  assert.notStrictEqual(shown(failed, 3).transaction, first.transaction)
})
