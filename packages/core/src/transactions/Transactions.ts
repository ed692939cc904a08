import { Context, Effect, Layer, Schema } from "effect"
import { ChargeKind, DepositKind } from "../charges/Charge.ts"
import type { LedgerTxId, WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { StorageError } from "../ports/Refused.ts"
import { Storage } from "../ports/Storage.ts"
import type { Found, Lookup } from "../ports/StorageDriver.ts"
import type { Transaction } from "./Transaction.ts"
import { ofCharge, ofDeposit, ofLedgerTx } from "./Transaction.ts"

export class TransactionNotFound extends Schema.TaggedError<TransactionNotFound>()(
  "TransactionNotFound",
  {
    id: Schema.String
  }
) {}

/** Reads what happened in a wallet. */
export class Transactions extends Context.Service<
  Transactions,
  {
    /** By the transaction's id, then the caller's reference, then the Idempotency-Key (spec, Endpoint rules 2). */
    readonly find: (
      wallet: WalletId,
      name: string
    ) => Effect.Effect<Transaction, TransactionNotFound | StorageError>
  }
>()("@pagora/core/transactions/Transactions") {
  static readonly layer: Layer.Layer<Transactions, never, Storage> = Layer.effect(
    Transactions,
    Effect.gen(function* () {
      const storage = yield* Storage

      const ofOperation = Effect.fnUntraced(function* (found: Found) {
        const charge = yield* storage.find(ChargeKind, found.id)
        if (charge !== undefined) return ofCharge(charge.value)
        const deposit = yield* storage.find(DepositKind, found.id)
        return deposit === undefined ? undefined : ofDeposit(deposit.value)
      })

      const ofLedger = Effect.fnUntraced(function* (found: Found) {
        const tx = yield* storage.ledgerTx(found.id as LedgerTxId)
        return tx === undefined ? undefined : ofLedgerTx(tx)
      })

      const find = Effect.fn("Transactions.find")(function* (wallet: WalletId, name: string) {
        const id = name.toLowerCase()
        const lookups: ReadonlyArray<Lookup> = [
          ...(isUuid(id) ? [{ _tag: "Id", wallet, id } as const] : []),
          { _tag: "Ref", wallet, ref: name },
          { _tag: "IdempotencyKey", wallet, key: name }
        ]
        // No name that was ever stored has a NUL, and not every storage can be asked for one.
        const found = name.includes("\0") ? undefined : yield* storage.resolve(lookups)
        const transaction =
          found === undefined
            ? undefined
            : yield* found.table === "ledger" ? ofLedger(found) : ofOperation(found)
        return transaction ?? (yield* new TransactionNotFound({ id: name }))
      })
      return Transactions.of({ find })
    })
  )
}
