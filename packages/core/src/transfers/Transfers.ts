import { Context, Effect, Layer, Schema } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { SubAccountNotFound } from "../accounts/Accounts.ts"
import { Accounts } from "../accounts/Accounts.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { principal, SubAccountKind } from "../accounts/SubAccount.ts"
import { AccountNotActive } from "../charges/NewCharge.ts"
import type { TransferId, UnitId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../ports/Idempotency.ts"
import { begun, keyTaken } from "../ports/Idempotency.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { InsufficientFunds, StorageError } from "../ports/Refused.ts"
import { Storage } from "../ports/Storage.ts"
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

/** The wallet may not send, or not be paid into any more. */
export class WalletNotActive extends Schema.TaggedError<WalletNotActive>()("WalletNotActive", {
  field: Schema.Literals(["from", "to"]),
  reference: Schema.String,
  status: Schema.String
}) {}

export type TransferRefused =
  | SameWallet
  | WalletNotActive
  | AccountNotActive
  | SubAccountNotFound
  | InsufficientFunds

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
  static readonly layer: Layer.Layer<Transfers, never, Accounts | Storage | Ids> = Layer.effect(
    Transfers,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const storage = yield* Storage
      const ids = yield* Ids

      const sidesOf = Effect.fnUntraced(function* (acting: ActingWallet, request: NewTransfer) {
        const account = yield* accounts
          .find(acting.account.value.id)
          .pipe(Effect.catchTag("AccountNotFound", Effect.die))
        const own = acting.subAccount?.value.reference
        const from = yield* accounts.acting(account, request.from ?? own)
        const to = yield* accounts.acting(account, request.to)
        yield* refuseUnlessOpen(from, to)
        return { account, from, to }
      })

      const attempt = Effect.fnUntraced(function* (
        acting: ActingWallet,
        request: NewTransfer,
        key: IdempotencyKey | undefined
      ) {
        const { account, from, to } = yield* sidesOf(acting, request)
        const transfer = moved(yield* ids.next<TransferId>(), from, to, request)
        const owners = [from, to].flatMap(({ subAccount }) => subAccount ?? [])
        yield* storage
          .commit({
            id: yield* ids.next<UnitId>(),
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

const refuseUnlessOpen = (
  from: ActingWallet,
  to: ActingWallet
): Effect.Effect<void, SameWallet | WalletNotActive | AccountNotActive> => {
  if (walletOf(from) === walletOf(to)) {
    return Effect.fail(new SameWallet({ reference: nameOf(from) }))
  }
  const { status } = from.account.value
  if (status !== "approved") return Effect.fail(new AccountNotActive({ status }))
  const sender = from.subAccount?.value
  if (sender !== undefined && sender.status !== "approved") {
    const { reference, status } = sender
    return Effect.fail(new WalletNotActive({ field: "from", reference, status }))
  }
  const receiver = to.subAccount?.value
  if (receiver?.status !== "closed") return Effect.void
  const { reference } = receiver
  return Effect.fail(new WalletNotActive({ field: "to", reference, status: "closed" }))
}

const moved = (
  id: TransferId,
  from: ActingWallet,
  to: ActingWallet,
  { amount, description, externalReference }: NewTransfer
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
    ...(description === undefined ? {} : { description }),
    ...(externalReference === undefined ? {} : { externalReference }),
    createdAt: instantOf(id)
  })
