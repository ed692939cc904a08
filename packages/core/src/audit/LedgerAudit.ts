import type { Bucket } from "../ledger/LedgerAccount.ts"
import { isWalletBucket } from "../ledger/LedgerAccount.ts"
import type { LedgerKind, LedgerTx } from "../ledger/LedgerTx.ts"
import { imbalanceOf, otherWalletOf } from "../ledger/LedgerTx.ts"

/** The kinds that stand for nothing but themselves. Every other one is booked for an entity, under its id. */
export const selfStanding: ReadonlyArray<LedgerKind> = ["adjustment", "referral_commission"]

/** The kinds that move what is in suspense. */
export const suspenseKinds: ReadonlyArray<LedgerKind> = [
  "deposit",
  "chargeback",
  "deposit_return",
  "release"
]

/** Of whom a bucket is, in a transaction. The PSPs' are anybody's. */
const isTheirs = (tx: LedgerTx, owner: string, bucket: Bucket): boolean => {
  if (bucket === "psp_clearing") return true
  return isWalletBucket(bucket)
    ? owner === tx.wallet || owner === otherWalletOf(tx)
    : owner === tx.account
}

/**
 * What must be so of every ledger transaction by itself.
 *
 * - `unbalanced`: its postings sum to zero, at least two of them, none of them zero;
 * - `amount_mismatch`: its amount is what its postings move;
 * - `misfiled`: it posts to its account and its wallet, one other wallet at most; only some kinds move suspense.
 */
export const txViolations = (
  tx: LedgerTx
): ReadonlyArray<{ readonly rule: string; readonly detail: string }> => {
  const wrong = imbalanceOf(tx.postings)
  if (wrong !== undefined) return [{ rule: "unbalanced", detail: wrong }]
  const moved = tx.postings.reduce((sum, { amount }) => (amount > 0n ? sum + amount : sum), 0n)
  const size = tx.amount < 0n ? -tx.amount : tx.amount
  const misfiled = tx.postings.find(
    ({ account: { bucket, owner } }) =>
      !isTheirs(tx, owner, bucket) || (bucket === "suspense" && !suspenseKinds.includes(tx.kind))
  )
  return [
    ...(moved === size
      ? []
      : [
          {
            rule: "amount_mismatch",
            detail: `is a ${tx.kind} over ${tx.amount} centavos and moves ${moved}`
          }
        ]),
    ...(misfiled === undefined
      ? []
      : [
          {
            rule: "misfiled",
            detail: `is a ${tx.kind} and posts to ${misfiled.account.bucket} of ${misfiled.account.owner}`
          }
        ])
  ]
}
