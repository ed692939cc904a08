import type { Bank, BankInfraction } from "../banks/Bank.ts"
import type { Books, StoredOperation } from "../Books.ts"
import { bornAt, textOf } from "../Books.ts"

/** So long without faults every report that is open is looked at, and its money claimed. */
const seenWithin = 90 * 60_000
/** Clocks are right when the faults are over, and what was asked of them before is over soon. */
const clocksMillis = 60_000

/** What is known of a world in which fraud is reported, beside what banks know. */
interface Reporting {
  /** When the faults were over. */
  readonly calmAt: number
  /** Blocks that a person has approved, or tried to; undefined where nobody reports anything. */
  readonly approved: ReadonlySet<string> | undefined
}

const centavosOf = (one: StoredOperation, field: string): bigint =>
  BigInt(textOf(one, field) ?? "0")

const amountOf = ({ row }: StoredOperation): bigint => row.amount ?? 0n

const sum = (all: ReadonlyArray<bigint>): bigint => all.reduce((most, one) => most + one, 0n)

const ofKind = ({ operations }: Books, kind: string): ReadonlyArray<StoredOperation> =>
  operations.filter(({ row }) => row.kind === kind)

/** An accepted report of which nothing shows to have gone back, within its day, is told to a person. */
const isPersons = ({ contradicted }: Books, block: StoredOperation): boolean => {
  const charge = textOf(block, "charge")?.replaceAll("-", "") ?? ""
  const isGone = ["returned", "returnedByPsp"].some((field) => centavosOf(block, field) > 0n)
  return !isGone && contradicted.get(charge)?.has("infraction_reported") === true
}

/** A report claims what is left of its payment while it is open, and nothing once it is decided. */
const judgeInfraction = (
  books: Books,
  { bank, calmAt }: { readonly bank: Bank; readonly calmAt: number },
  { decidedAt = Number.POSITIVE_INFINITY, endToEndId, id, isAccepted, reportedAt }: BankInfraction
): ReadonlyArray<string> => {
  const block = ofKind(books, "balance_block").find((one) => textOf(one, "infraction") === id)
  const isDecided = decidedAt < Number.POSITIVE_INFINITY
  if (block !== undefined) {
    const isOpen = ["awaiting_response", "defended"].includes(block.row.status)
    return isDecided && isOpen && !(isAccepted && isPersons(books, block))
      ? [`reports: infraction ${id} was decided, and block ${block.row.id} is ${block.row.status}`]
      : []
  }
  const isElse = (one: StoredOperation): boolean =>
    textOf(one, "endToEndId") === endToEndId || textOf(one, "e2eId") === endToEndId
  // Where something else claimed money of the payment, or gave it back, nothing may have been left.
  const others = ["return", "balance_block", "psp_return"].flatMap((kind) => ofKind(books, kind))
  const gone = bank.book.movements.some(
    (moved) => moved._tag === "Return" && moved.endToEndId === endToEndId
  )
  const wasSeen = decidedAt > Math.max(calmAt, reportedAt) + seenWithin
  return wasSeen && !gone && !others.some(isElse)
    ? [`reports: infraction ${id} was open for long, and has no block`]
    : []
}

/** What goes back by the word of a PSP alone is taken of what was claimed, and so much less is claimed then. */
const judgeBearing = (books: Books): ReadonlyArray<string> => {
  const byCharge = Map.groupBy(ofKind(books, "psp_return"), (one) => textOf(one, "source") ?? "")
  const blocks = Map.groupBy(ofKind(books, "balance_block"), (one) => textOf(one, "charge") ?? "")
  return [...byCharge].flatMap(([charge, returns]) => {
    const charged = returns.filter(({ row }) => row.status === "charged")
    const byWord = sum(charged.filter((one) => !isDecided(one)).map(amountOf))
    const lowered = sum((blocks.get(charge) ?? []).map((one) => centavosOf(one, "returnedByPsp")))
    const borne = sum(charged.map(amountOf))
    return byWord <= lowered && lowered <= borne
      ? []
      : [
          `reports: of ${charge} ${borne} were borne, ${byWord} of them by claims, which are lower by ${lowered}`
        ]
  })
}

/** Whether a person has said who bears it. */
const isDecided = ({ document }: StoredOperation): boolean => {
  const resolution = document["resolution"] as { readonly by?: string } | undefined
  return resolution?.by !== undefined
}

/** Of a block that nobody has approved nothing is sent: the bank gives back by itself. */
const judgePieces = (books: Books, approved: ReadonlySet<string>): ReadonlyArray<string> => {
  const reported = ofKind(books, "balance_block").filter(
    (one) => textOf(one, "infraction") !== undefined
  )
  return reported.flatMap((block) =>
    centavosOf(block, "returned") > 0n && !approved.has(block.row.id)
      ? [`reports: block ${block.row.id} was sent back, and nobody has approved it`]
      : []
  )
}

/** Nothing else goes back of a payment while nobody has said who bears what the bank gave back of it; by clocks that are right. */
const judgeBeside = (
  books: Books,
  { approved, calmAt }: { readonly approved: ReadonlySet<string>; readonly calmAt: number }
): ReadonlyArray<string> => {
  const byCharge = Map.groupBy(ofKind(books, "psp_return"), (one) => textOf(one, "source"))
  const undecidedAt = (charge: string | undefined, at: number) =>
    (byCharge.get(charge) ?? []).find((one) => {
      const { at: decidedAt } = (one.document["resolution"] ?? {}) as { readonly at?: string }
      const since = bornAt(one)
      return (
        since > calmAt + clocksMillis && since < at && at < Date.parse(decidedAt ?? "9999-01-01")
      )
    })
  const refunds = ofKind(books, "return").flatMap((refund) => {
    if (textOf(refund, "purpose") !== "refund") return []
    const beside = undecidedAt(textOf(refund, "source"), bornAt(refund))
    return beside === undefined
      ? []
      : [`reports: refund ${refund.row.id} was accepted while ${beside.row.id} waited for a person`]
  })
  const blocks = ofKind(books, "balance_block").flatMap((block) => {
    // What ends by the bank's own returns has sent nothing.
    if (!approved.has(block.row.id) || centavosOf(block, "returned") === 0n) return []
    const at = Date.parse(textOf(block, "resolvedAt") ?? "")
    const beside = undecidedAt(textOf(block, "charge"), at)
    return beside === undefined
      ? []
      : [`reports: block ${block.row.id} was approved while ${beside.row.id} waited for a person`]
  })
  return [...refunds, ...blocks]
}

/** Holds what is claimed and borne by reports of fraud against what banks were told and did. */
export const judgeByReports = (
  books: Books,
  banks: ReadonlyArray<Bank>,
  { approved, calmAt }: Reporting
): ReadonlyArray<string> => {
  if (approved === undefined) return []
  const infractions = banks.flatMap((bank) =>
    (bank.reports?.infractions() ?? []).flatMap((infraction) =>
      judgeInfraction(books, { bank, calmAt }, infraction)
    )
  )
  return [
    ...infractions,
    ...judgeBearing(books),
    ...judgePieces(books, approved),
    ...judgeBeside(books, { approved, calmAt })
  ]
}
