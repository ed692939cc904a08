import type { NewPspPayout, NewPspRefund, PspPayout, PspRefund } from "@pagora/core"
import { PspOutcome as Outcome } from "@pagora/core"
import { DateTime } from "effect"
import type { LateLies, Lie } from "./BankLie.ts"
import { about, anotherAmount, denied, notThere, off } from "./BankLie.ts"
import type { BankPayouts } from "./BankPayouts.ts"
import type { BankReturns } from "./BankReturns.ts"
import type { BankVault } from "./BankVault.ts"

/** The lies about money that leaves, by the call that they answer. */
export interface MoneyLies {
  readonly sendPayout: (asked: NewPspPayout) => ReadonlyArray<Lie<PspPayout>>
  readonly findPayout: ReadonlyArray<Lie<PspPayout | undefined>>
  readonly refund: (asked: NewPspRefund) => ReadonlyArray<Lie<PspRefund>>
  readonly findRefund: ReadonlyArray<Lie<PspRefund | undefined>>
}

export const moneyLies = (
  vault: BankVault,
  books: { readonly payouts: BankPayouts; readonly returns: BankReturns },
  late: LateLies
): MoneyLies => ({
  ...payoutLies(vault, books.payouts, late),
  ...refundLies(vault, books.returns, late)
})

const payoutLies = (
  { chance, names, records, world }: BankVault,
  payouts: BankPayouts,
  late: LateLies
): Pick<MoneyLies, "sendPayout" | "findPayout"> => {
  const completed = (payout: PspPayout): PspPayout => ({
    ...payout,
    status: "completed",
    endToEndId: names.endToEndId(world.now(), "sent"),
    settledAt: DateTime.makeUnsafe(world.now())
  })
  const unpaid = about<PspPayout>("completed, and was not", (payout) => {
    if (payout.status !== "processing") return undefined
    payouts.doom(payout.reference)
    return completed(payout)
  })
  const anothersNames = about<PspPayout>("the names of another", (payout, touch) => {
    const other = payouts.other(payout.reference)
    if (other === undefined) return undefined
    touch(other.reference)
    const { endToEndId = payout.endToEndId, pspReference } = other
    return { ...payout, pspReference, ...(endToEndId === undefined ? {} : { endToEndId }) }
  })
  const notTaken = ({ amount, reference }: NewPspPayout): PspPayout => {
    const pspReference = names.ownId()
    const payout = { reference, pspReference, amount, status: "processing" } as const
    return chance.happens(0.5) ? payout : completed(payout)
  }

  return {
    sendPayout: (asked) => [
      unpaid(),
      rejectedPayout(),
      payoutAmountOff(),
      anothersNames(),
      {
        name: "taken, and was not",
        tell: ({ honest }) =>
          payouts.has(asked.reference) ? honest() : Outcome.done(notTaken(asked))
      },
      {
        name: "moved another amount",
        tell: ({ honest }) => {
          if (payouts.has(asked.reference)) return honest()
          records.arrived("sendPayout", asked.reference)
          return payouts.send({ ...asked, amount: off(asked.amount) }, { by: world.now() })
        }
      },
      denied(),
      ...late<PspPayout>(`payout ${asked.reference}`)
    ],
    findPayout: [unpaid(), rejectedPayout(), payoutAmountOff(), anothersNames(), notThere()]
  }
}

const refundLies = (
  { capabilities, chance, names, world }: BankVault,
  returns: BankReturns,
  late: LateLies
): Pick<MoneyLies, "refund" | "findRefund"> => {
  // Told that it was not taken, a service may send it again where that would be safe.
  const isDeniable = capabilities.idempotentByReference
  const confirmed = (refund: PspRefund): PspRefund => ({
    ...refund,
    status: "confirmed",
    returnId: names.returnId(world.now()),
    settledAt: DateTime.makeUnsafe(world.now())
  })
  const unpaid = about<PspRefund>("completed, and was not", (refund) => {
    if (refund.status !== "processing") return undefined
    returns.doom(refund.reference)
    return confirmed(refund)
  })
  const notTaken = ({ amount, endToEndId, reference }: NewPspRefund): PspRefund => {
    const refund = { reference, endToEndId, amount, status: "processing" } as const
    return chance.happens(0.5) ? refund : confirmed(refund)
  }

  return {
    refund: (asked) => [
      unpaid(),
      refundAmountOff(),
      {
        name: "taken, and was not",
        tell: ({ honest }) =>
          returns.has(asked.reference) ? honest() : Outcome.done(notTaken(asked))
      },
      ...(isDeniable ? [rejectedRefund<PspRefund>(), denied<PspRefund>()] : []),
      ...(isDeniable ? late<PspRefund>(`return ${asked.reference}`) : [])
    ],
    findRefund: [
      unpaid(),
      refundAmountOff(),
      ...(isDeniable ? [rejectedRefund<PspRefund | undefined>(), notThere<PspRefund>()] : [])
    ]
  }
}

const madeUp = { code: "refused", message: "The bank says that it came to nothing." } as const

const payoutAmountOff = about<PspPayout>("another amount", anotherAmount)

const refundAmountOff = about<PspRefund>("another amount", anotherAmount)

const rejectedPayout = about<PspPayout>("rejected, and is not", (payout) => {
  const { endToEndId: _, settledAt: __, ...rest } = payout
  return payout.status === "processing" || payout.status === "completed"
    ? { ...rest, status: "rejected", rejection: madeUp }
    : undefined
})

const rejectedRefund = about<PspRefund>("rejected, and is not", (refund) => {
  const { returnId: _, settledAt: __, ...rest } = refund
  return refund.status === "rejected"
    ? undefined
    : { ...rest, status: "rejected", rejection: madeUp }
})
