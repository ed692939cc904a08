import type { Books, StoredOperation } from "./Books.ts"
import { textOf } from "./Books.ts"
import type { Asked } from "./programs/Asked.ts"
import { madeBy, mayBeDecided } from "./programs/Made.ts"

const isOfKind =
  (kind: string) =>
  ({ row }: StoredOperation): boolean =>
    row.kind === kind

/** What came to nothing gives nothing back. */
const counts = ({ row }: StoredOperation): boolean => !["failed", "replaced"].includes(row.status)

const isRefund = (one: StoredOperation): boolean => textOf(one, "purpose") === "refund"

const centavosOf = (one: StoredOperation, field: string): bigint =>
  BigInt(textOf(one, field) ?? "0")

/** What a block claims yet. */
const claimOf = (block: StoredOperation): bigint =>
  block.row.status === "rejected"
    ? 0n
    : (block.row.amount ?? 0n) - centavosOf(block, "returned") - centavosOf(block, "uncollected")

/** A charge has one refund. */
const refundedTwice = (refunds: ReadonlyArray<StoredOperation>): ReadonlyArray<string> =>
  [...Map.groupBy(refunds, (one) => textOf(one, "source"))].flatMap(([charge, all]) =>
    all.length > 1 ? [`claims: ${charge} was refunded ${all.length} times`] : []
  )

/** Of a payment goes back, or is claimed, what was paid at the most. */
const beyondPayment = (operations: ReadonlyArray<StoredOperation>): ReadonlyArray<string> => {
  const paid = new Map<string, bigint>()
  const taken = new Map<string, bigint>()
  const add = (to: Map<string, bigint>, endToEndId: string | undefined, amount: bigint): void => {
    if (endToEndId !== undefined) to.set(endToEndId, (to.get(endToEndId) ?? 0n) + amount)
  }
  for (const one of operations) {
    const amount = one.row.amount ?? 0n
    if (one.row.kind === "return" && counts(one)) add(taken, textOf(one, "endToEndId"), amount)
    if (one.row.kind === "balance_block") add(taken, textOf(one, "e2eId"), claimOf(one))
    if (["charge", "deposit"].includes(one.row.kind)) add(paid, textOf(one, "e2eId"), amount)
  }
  return [...taken].flatMap(([endToEndId, amount]) =>
    amount > (paid.get(endToEndId) ?? 0n)
      ? [`claims: ${amount} of ${endToEndId} went or goes back, of ${paid.get(endToEndId) ?? 0n}`]
      : []
  )
}

/** What is refunded whole is not blocked, and what is blocked is not refunded before that is decided. */
const besides = (
  refunds: ReadonlyArray<StoredOperation>,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const standing = new Set<string>(refunds.map(({ row }) => row.id))
  const blocks = Map.groupBy(madeBy(asked, "block").values(), ({ subject }) => subject)
  return [...madeBy(asked, "refund").values()].flatMap((refund) => {
    if (!standing.has(refund.id)) return []
    return (blocks.get(refund.subject) ?? []).flatMap((block) => {
      const what = `block ${block.id} and refund ${refund.id} of ${refund.subject}`
      if (refund.acknowledged < block.began) return [`claims: ${what}: it was refunded before`]
      const isOpen =
        block.acknowledged < refund.began && !mayBeDecided(asked, block, refund.acknowledged)
      return isOpen ? [`claims: ${what}: it was blocked before, and not decided`] : []
    })
  })
}

/** Of each payment goes back once, and for one reason, what was paid (P20, P21). */
export const judgeByClaims = (
  { operations }: Books,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const refunds = operations.filter(isOfKind("return")).filter(counts).filter(isRefund)
  return [...refundedTwice(refunds), ...beyondPayment(operations), ...besides(refunds, asked)]
}
