import { Context, Effect, Layer, Schema } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { expectationsOf, walletOf } from "../accounts/ActingWallet.ts"
import type { NotActive } from "../accounts/NotActive.ts"
import { mayStart } from "../accounts/NotActive.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { Charge } from "../charges/Charge.ts"
import { ChargeKind } from "../charges/Charge.ts"
import { refunding, wholeRefundOf } from "../charges/ChargeRefunds.ts"
import { PspUnavailable } from "../charges/ChargeIntents.ts"
import type { LedgerTxId, ReturnId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString, zero } from "../kernel/Money.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import { findNamed } from "../storage/FindNamed.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { InsufficientFunds, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Return } from "../returns/Return.ts"
import { ReturnKind } from "../returns/Return.ts"
import { begunReturn } from "../returns/ReturnJobs.ts"
import { hold } from "../returns/ReturnPostings.ts"
import { TransactionNotFound, Transactions } from "../history/Transactions.ts"
import type {
  AlreadyRefunded,
  MoreThanLeft,
  RefundInfractionOpen,
  RefundWindowExpired
} from "./Refund.ts"
import { decide, InsufficientBalance, NotRefundable } from "./Refund.ts"
import { makeTurns } from "./Turns.ts"

/** What the caller is told of a refund that was just accepted (spec, Refund response). */
const RefundReceipt = Schema.Struct({
  originalTransactionId: Schema.String,
  pspProvider: Schema.String,
  pspRefundTransactionId: Schema.String,
  /** Where the request told one, or it is not the whole payment. */
  amount: Schema.optionalKey(CentavosString)
})
export type RefundReceipt = typeof RefundReceipt.Type

export type RefundRefused =
  | TransactionNotFound
  | NotRefundable
  | NotActive
  | RefundWindowExpired
  | AlreadyRefunded
  | MoreThanLeft
  | RefundInfractionOpen
  | InsufficientBalance
  | PspUnavailable

export interface NewRefund {
  readonly transaction: string
  /** All that is left of it when it is not told. */
  readonly amount?: Centavos
  readonly reason?: string
}

/** Accepts refunds. What happens to them later is the reconciler's. */
export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Asks for the refund of a payment, or of a part of it: amount and fee are held, and the PSP is told later. One commit
     * decides it, with the charge's row, so that the refunds of one charge never exceed it, whoever asks for them.
     */
    readonly request: (
      acting: ActingWallet,
      refund: NewRefund,
      key?: IdempotencyKey
    ) => Effect.Effect<RefundReceipt, RefundRefused | IdempotencyKeyTaken | StorageError>
  }
>()("@pagora/core/refunds/Refunds") {
  static readonly layer: Layer.Layer<
    Refunds,
    never,
    Storage | PspDirectory | Transactions | Ids | ServiceTime
  > = Layer.effect(
    Refunds,
    Effect.gen(function* () {
      const storage = yield* Storage
      const directory = yield* PspDirectory
      const transactions = yield* Transactions
      const ids = yield* Ids
      const time = yield* ServiceTime

      const load = loader(storage, transactions)
      const begin = beginner(storage, ids)
      const turns = makeTurns()

      const request = Effect.fn("Refunds.request")(function* (
        acting: ActingWallet,
        { amount, reason, transaction }: NewRefund,
        key?: IdempotencyKey
      ) {
        const decision = decideAgain(
          Effect.gen(function* () {
            const loaded = yield* load(acting, transaction)
            const { account, charge, former, promotional, subAccount } = loaded
            const owner = { account: account.value, subAccount: subAccount?.value }
            yield* Effect.fromResult(mayStart(owner))
            const refund = yield* Effect.fromResult(
              decide(charge.value, {
                ...owner,
                former: former?.value,
                promotional,
                amount,
                reason,
                now: yield* time.now,
                id: yield* ids.next<ReturnId>()
              })
            )
            const psp = directory.find(refund.pspCredentialId)
            if (psp === undefined) return yield* new PspUnavailable()
            const receipt: RefundReceipt = {
              originalTransactionId: charge.value.id,
              pspProvider: psp.provider,
              pspRefundTransactionId: refund.reference,
              ...toldAmount(refund, charge.value, amount)
            }
            yield* begin(loaded, refund, receipt, key)
            return receipt
          })
        )
        return yield* turns(transaction.toLowerCase())(decision)
      })
      return Refunds.of({ request })
    })
  )

  /** The receipt of an earlier request with the same key. */
  static readonly fromSnapshot = (snapshot: string): RefundReceipt =>
    Schema.decodeUnknownSync(Schema.fromJsonString(RefundReceipt))(snapshot)
}

/** Who asks for everything at once is answered as the specification has it. */
const toldAmount = (refund: Return, charge: Charge, asked: Centavos | undefined) =>
  asked === undefined && refund.amount === charge.amount ? {} : { amount: refund.amount }

const snapshotOf = Schema.encodeSync(Schema.fromJsonString(RefundReceipt))

/** A charge with everything that decides about its refund (decision 0020). */
interface LoadedCharge extends ActingWallet {
  readonly charge: Kind.Versioned<Charge>
  readonly former: Kind.Versioned<Return> | undefined
  readonly promotional: Centavos
}

const loader = (storage: Storage["Service"], transactions: Transactions["Service"]) => {
  const chargeOf = Effect.fnUntraced(function* (acting: ActingWallet, name: string) {
    const id = name.toLowerCase()
    if (!isUuid(id)) return yield* new TransactionNotFound({ id: name })
    const wallet = walletOf(acting)
    const charge = yield* storage.find(ChargeKind, id)
    if (charge?.value.wallet === wallet) return charge
    yield* transactions.findById(wallet, id)
    return yield* new NotRefundable({ id })
  })

  return Effect.fnUntraced(function* (acting: ActingWallet, name: string) {
    const charge = yield* chargeOf(acting, name)
    const { account: accountId, wallet: walletId } = charge.value
    // Anew, and not as it was when the request came in: a decision that is repeated must see what has changed.
    const account = yield* findNamed(storage, AccountKind, accountId)
    const subAccount =
      walletId === accountId ? undefined : yield* findNamed(storage, SubAccountKind, walletId)
    const whole = wholeRefundOf(charge.value)
    const former = whole === undefined ? undefined : yield* findNamed(storage, ReturnKind, whole)
    const wallet = yield* storage.wallet(walletId)
    const loaded: LoadedCharge = {
      account,
      charge,
      former,
      subAccount,
      promotional: wallet?.promotional ?? zero
    }
    return loaded
  })
}

const beginner = (storage: Storage["Service"], ids: Ids["Service"]) =>
  Effect.fnUntraced(function* (
    loaded: LoadedCharge,
    refund: Return,
    receipt: RefundReceipt,
    key: IdempotencyKey | undefined
  ) {
    const { charge, former } = loaded
    const next = refunding(charge.value, refund, former?.value)
    yield* storage
      .commit({
        at: refund.createdAt,
        updates: [Kind.update(ChargeKind, charge, next)],
        expects: [
          ...expectationsOf(loaded),
          ...(former === undefined ? [] : [Kind.expectation(ReturnKind, former)])
        ],
        ledger: [hold(refund, yield* ids.next<LedgerTxId>())],
        ...begunReturn(refund),
        ...begun(key, refund.id, snapshotOf(receipt))
      })
      .pipe(
        keyTaken,
        refusedFor("StaleVersion", "InsufficientFunds"),
        Effect.catchTag("InsufficientFunds", shortOf)
      )
  })

/** The part of the fee that promotional balance pays is decided anew when that balance has changed meanwhile. */
const shortOf = ({
  bucket,
  wallet
}: InsufficientFunds): Effect.Effect<never, InsufficientBalance | StaleVersion> =>
  bucket === "promotional"
    ? Effect.fail(new StaleVersion({ id: wallet }))
    : Effect.fail(new InsufficientBalance())
