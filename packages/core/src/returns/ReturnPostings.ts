import type { LedgerTxId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import {
  available,
  equity,
  feeRevenue,
  held,
  promotional,
  pspClearing,
  suspense
} from "../ledger/LedgerAccount.ts"
import type { LedgerKind, LedgerTx, Posting } from "../ledger/LedgerTx.ts"
import { credit, debit, post, spend } from "../ledger/LedgerTx.ts"
import type { Return } from "./Return.ts"

const zero = 0n as Centavos

const feeOf = (refund: Return): Centavos => refund.feeAmount ?? zero
const fromPromotional = (refund: Return): Centavos => refund.promotionalAmount ?? zero

/** What a refund takes from its wallet in all. */
const costOf = (refund: Return): Centavos => (refund.amount + feeOf(refund)) as Centavos
const fromAvailable = (refund: Return): Centavos =>
  (costOf(refund) - fromPromotional(refund)) as Centavos

const book = (
  money: Return,
  entry: {
    readonly id: LedgerTxId
    readonly kind: LedgerKind
    readonly amount: Centavos
    readonly postings: ReadonlyArray<Posting>
  }
): LedgerTx =>
  post({
    ...entry,
    account: money.account,
    wallet: money.wallet,
    source: money.id,
    leg: 0,
    document: null
  })

/** Sets aside what a refund costs: promotional balance pays its fee first. */
export const hold = (refund: Return, id: LedgerTxId): LedgerTx =>
  book(refund, {
    id,
    kind: "hold",
    amount: costOf(refund),
    postings: [
      spend(available(refund.wallet), fromAvailable(refund)),
      debit(promotional(refund.wallet), fromPromotional(refund)),
      credit(held(refund.wallet), costOf(refund))
    ]
  })

/**
 * It will not go back. What a refund set aside returns to where it came from; other money leaves suspense and is the
 * operator's to give to whom it belongs.
 */
export const release = (money: Return, id: LedgerTxId): LedgerTx =>
  money.purpose === "refund" ? giveBack(money, id) : giveUp(money, id)

const giveUp = (money: Return, id: LedgerTxId): LedgerTx =>
  book(money, {
    id,
    kind: "release",
    amount: money.amount,
    postings: [
      debit(suspense(money.account), money.amount),
      credit(equity(money.account), money.amount)
    ]
  })

const giveBack = (refund: Return, id: LedgerTxId): LedgerTx =>
  book(refund, {
    id,
    kind: "release",
    amount: costOf(refund),
    postings: [
      debit(held(refund.wallet), costOf(refund)),
      credit(available(refund.wallet), fromAvailable(refund)),
      credit(promotional(refund.wallet), fromPromotional(refund))
    ]
  })

/** The money has left: a refund's what was held, with its fee beside it, any other what was in suspense. */
export const payBack = (
  money: Return,
  ids: { readonly money: LedgerTxId; readonly fee: LedgerTxId }
): ReadonlyArray<LedgerTx> => {
  const atPsp = credit(pspClearing(money.pspCredentialId), money.amount)
  if (money.purpose !== "refund") {
    const postings = [debit(suspense(money.account), money.amount), atPsp]
    return [book(money, { id: ids.money, kind: "deposit_return", amount: money.amount, postings })]
  }
  const fee = feeOf(money)
  return [
    book(money, {
      id: ids.money,
      kind: "refund",
      amount: money.amount,
      postings: [debit(held(money.wallet), money.amount), atPsp]
    }),
    ...(fee === 0n
      ? []
      : [
          book(money, {
            id: ids.fee,
            kind: "fee",
            amount: fee,
            postings: [debit(held(money.wallet), fee), credit(feeRevenue(money.account), fee)]
          })
        ])
  ]
}
