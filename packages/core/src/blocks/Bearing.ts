import type { DateTime } from "effect"
import type { LedgerTxId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { min, minus, plus, sum, zero } from "../kernel/Money.ts"
import { available, equity } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, debit, post } from "../ledger/LedgerTx.ts"
import type { Return } from "../returns/Return.ts"
import { Block, ended, gone, isBefore, isCollecting, isOpen, owed } from "./Block.ts"

/** Who bears what a PSP has given back by itself: the wallet that the block claims, or the operator in its place. */
export type Bearer = "wallet" | "operator"

/** A block whose claim is to be lowered, and by how much. */
export interface Share {
  readonly block: Block
  readonly part: Centavos
}

/** Of the blocks on a payment, whether those that the PSP says are accepted come first. */
type IsAccepted = (block: Block) => boolean

/** What was decided first, then what the PSP says is accepted, then reports before blocks by hand; of each the oldest. */
const rankOf = (block: Block, isAccepted: IsAccepted): number => {
  if (!isOpen(block)) return 0
  if (block.infraction === undefined) return 3
  return isAccepted(block) ? 1 : 2
}

const inTurn = (
  blocks: ReadonlyArray<Block>,
  isAccepted: IsAccepted = () => false
): ReadonlyArray<Block> =>
  blocks.toSorted((one, other) => {
    const rank = rankOf(one, isAccepted) - rankOf(other, isAccepted)
    return rank === 0 ? (isBefore(one, other) ? -1 : 1) : rank
  })

/**
 * Which blocks are lowered by a return of the PSP, each as far as it claims, and then the next (decision 0111). They are of
 * one wallet, for one wallet bears a return.
 */
export const shares = (
  blocks: ReadonlyArray<Block>,
  amount: Centavos,
  isAccepted?: IsAccepted
): ReadonlyArray<Share> => {
  const found: Array<Share> = []
  let left = amount
  const claiming = inTurn(blocks, isAccepted).filter((block) => owed(block) > 0n)
  for (const block of claiming.filter(({ wallet }) => wallet === claiming[0]?.wallet)) {
    const part = min(owed(block), left)
    if (part > 0n) found.push({ block, part })
    left = minus(left, part)
  }
  return found
}

export const sharedOf = (found: ReadonlyArray<Share>): Centavos =>
  sum(found.map(({ part }) => part))

/** Whether a return is borne by a block without a person: what was reported, and what was decided to go back. */
export const bearsByItself = (block: Block): boolean =>
  isCollecting(block) || (isOpen(block) && block.infraction !== undefined)

/** Whether a return is borne by it once a person has said so: a court's claim stands beside what a PSP gives back. */
export const bearsByDecision = (block: Block): boolean =>
  isCollecting(block) || (isOpen(block) && block.blockType === "med")

/**
 * Its claim is lower by what the PSP has given back by itself. The rest stays claimed until the report is decided; where
 * nothing is left of it, the block ends.
 */
export const lowered = ({ block, part }: Share, bearer: Bearer, now: DateTime.Utc): Block => {
  const { released = zero, returnedByPsp = zero } = block
  const next = new Block({
    ...block,
    ...(bearer === "wallet"
      ? { returnedByPsp: plus(returnedByPsp, part) }
      : { released: plus(released, part) }),
    updatedAt: now
  })
  if (!isOpen(next) || owed(next) > 0n) return next
  return ended(
    next,
    gone(next) > 0n ? "The PSP gave the money back." : "The operator bore what the PSP gave back.",
    now
  )
}

/** A piece that its PSP was not told of, or has definitely refused, is claimed as before it was taken. */
export const takenBack = (block: Block, amount: Centavos, now: DateTime.Utc): Block =>
  new Block({ ...block, takenBack: plus(block.takenBack ?? zero, amount), updatedAt: now })

/** Its sub-account was closed: what is owed again is owed by the main wallet, as by a block that opens now (decision 0111). */
export const ofMainWallet = ({ subAccount: _, ...block }: Block): Block =>
  new Block({
    ...block,
    wallet: block.account,
    movedFrom: { wallet: block.wallet, returned: block.returned ?? zero }
  })

/** The wallet has again what a piece had taken; its return has left that with the operator's own account, and is its source. */
export const giveBack = (block: Block, { amount, id: source }: Return, id: LedgerTxId): LedgerTx =>
  post({
    id,
    kind: "adjustment",
    account: block.account,
    wallet: block.wallet,
    source,
    leg: 0,
    amount,
    document: JSON.stringify({
      description: `Balance block ${block.id}: the PSP gave the money back by itself`
    }),
    postings: [debit(equity(block.account), amount), credit(available(block.wallet), amount)]
  })
