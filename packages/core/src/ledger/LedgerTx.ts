import type { Centavos } from "../kernel/Money.ts"
import { negated } from "../kernel/Money.ts"
import type { AccountId, LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { LedgerAccount } from "./LedgerAccount.ts"
import { isWalletBucket } from "./LedgerAccount.ts"

/**
 * One line of a ledger transaction. Credit is positive: it adds to what we owe the account's owner. No bucket
 * of a wallet ever goes below zero; a posting that `spends` also respects what balance blocks claim of it.
 */
export interface Posting {
  readonly account: LedgerAccount
  readonly amount: Centavos
  readonly spends: boolean
}

/** Why money moved. Those that a tenant can fetch carry the transaction's type of the HTTP API. */
export const ledgerKinds = [
  "payment",
  "fee",
  "deposit",
  "adjustment",
  "internal_transfer",
  "hold",
  "release",
  "withdrawal",
  "refund",
  "chargeback",
  "deposit_return",
  "referral_commission"
] as const
export type LedgerKind = (typeof ledgerKinds)[number]

/**
 * One balanced movement, written once and never changed. `(source, kind, leg)` is unique for ever, so no
 * business move can be booked twice. `wallet` is whose statement it stands in and `amount` its size there; a
 * movement between two wallets stands in the statement of the other one too (`otherWalletOf`).
 */
export interface LedgerTx {
  readonly id: LedgerTxId
  readonly kind: LedgerKind
  readonly account: AccountId
  readonly wallet: WalletId
  readonly source: Uuid
  readonly leg: number
  readonly amount: Centavos
  /** JSON text with what is only for reading (a description), or null. */
  readonly document: string | null
  readonly postings: ReadonlyArray<Posting>
}

/** The wallet besides its own that the movement changes, where it is one between wallets. */
export const otherWalletOf = ({
  postings,
  wallet
}: Pick<LedgerTx, "postings" | "wallet">): WalletId | undefined =>
  postings.find(({ account }) => isWalletBucket(account.bucket) && account.owner !== wallet)
    ?.account.owner as WalletId | undefined

/** Names what is wrong with a set of postings, or undefined when it balances. */
export const imbalanceOf = (
  postings: ReadonlyArray<Pick<Posting, "amount">>
): string | undefined => {
  if (postings.length < 2) return "needs at least two postings"
  let sum = 0n
  for (const posting of postings) {
    if (posting.amount === 0n) return "has a posting of zero"
    sum += posting.amount
  }
  return sum === 0n ? undefined : `sums to ${sum} centavos instead of zero`
}

/**
 * Builds a ledger transaction; postings of zero are left out. A set that does not balance is a bug of ours
 * and throws: it must never reach storage.
 */
export const post = (tx: LedgerTx): LedgerTx => {
  const postings = tx.postings.filter((posting) => posting.amount !== 0n)
  const wrong = imbalanceOf(postings)
  if (wrong !== undefined)
    throw new Error(`Ledger transaction ${tx.kind} of ${tx.source} ${wrong}.`)
  return { ...tx, postings }
}

export const credit = (account: LedgerAccount, amount: Centavos): Posting => ({
  account,
  amount,
  spends: false
})

/** Takes what the same decision put there, or what was set aside for it. */
export const debit = (account: LedgerAccount, amount: Centavos): Posting => ({
  account,
  amount: negated(amount),
  spends: false
})

/** Takes from what the wallet's owner may dispose of: available beyond the wallet's liens. */
export const spend = (account: LedgerAccount, amount: Centavos): Posting => ({
  account,
  amount: negated(amount),
  spends: true
})
