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
    : (block.row.amount ?? 0n) -
      centavosOf(block, "returned") -
      centavosOf(block, "returnedByPsp") +
      centavosOf(block, "takenBack") -
      centavosOf(block, "uncollected") -
      centavosOf(block, "released")

const amountOf = ({ row }: StoredOperation): bigint => row.amount ?? 0n

/** Whether a refund is for its whole charge. */
const isWhole = (refund: StoredOperation, charges: ReadonlyMap<string, StoredOperation>): boolean =>
  refund.row.amount === charges.get(textOf(refund, "source") ?? "")?.row.amount

/** A charge that is refunded whole has one refund. One that is refunded in parts knows their sum. */
const miscounted = (
  refunds: ReadonlyArray<StoredOperation>,
  charges: ReadonlyMap<string, StoredOperation>
): ReadonlyArray<string> => {
  const ofCharge = Map.groupBy(refunds, (one) => textOf(one, "source"))
  const twice = [...ofCharge].flatMap(([charge, all]) =>
    all.length > 1 && all.some((one) => isWhole(one, charges))
      ? [`claims: ${charge} was refunded ${all.length} times`]
      : []
  )
  const sums = [...charges].flatMap(([charge, one]) => {
    const known = textOf(one, "refundedInParts")
    const parts = (ofCharge.get(charge) ?? []).reduce((sum, part) => sum + amountOf(part), 0n)
    return known === undefined || BigInt(known) === parts
      ? []
      : [`claims: ${charge} counts ${known} of its parts, and they are ${parts}`]
  })
  return [...twice, ...sums]
}

/** A refund is not accepted over what is surely gone by then, whatever becomes of it. */
const overdrawn = (
  all: ReadonlyMap<string, StoredOperation>,
  charges: ReadonlyMap<string, StoredOperation>,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const made = Map.groupBy(madeBy(asked, "refund").values(), ({ subject }) => subject)
  return [...made].flatMap(([charge, refunds]) => {
    const paid = charges.get(charge)?.row.amount ?? 0n
    return refunds.flatMap((one) => {
      const money = all.get(one.id)
      if (money === undefined) return []
      const gone = refunds
        .filter(({ acknowledged, id }) => id !== one.id && acknowledged < one.began)
        .flatMap(({ id }) => all.get(id) ?? [])
        .filter(counts)
        .reduce((sum, other) => sum + amountOf(other), 0n)
      return gone + amountOf(money) > paid
        ? [
            `claims: ${amountOf(money)} of ${charge} were refunded, of which ${gone} of ${paid} were gone`
          ]
        : []
    })
  })
}

/** Payments of which something that was to go back came to nothing: what a decided return exceeded is not counted then (decision 0111). */
const freedOf = (operations: ReadonlyArray<StoredOperation>): ReadonlySet<string | undefined> =>
  new Set(
    operations.flatMap((one) => {
      const { kind, status } = one.row
      if (kind === "return" && !counts(one)) return [textOf(one, "endToEndId")]
      return kind === "balance_block" && status === "rejected" ? [textOf(one, "e2eId")] : []
    })
  )

/**
 * What stands beside that which a bank gives back by itself: the claim of a court, what is sent for it, and a refund that
 * waits until a person has decided what the bank did.
 */
const standsBeside = (operations: ReadonlyArray<StoredOperation>) => {
  const isCourts = (one: StoredOperation): boolean =>
    ["judicial", "administrative"].includes(textOf(one, "blockType") ?? "")
  const courts = new Set<string | undefined>(operations.filter(isCourts).map(({ row }) => row.id))
  return (one: StoredOperation): boolean =>
    courts.has(one.row.id) ||
    courts.has(textOf(one, "source")) ||
    (isRefund(one) && textOf(one, "besides") !== undefined)
}

/** Of a payment goes back, or is claimed, what was paid at the most. */
const beyondPayment = (operations: ReadonlyArray<StoredOperation>): ReadonlyArray<string> => {
  const paid = new Map<string, bigint>()
  const taken = new Map<string, bigint>()
  const beside = new Map<string, bigint>()
  const byBanks = new Map<string, bigint>()
  const isBeside = standsBeside(operations)
  const freed = freedOf(operations)
  const add = (to: Map<string, bigint>, endToEndId: string | undefined, amount: bigint): void => {
    if (endToEndId !== undefined) to.set(endToEndId, (to.get(endToEndId) ?? 0n) + amount)
  }
  for (const one of operations) {
    const amount = one.row.amount ?? 0n
    const isBanks = one.row.kind === "psp_return" && !freed.has(textOf(one, "endToEndId"))
    const ours = isBeside(one) ? beside : taken
    if (isBanks) add(byBanks, textOf(one, "endToEndId"), amount)
    if (one.row.kind === "return" && counts(one)) add(ours, textOf(one, "endToEndId"), amount)
    if (one.row.kind === "balance_block") add(ours, textOf(one, "e2eId"), claimOf(one))
    if (["charge", "deposit"].includes(one.row.kind)) add(paid, textOf(one, "e2eId"), amount)
  }
  const all = new Set([...taken.keys(), ...beside.keys(), ...byBanks.keys()])
  return [...all].flatMap((endToEndId) => {
    const of = (sums: Map<string, bigint>): bigint => sums.get(endToEndId) ?? 0n
    const more = of(beside) > of(byBanks) ? of(beside) : of(byBanks)
    const amount = of(taken) + more
    return amount > of(paid)
      ? [`claims: ${amount} of ${endToEndId} went or goes back, of ${of(paid)}`]
      : []
  })
}

/** What is refunded whole is not blocked, and what is blocked is not refunded before that is decided. */
const besides = (
  refunds: ReadonlyMap<string, StoredOperation>,
  charges: ReadonlyMap<string, StoredOperation>,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const blocks = Map.groupBy(madeBy(asked, "block").values(), ({ subject }) => subject)
  return [...madeBy(asked, "refund").values()].flatMap((refund) => {
    const standing = refunds.get(refund.id)
    if (standing === undefined) return []
    return (blocks.get(refund.subject) ?? []).flatMap((block) => {
      const what = `block ${block.id} and refund ${refund.id} of ${refund.subject}`
      if (refund.acknowledged < block.began)
        return isWhole(standing, charges) ? [`claims: ${what}: it was refunded before`] : []
      const isOpen =
        block.acknowledged < refund.began && !mayBeDecided(asked, block, refund.acknowledged)
      return isOpen ? [`claims: ${what}: it was blocked before, and not decided`] : []
    })
  })
}

const byId = (all: ReadonlyArray<StoredOperation>): ReadonlyMap<string, StoredOperation> =>
  new Map(all.map((one) => [one.row.id, one]))

/** Of each payment goes back once, and for one reason, what was paid (P20, P21). */
export const judgeByClaims = (
  { operations }: Books,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<string> => {
  const charges = byId(operations.filter(isOfKind("charge")))
  const all = operations.filter(isOfKind("return")).filter(isRefund)
  const refunds = all.filter(counts)
  return [
    ...miscounted(refunds, charges),
    ...overdrawn(byId(all), charges, asked),
    ...beyondPayment(operations),
    ...besides(byId(refunds), charges, asked)
  ]
}
