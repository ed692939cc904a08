import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { WalletId } from "../kernel/Ids.ts"
import { Centavos } from "../kernel/Money.ts"
import type { Wallet } from "./Wallet.ts"
import { shown } from "./Wallet.ts"

const walletOf = (available: bigint, held: bigint, promotional: bigint, lien: bigint): Wallet => ({
  id: WalletId.make("00000000-0000-7000-8000-00000000000a"),
  available: Centavos.make(available),
  held: Centavos.make(held),
  promotional: Centavos.make(promotional),
  lien: Centavos.make(lien),
  updatedAt: DateTime.makeUnsafe(0)
})

const figures = (wallet: Wallet) => {
  const { available, held, promotional, total } = shown(wallet)
  return [available, held, promotional, total].map(Number)
}

describe("a wallet shows", () => {
  const cases = [
    ["what it holds when nothing is claimed", walletOf(100n, 20n, 3n, 0n), [100, 20, 3, 123]],
    ["what a lien claims as held", walletOf(100n, 20n, 3n, 30n), [70, 50, 3, 123]],
    ["nothing available when all is claimed", walletOf(100n, 20n, 3n, 100n), [0, 120, 3, 123]],
    ["no more as held than there is", walletOf(100n, 20n, 3n, 500n), [0, 120, 3, 123]],
    ["nothing when it is empty, whatever is claimed", walletOf(0n, 0n, 0n, 500n), [0, 0, 0, 0]]
  ] as const
  for (const [sentence, wallet, expected] of cases) {
    it(sentence, () => {
      assert.deepStrictEqual(figures(wallet), [...expected])
    })
  }

  const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 50n }))
  it.prop(
    "figures that are never negative and sum to what it holds",
    [amount, amount, amount, amount],
    ([available, held, promotional, lien]) => {
      const balance = shown(walletOf(available, held, promotional, lien))
      for (const figure of Object.values(balance)) assert.isTrue(figure >= 0n)
      assert.strictEqual(balance.total, available + held + promotional)
      assert.strictEqual(balance.available + balance.held + balance.promotional, balance.total)
    }
  )
})
