import { assert } from "@effect/vitest"
import type { Kind } from "@pagora/core"
import { PspDirectory, ReturnKind, SandboxPsp, Storage } from "@pagora/core"
import { Effect } from "effect"
import type { RefundReceipt } from "./Journey.ts"
import type { Tenant } from "./TestPagora.ts"

const returnsOf = Effect.fnUntraced(function* (shop: Tenant) {
  const storage = yield* Storage
  const stored = yield* storage.list(ReturnKind, {
    account: shop.id,
    order: "asc",
    limit: 100
  })
  return stored.map(({ value }) => value)
}, Effect.orDie)

/** The hand that settles refunds at the simulated PSP does its part, whoever died meanwhile. */
export const settleRefunds = Effect.fnUntraced(function* (shop: Tenant) {
  const { settleRefund } = yield* SandboxPsp
  for (const { reference, status } of yield* returnsOf(shop)) {
    if (status === "processing") yield* Effect.orDie(settleRefund(reference, "confirmed"))
  }
})

const PspBook: Kind.ReadableKind<string> = {
  name: "sandbox_refund",
  table: "operation",
  read: ({ status, version }) => ({ value: status, version })
}

/** How many returns the PSP has, whoever knows of them. */
export const returnBookSize = Effect.gen(function* () {
  const storage = yield* Storage
  const book = yield* Effect.orDie(storage.list(PspBook, { order: "asc", limit: 10_000 }))
  return book.length
})

/**
 * Whatever crashed, each return is with its payer, once, and the PSP has it under our reference; none that was
 * acknowledged is lost. Answers what the refunds among them have cost, in centavos, and how many they are.
 */
export const verifyReturns = Effect.fnUntraced(function* (
  shop: Tenant,
  options: {
    readonly acknowledged: ReadonlyArray<RefundReceipt>
    readonly strays: number
    readonly bookSize: number
  }
) {
  const storage = yield* Storage
  const directory = yield* PspDirectory
  const returns = yield* returnsOf(shop)
  for (const money of returns) {
    const psp = directory.find(money.pspCredentialId)
    const known = yield* psp?.findRefund(money) ?? Effect.die(new Error("No PSP."))
    assert.strictEqual(money.status, "confirmed", "a return never came to its end")
    assert.strictEqual(known._tag === "Done" ? known.value?.status : known._tag, "confirmed")
    assert.strictEqual(known._tag === "Done" ? known.value?.amount : undefined, money.amount)
  }
  const references = new Set(returns.map(({ reference }) => reference))
  for (const { pspRefundTransactionId } of options.acknowledged) {
    assert.isTrue(references.has(pspRefundTransactionId), "a refund is lost")
  }
  const refunds = returns.filter(({ purpose }) => purpose === "refund")
  assert.strictEqual(returns.length - refunds.length, options.strays, "returns of deposits")
  assert.strictEqual(yield* returnBookSize, options.bookSize + returns.length, "returns at the PSP")

  const movements = yield* Effect.orDie(
    storage.movements({ account: shop.id, order: "asc", limit: 1_000 })
  )
  const inSuspense = movements
    .flatMap(({ postings }) => postings)
    .reduce((sum, { account, amount }) => (account.bucket === "suspense" ? sum + amount : sum), 0n)
  assert.strictEqual(inSuspense, 0n, "money in suspense")
  const cost = refunds.reduce((sum, { amount, feeAmount = 0n }) => sum + amount + feeAmount, 0n)
  return { cost, count: refunds.length }
})
