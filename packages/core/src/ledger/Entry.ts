import type { LedgerTxId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { WalletBucket } from "./LedgerAccount.ts"
import { isWalletBucket } from "./LedgerAccount.ts"
import type { LedgerKind, LedgerTx, Posting } from "./LedgerTx.ts"

/** Where an entry stands: its transaction, and its place among the postings of it, from 0. */
export interface EntryPlace {
  readonly tx: LedgerTxId
  readonly seq: number
}

/** One posting to a bucket of a wallet. All entries of a bucket together are its balance. */
export interface Entry extends EntryPlace {
  readonly kind: LedgerKind
  readonly wallet: WalletId
  readonly bucket: WalletBucket
  /** Above zero where the wallet has more by it. */
  readonly amount: Centavos
  /** What it was booked for: a charge, a withdrawal, or the transaction itself where it stands for nothing else. */
  readonly source: Uuid
}

/** The entries of a ledger transaction, in the order of its postings: those of one wallet, or of every one. */
export const entriesOf = (tx: LedgerTx, wallet?: WalletId): ReadonlyArray<Entry> =>
  tx.postings.flatMap(({ account: { bucket, owner }, amount }: Posting, seq) =>
    isWalletBucket(bucket) && (wallet === undefined || owner === wallet)
      ? {
          tx: tx.id,
          seq,
          kind: tx.kind,
          wallet: owner as WalletId,
          bucket,
          amount,
          source: tx.source
        }
      : []
  )

/** A place as text, and back. */
export const placeText = ({ seq, tx }: EntryPlace): string => `${tx}.${seq}`
export const placePattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.\d{1,4}$/u
export const placeOf = (text: string): EntryPlace => ({
  tx: text.slice(0, 36) as LedgerTxId,
  seq: Number(text.slice(37))
})
