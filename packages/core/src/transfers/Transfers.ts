import type { DateTime } from "effect"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { SubAccountNotFound } from "../accounts/Accounts.ts"
import { Accounts } from "../accounts/Accounts.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { principal, SubAccountKind } from "../accounts/SubAccount.ts"
import type { NotActive } from "../accounts/NotActive.ts"
import { mayReceive, mayStart } from "../accounts/NotActive.ts"
import type { TransferId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import * as Kind from "../units/Kind.ts"
import type { InsufficientFunds, StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import { bookingOf, Transfer, TransferKind } from "./Transfer.ts"

export interface NewTransfer {
  /** The reference of a sub-account, or `principal`; absent: the wallet that the caller acts on. */
  readonly from?: string
  readonly to: string
  readonly amount: Centavos
  readonly description?: string
  readonly externalReference?: string
}

/** A transfer needs two wallets. */
export class SameWallet extends Schema.TaggedError<SameWallet>()("SameWallet", {
  reference: Schema.String
}) {}

export type TransferRefused = SameWallet | NotActive | SubAccountNotFound | InsufficientFunds

/** Moves money between the wallets of one account. */
export class Transfers extends Context.Service<
  Transfers,
  {
    /** In one commit: both wallets, or neither. A suspended wallet may receive and not send. */
    readonly create: (
      acting: ActingWallet,
      request: NewTransfer,
      key?: IdempotencyKey
    ) => Effect.Effect<Transfer, TransferRefused | IdempotencyKeyTaken | StorageError>
  }
>()("@pagora/core/transfers/Transfers") {
  static readonly layer: Layer.Layer<Transfers, never, Accounts | Storage | Ids | ServiceTime> =
    Layer.effect(
      Transfers,
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime

        const sidesOf = Effect.fnUntraced(function* (acting: ActingWallet, request: NewTransfer) {
          const account = yield* accounts
            .find(acting.account.value.id)
            .pipe(Effect.catchTag("AccountNotFound", Effect.die))
          const own = acting.subAccount?.value.reference
          const from = yield* accounts.acting(account, request.from ?? own)
          const to = yield* accounts.acting(account, request.to)
          yield* Effect.fromResult(mayMove(from, to))
          return { account, from, to }
        })

        const attempt = Effect.fnUntraced(function* (
          acting: ActingWallet,
          request: NewTransfer,
          key: IdempotencyKey | undefined
        ) {
          const { account, from, to } = yield* sidesOf(acting, request)
          const transfer = moved(yield* ids.next<TransferId>(), from, to, request, yield* time.now)
          const owners = [from, to].flatMap(({ subAccount }) => subAccount ?? [])
          yield* storage
            .commit({
              at: transfer.createdAt,
              inserts: [TransferKind.row(transfer)],
              ledger: [bookingOf(transfer)],
              expects: [
                Kind.expectation(AccountKind, account),
                ...owners.map((owner) => Kind.expectation(SubAccountKind, owner))
              ],
              ...begun(key, transfer.id, TransferKind.snapshot(transfer))
            })
            .pipe(keyTaken, refusedFor("StaleVersion", "InsufficientFunds"))
          return transfer
        })

        const create = Effect.fn("Transfers.create")(function* (
          acting: ActingWallet,
          request: NewTransfer,
          key?: IdempotencyKey
        ) {
          return yield* decideAgain(attempt(acting, request, key))
        })
        return Transfers.of({ create })
      })
    )
}

const nameOf = ({ subAccount }: ActingWallet): string => subAccount?.value.reference ?? principal

const mayMove = (
  from: ActingWallet,
  to: ActingWallet
): Result.Result<void, SameWallet | NotActive> => {
  if (walletOf(from) === walletOf(to))
    return Result.fail(new SameWallet({ reference: nameOf(from) }))
  const sender = { account: from.account.value, subAccount: from.subAccount?.value }
  return Result.flatMap(mayStart(sender, "from"), () =>
    mayReceive({ subAccount: to.subAccount?.value }, "to")
  )
}

const moved = (
  id: TransferId,
  from: ActingWallet,
  to: ActingWallet,
  { amount, description, externalReference }: NewTransfer,
  now: DateTime.Utc
): Transfer =>
  new Transfer({
    id,
    account: from.account.value.id,
    wallet: walletOf(from),
    destination: walletOf(to),
    status: "completed",
    from: nameOf(from),
    to: nameOf(to),
    amount,
    ...present({ description, externalReference }),
    createdAt: now
  })
