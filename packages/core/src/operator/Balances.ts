import { Context, Effect, Layer } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { principal } from "../accounts/SubAccount.ts"
import { SubAccounts } from "../sub-accounts/SubAccounts.ts"
import type { WalletId } from "../kernel/Ids.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead } from "../ports/StorageDriver.ts"

/** What one wallet of an account holds, and whose it is there. */
export interface WalletBalance {
  readonly id: WalletId
  /** The reference of the sub-account, or `principal`. */
  readonly reference: string
  readonly status: Account["status"] | SubAccount["status"]
  readonly wallet: Wallet
}

/** Reads what the wallets of an account hold. */
export class Balances extends Context.Service<
  Balances,
  {
    /** Those of the sub-accounts, the newest first, and the main one at the end; the figures of one page are of one instant. */
    readonly page: (
      account: Account,
      page: PageRead
    ) => Effect.Effect<ReadonlyArray<WalletBalance>, StorageError>
  }
>()("@pagora/core/operator/Balances") {
  static readonly layer: Layer.Layer<Balances, never, Storage | SubAccounts> = Layer.effect(
    Balances,
    Effect.gen(function* () {
      const storage = yield* Storage
      const subAccounts = yield* SubAccounts

      const page = Effect.fn("Balances.page")(function* (account: Account, query: PageRead) {
        // The main wallet ends the list, whatever its id.
        if (query.after === account.id) return []
        const found = yield* subAccounts.page(account.id, query)
        const owners = found.map(({ id, reference, status }) => ({ id, reference, status }))
        const main = { id: account.id, reference: principal, status: account.status }
        const all = found.length < query.limit ? [...owners, main] : owners
        const wallets = yield* storage.wallets(all.map(({ id }) => id))
        const walletOf = new Map<WalletId, Wallet>(wallets.map((wallet) => [wallet.id, wallet]))
        return all.flatMap((owner) => {
          const wallet = walletOf.get(owner.id)
          return wallet === undefined ? [] : { ...owner, wallet }
        })
      })
      return Balances.of({ page })
    })
  )
}
