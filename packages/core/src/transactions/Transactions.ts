import { Context, Effect, Layer, Schema } from "effect"
import { ChargeKind, DepositKind } from "../charges/Charge.ts"
import type { LedgerTxId, ReturnId, Uuid, WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { StorageError } from "../ports/Refused.ts"
import { Storage } from "../ports/Storage.ts"
import type { Found, Lookup } from "../ports/StorageDriver.ts"
import { ReturnKind } from "../returns/Return.ts"
import type { Transaction } from "./Transaction.ts"
import { ofCharge, ofDeposit, ofLedgerTx, ofRefund } from "./Transaction.ts"

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
    /** By the transaction's id alone. */
    readonly findById: (
      wallet: WalletId,
      id: Uuid
    ) => Effect.Effect<Transaction, TransactionNotFound | StorageError>
  }
>()("@pagora/core/transactions/Transactions") {
  static readonly layer: Layer.Layer<Transactions, never, Storage> = Layer.effect(
    Transactions,
    Effect.gen(function* () {
      const storage = yield* Storage

      const ofOperation = Effect.fnUntraced(function* (found: Found) {
        const charge = yield* storage.find(ChargeKind, found.id)
        if (charge !== undefined)
          return ofCharge(charge.value, yield* returnOf(charge.value.returning))
        const deposit = yield* storage.find(DepositKind, found.id)
        if (deposit !== undefined)
          return ofDeposit(deposit.value, yield* returnOf(deposit.value.returning))
        const money = yield* returnOf(found.id as ReturnId)
        // Of the returns, only a refund is a transaction: the others show with what they bring back.
        if (money?.purpose !== "refund") return
        const refunded = yield* storage.find(ChargeKind, money.source)
        return refunded === undefined ? undefined : ofRefund(money, refunded.value)
      })

      const returnOf = (id: ReturnId | undefined) =>
        id === undefined
          ? Effect.undefined
          : Effect.map(storage.find(ReturnKind, id), (found) => found?.value)

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
        return yield* first(name, name.includes("\0") ? [] : lookups)
      })

      const first = Effect.fnUntraced(function* (name: string, lookups: ReadonlyArray<Lookup>) {
        const found = lookups.length === 0 ? undefined : yield* storage.resolve(lookups)
        const transaction =
          found === undefined
            ? undefined
            : yield* found.table === "ledger" ? ofLedger(found) : ofOperation(found)
        return transaction ?? (yield* new TransactionNotFound({ id: name }))
      })
      const findById = (wallet: WalletId, id: Uuid) => first(id, [{ _tag: "Id", wallet, id }])
      return Transactions.of({ find, findById })
    })
  )
}
