import type { LedgerTxId, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { minus } from "../kernel/Money.ts"
import { available, feeRevenue, held, promotional, pspClearing } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, debit, post, spend } from "../ledger/LedgerTx.ts"
import type { Withdrawal } from "./Withdrawal.ts"

const common = (withdrawal: Withdrawal) => ({
  account: withdrawal.account,
  wallet: withdrawal.wallet,
  source: withdrawal.id,
  leg: 0,
  document: null
})

/** What of the gross is not promotional balance. */
const ownPart = ({ amount, promotionalAmount }: Withdrawal): Centavos =>
  minus(amount, promotionalAmount)

/** Sets the gross aside: promotional balance pays the fee first, the rest is spent from what is available. */
export const hold = (withdrawal: Withdrawal, id: LedgerTxId): LedgerTx =>
  post({
    ...common(withdrawal),
    id,
    kind: "hold",
    amount: withdrawal.amount,
    postings: [
      spend(available(withdrawal.wallet), ownPart(withdrawal)),
      debit(promotional(withdrawal.wallet), withdrawal.promotionalAmount),
      credit(held(withdrawal.wallet), withdrawal.amount)
    ]
  })

/** Gives what was set aside back, each part to where it came from. */
export const release = (withdrawal: Withdrawal, id: LedgerTxId): LedgerTx =>
  post({
    ...common(withdrawal),
    id,
    kind: "release",
    amount: withdrawal.amount,
    postings: [
      debit(held(withdrawal.wallet), withdrawal.amount),
      credit(available(withdrawal.wallet), ownPart(withdrawal)),
      credit(promotional(withdrawal.wallet), withdrawal.promotionalAmount)
    ]
  })

/** The net leaves through the PSP, the fee is earned. */
export const payOut = (
  withdrawal: Withdrawal,
  ids: { readonly withdrawal: LedgerTxId; readonly fee: LedgerTxId }
): ReadonlyArray<LedgerTx> => {
  const { feeAmount: fee, netAmount: net, wallet } = withdrawal
  const paid = post({
    ...common(withdrawal),
    id: ids.withdrawal,
    kind: "withdrawal",
    amount: net,
    postings: [debit(held(wallet), net), credit(pspClearing(withdrawal.pspCredentialId), net)]
  })
  if (fee === 0n) return [paid]
  return [
    paid,
    post({
      ...common(withdrawal),
      id: ids.fee,
      kind: "fee",
      amount: fee,
      postings: [debit(held(wallet), fee), credit(feeRevenue(withdrawal.account), fee)]
    })
  ]
}

/**
 * What was paid out came back: the gross returns, fee included, each part to the bucket that it came from. `wallet` is
 * the withdrawal's own, or its owner's main one where that is closed by now.
 */
export const takeBack = (withdrawal: Withdrawal, wallet: WalletId, id: LedgerTxId): LedgerTx =>
  post({
    ...common(withdrawal),
    wallet,
    id,
    kind: "adjustment",
    amount: withdrawal.amount,
    document: JSON.stringify({ description: `Reversal of the withdrawal ${withdrawal.id}` }),
    postings: [
      debit(pspClearing(withdrawal.pspCredentialId), withdrawal.netAmount),
      debit(feeRevenue(withdrawal.account), withdrawal.feeAmount),
      credit(available(wallet), ownPart(withdrawal)),
      credit(promotional(wallet), withdrawal.promotionalAmount)
    ]
  })
