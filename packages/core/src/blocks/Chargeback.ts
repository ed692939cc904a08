import { DateTime, Duration } from "effect"
import type { LedgerTxId, ReturnId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { available, suspense } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, debit, post } from "../ledger/LedgerTx.ts"
import { Return } from "../returns/Return.ts"
import type { Block } from "./Block.ts"
import { owed, taken } from "./Block.ts"

/**
 * How long the rest of an approved block is collected, from its resolution on. The MED returns money for 90 days, and
 * a PSP takes no return of an older payment (BACEN, Pix regulation).
 */
export const collectFor = Duration.days(90)

/** Between two looks: half of what passed since the resolution, between these. */
const collectAgain = { min: Duration.minutes(1), max: Duration.hours(1) } as const

/** Money of an approved block on its way to the payer: out of the wallet, in suspense until the PSP confirms. */
export interface Chargeback {
  readonly block: Block
  readonly tx: LedgerTx
  readonly money: Return
}

/** Takes a piece of an approved block out of its wallet. The pieces of a block are its legs. */
export const chargeBack = (
  block: Block,
  amount: Centavos,
  ids: { readonly tx: LedgerTxId; readonly money: ReturnId },
  now: DateTime.Utc
): Chargeback => ({
  block: taken(block, amount, now),
  tx: post({
    id: ids.tx,
    kind: "chargeback",
    account: block.account,
    wallet: block.wallet,
    source: block.id,
    leg: block.pieces ?? 0,
    amount,
    document: JSON.stringify({ description: `Balance block ${block.id}` }),
    // Not `spend`: this takes what the block's own lien keeps from being spent.
    postings: [debit(available(block.wallet), amount), credit(suspense(block.account), amount)]
  }),
  money: new Return({
    id: ids.money,
    account: block.account,
    wallet: block.wallet,
    ...present({ subAccount: block.subAccount }),
    purpose: "chargeback",
    source: block.id,
    status: "requested",
    amount,
    pspCredentialId: block.pspCredentialId,
    endToEndId: block.e2eId,
    ...present({ reason: block.resolutionReason }),
    createdAt: now,
    updatedAt: now
  })
})

/** When the time to collect ends. */
const endOf = ({ resolvedAt, updatedAt }: Block): DateTime.Utc =>
  DateTime.addDuration(resolvedAt ?? updatedAt, collectFor)

/** Whether what is still owed is given up at `now`. */
export const isTimeUp = (block: Block, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, endOf(block))

/** When to look next whether the wallet has what is owed; undefined when nothing is. */
export const nextLook = (block: Block, now: DateTime.Utc): DateTime.Utc | undefined => {
  if (owed(block) === 0n) return undefined
  const since = block.resolvedAt ?? block.updatedAt
  const half = (DateTime.toEpochMillis(now) - DateTime.toEpochMillis(since)) / 2
  const wait = Duration.clamp(Duration.millis(Math.max(0, half)), {
    minimum: collectAgain.min,
    maximum: collectAgain.max
  })
  return DateTime.min(DateTime.addDuration(now, wait), endOf(block))
}
