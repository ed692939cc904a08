import type { AccountId, PspCredentialId, Uuid, WalletId } from "../kernel/Ids.ts"

/** The parts of a wallet. A wallet is a liability: what we owe its owner, never below zero. */
export const walletBuckets = ["available", "held", "promotional"] as const
export type WalletBucket = (typeof walletBuckets)[number]

/**
 * The accounts of the deployment itself. They are summed from their postings on demand and have no
 * balance row, because every payment touches them and a row would be the hottest of all.
 *
 * - `psp_clearing`: money at the PSP, by PSP credential. Negative when the PSP holds money of ours.
 * - `fee_revenue`: fees earned, by account that paid them.
 * - `suspense`: money that arrived and belongs back to its payer, by account.
 * - `equity`: the other side of adjustments, and what a person decided not to send back, by account.
 */
export const systemBuckets = ["psp_clearing", "fee_revenue", "suspense", "equity"] as const
export type SystemBucket = (typeof systemBuckets)[number]

export type Bucket = WalletBucket | SystemBucket

/** One account of the ledger: a bucket and whose it is. */
export interface LedgerAccount {
  readonly owner: Uuid
  readonly bucket: Bucket
}

export const available = (wallet: WalletId): LedgerAccount => ({
  owner: wallet,
  bucket: "available"
})
export const held = (wallet: WalletId): LedgerAccount => ({ owner: wallet, bucket: "held" })
export const promotional = (wallet: WalletId): LedgerAccount => ({
  owner: wallet,
  bucket: "promotional"
})
export const pspClearing = (psp: PspCredentialId): LedgerAccount => ({
  owner: psp,
  bucket: "psp_clearing"
})
export const feeRevenue = (account: AccountId): LedgerAccount => ({
  owner: account,
  bucket: "fee_revenue"
})
export const suspense = (account: AccountId): LedgerAccount => ({
  owner: account,
  bucket: "suspense"
})
export const equity = (account: AccountId): LedgerAccount => ({ owner: account, bucket: "equity" })

export const isWalletBucket = (bucket: Bucket): bucket is WalletBucket =>
  bucket === "available" || bucket === "held" || bucket === "promotional"
