import { Context, Effect, Layer, Schema } from "effect"
import { LedgerTxId, Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { available, equity } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, debit, post } from "../ledger/LedgerTx.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import type { AccountNotFound, SubAccountNotFound } from "./Accounts.ts"
import { Accounts } from "./Accounts.ts"
import type { ActingWallet } from "./ActingWallet.ts"
import { walletOf } from "./ActingWallet.ts"
import { AccountKind } from "./Account.ts"
import type { NotActive } from "./NotActive.ts"
import { mayReceive } from "./NotActive.ts"
import { SubAccountKind } from "./SubAccount.ts"

export interface NewCommission {
  readonly amount: Centavos
  /** The transaction that it is earned by, of whichever account. */
  readonly sourceTransactionId?: Uuid
  /** The reference of the sub-account that earns it. */
  readonly subAccount?: string
}

/** A commission under the id of its transaction. */
const PaidCommission = Schema.Struct({
  id: LedgerTxId,
  amount: CentavosString,
  sourceTransactionId: Schema.optionalKey(Uuid)
})
export type PaidCommission = typeof PaidCommission.Type

const commissionCodec = Schema.fromJsonString(PaidCommission)
const encodeCommission = Schema.encodeSync(commissionCodec)
/** What a commission was answered, of its snapshot. */
export const commissionFrom = Schema.decodeUnknownSync(commissionCodec)

/** What the deployment pays an account for having brought business. */
export class Commissions extends Context.Service<
  Commissions,
  {
    readonly pay: (
      account: Uuid,
      commission: NewCommission,
      key?: IdempotencyKey
    ) => Effect.Effect<
      PaidCommission,
      AccountNotFound | SubAccountNotFound | NotActive | IdempotencyKeyTaken | StorageError
    >
  }
>()("@pagora/core/accounts/Commissions") {
  static readonly layer: Layer.Layer<Commissions, never, Accounts | Storage | Ids | ServiceTime> =
    Layer.effect(
      Commissions,
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime

        const attempt = Effect.fnUntraced(function* (
          account: Uuid,
          commission: NewCommission,
          key: IdempotencyKey | undefined
        ) {
          const acting = yield* accounts.acting(
            yield* accounts.find(account),
            commission.subAccount
          )
          const { account: owner, subAccount } = acting
          yield* Effect.fromResult(
            mayReceive({ account: owner.value, subAccount: subAccount?.value })
          )
          const { amount, sourceTransactionId } = commission
          const id = yield* ids.next<LedgerTxId>()
          const paid = {
            id,
            amount,
            ...present({ sourceTransactionId })
          }
          yield* storage
            .commit({
              at: yield* time.now,
              ledger: [commissionTx(acting, commission, id)],
              expects: [
                Kind.expectation(AccountKind, owner),
                ...(subAccount === undefined ? [] : [Kind.expectation(SubAccountKind, subAccount)])
              ],
              ...begun(key, id, encodeCommission(paid))
            })
            .pipe(keyTaken, refusedFor("StaleVersion"))
          return paid
        })
        return Commissions.of({
          pay: Effect.fn("Commissions.pay")((account, commission, key) =>
            decideAgain(attempt(account, commission, key))
          )
        })
      })
    )
}

const commissionTx = (
  acting: ActingWallet,
  { amount, sourceTransactionId }: NewCommission,
  id: LedgerTxId
): LedgerTx => {
  const account = acting.account.value.id
  const wallet = walletOf(acting)
  return post({
    id,
    kind: "referral_commission",
    account,
    wallet,
    source: id,
    leg: 0,
    amount,
    document:
      sourceTransactionId === undefined
        ? null
        : JSON.stringify({ metadata: { sourceTransactionId } }),
    postings: [debit(equity(account), amount), credit(available(wallet), amount)]
  })
}
