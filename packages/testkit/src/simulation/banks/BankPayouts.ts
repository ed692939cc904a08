import type { Centavos, NewPspPayout, Payer, PspOutcome, PspPayout } from "@pagora/core"
import { DateTime } from "effect"
import type { PayoutEnd } from "../../contracts/PspUnderTest.ts"
import { aWhile } from "./BankAgenda.ts"
import { aPerson } from "./BankPeople.ts"
import type { BankVault, Settling, Visibility } from "./BankVault.ts"
import {
  amountRefusal,
  isShown,
  referenceRefusal,
  settleLater,
  settleNow,
  shownAt,
  stillHidden
} from "./BankVault.ts"

interface BankPayout {
  readonly reference: string
  readonly pspReference: string
  readonly amount: bigint
  readonly recipient: Payer
  readonly createdAt: number
  readonly shownAt: number
  /** Whether it will end by itself, and whether it is to come to nothing then. */
  isPlanned: boolean
  isDoomed: boolean
  endedAt: number | undefined
  /** Of one that was completed. */
  endToEndId: string | undefined
  reversal: { readonly at: number; readonly returnId: string } | undefined
}

/** The payouts of a bank. */
export interface BankPayouts {
  readonly send: (asked: NewPspPayout, shown: Visibility) => PspOutcome<PspPayout>
  /** As it was so many milliseconds ago. */
  readonly find: (reference: string, age: number) => PspOutcome<PspPayout | undefined>
  readonly has: (reference: string) => boolean
  /** False where it cannot end like this any more. */
  readonly settle: (reference: string, end: PayoutEnd) => boolean
  /** It is to come to nothing. */
  readonly doom: (reference: string) => void
  /** Another payout than that of a reference. */
  readonly other: (reference: string) => PspPayout | undefined
  readonly waiting: () => ReadonlyArray<string>
  /** Those that can be reversed. */
  readonly completed: () => ReadonlyArray<string>
  /** What waits for hands ends by itself. */
  readonly calm: () => void
  readonly hidden: () => ReadonlyArray<string>
}

export const makePayouts = (vault: BankVault): BankPayouts => {
  const { bank, capabilities, chance, isCalm, names, records, world } = vault
  /** Several under one reference, where the bank is not idempotent and was told so often. */
  const payouts = new Map<string, Array<BankPayout>>()
  const all = (): ReadonlyArray<BankPayout> => [...payouts.values()].flat()
  const ends = makeEnds(vault)

  const plan = (payout: BankPayout): void => {
    if (payout.isPlanned || payout.endedAt !== undefined) return
    payout.isPlanned = true
    settleLater(vault, ends.settling(payout))
  }

  const open = (asked: NewPspPayout, shown: Visibility): BankPayout => {
    const { amount, holder, reference } = asked
    const payout: BankPayout = {
      reference,
      pspReference: names.ownId(),
      amount,
      recipient: { ...aPerson(chance), ...holder },
      createdAt: world.now(),
      shownAt: shownAt(vault, shown),
      isPlanned: false,
      isDoomed: false,
      endedAt: undefined,
      endToEndId: undefined,
      reversal: undefined
    }
    payouts.set(reference, [...(payouts.get(reference) ?? []), payout])
    records.note(`payout ${reference} ${amount} taken`)
    if (bank.settling !== "hands" || isCalm()) plan(payout)
    return payout
  }

  const send = (asked: NewPspPayout, shown: Visibility): PspOutcome<PspPayout> => {
    const refused = referenceRefusal(asked.reference) ?? amountRefusal(asked.amount)
    if (refused !== undefined) return refused
    const known = capabilities.idempotentByReference ? payouts.get(asked.reference)?.[0] : undefined
    return { _tag: "Done", value: shape(known ?? open(asked, shown), world.now()) }
  }

  const find = (reference: string, age: number): PspOutcome<PspPayout | undefined> => {
    const payout = payouts.get(reference)?.find((one) => isShown(vault, one))
    return { _tag: "Done", value: payout && shape(payout, world.now() - age) }
  }

  const settle = (reference: string, end: PayoutEnd): boolean => {
    const known = payouts.get(reference) ?? []
    const waiting = known.find(({ endedAt }) => endedAt === undefined)
    if (waiting !== undefined) settleNow(vault, ends.settling(waiting), end !== "failed")
    if (end !== "reversed") return waiting !== undefined
    const completed = known.find(isCompleted)
    if (completed !== undefined) ends.reverse(completed, false)
    return completed !== undefined
  }

  return {
    send,
    find,
    has: (reference) => payouts.has(reference),
    settle,
    doom: (reference) => {
      for (const payout of payouts.get(reference) ?? []) payout.isDoomed = true
    },
    other: (reference) => {
      const others = all().filter((payout) => payout.reference !== reference)
      return others.length === 0 ? undefined : shape(chance.pick(others), world.now())
    },
    waiting: () => all().filter(isWaiting).map(referenceOf),
    completed: () => all().filter(isCompleted).map(referenceOf),
    calm: () => all().filter(isWaiting).forEach(plan),
    hidden: () => stillHidden(vault, "payout", all())
  }
}

const referenceOf = ({ reference }: BankPayout): string => reference

const isWaiting = ({ endedAt }: BankPayout): boolean => endedAt === undefined

const isCompleted = ({ endToEndId, reversal }: BankPayout): boolean =>
  endToEndId !== undefined && reversal === undefined

/** The ends of payouts, and what comes after them. */
const makeEnds = (vault: BankVault) => {
  const { agenda, chance, meets, names, notices, records, world } = vault
  const hour = 3_600_000

  const reverse = (payout: BankPayout, isSilent: boolean): void => {
    const { amount, endToEndId, reference } = payout
    if (endToEndId === undefined || payout.reversal !== undefined) return
    const at = world.now()
    const returnId = names.returnId(at)
    payout.reversal = { at, returnId }
    records.move({ _tag: "Reversal", at, reference, endToEndId, returnId, amount })
    // Nobody knows of it beforehand.
    if (!isSilent) notices.tell({ _tag: "Payout", reference }, notices.fate(false))
  }

  const end = (payout: BankPayout, isDone: boolean): void => {
    const at = world.now()
    const { amount, createdAt: takenAt, reference } = payout
    payout.endedAt = at
    if (!isDone || payout.isDoomed) return records.note(`payout ${reference} rejected`)
    const endToEndId = names.endToEndId(at, "sent")
    payout.endToEndId = endToEndId
    records.move({ _tag: "Payout", at, takenAt, reference, endToEndId, amount })
    const isSilent = meets("reversed silently")
    if (!isSilent && !meets("reversed")) return
    const delay = aWhile(chance, 1_000, 20 * hour)
    agenda.later(delay, `payout ${reference} comes back`, () => reverse(payout, isSilent))
  }

  const settling = (payout: BankPayout): Settling => ({
    what: `payout ${payout.reference}`,
    hasEnded: () => payout.endedAt !== undefined,
    end: (isDone) => end(payout, isDone),
    tell: (fate) => notices.tell({ _tag: "Payout", reference: payout.reference }, fate)
  })

  return { reverse, settling }
}

const shape = (payout: BankPayout, asOf: number): PspPayout => {
  const { endToEndId, endedAt, recipient, reference } = payout
  const common = {
    reference,
    pspReference: payout.pspReference,
    amount: payout.amount as Centavos,
    recipient
  }
  if (endedAt === undefined || endedAt > asOf) return { ...common, status: "processing" }
  if (endToEndId === undefined) {
    const rejection = {
      code: "rejected_by_recipient_psp",
      message: "The bank of the receiver refused the payment."
    }
    return { ...common, status: "rejected", rejection }
  }
  const reversal = payout.reversal
  const completed = { ...common, endToEndId, settledAt: DateTime.makeUnsafe(endedAt) }
  if (reversal === undefined || reversal.at > asOf) return { ...completed, status: "completed" }
  const { at, returnId } = reversal
  return {
    ...completed,
    status: "reversed",
    reversal: { returnId, at: DateTime.makeUnsafe(at), code: "MD06" }
  }
}
