import type { NewPspCharge, PspCharge } from "@pagora/core"
import { PspOutcome as Outcome } from "@pagora/core"
import { DateTime } from "effect"
import type { BankCharges } from "./BankCharges.ts"
import type { LateLies, Lie } from "./BankLie.ts"
import { about, anotherAmount, denied, notThere } from "./BankLie.ts"
import type { BankVault } from "./BankVault.ts"

/** The lies about charges, by the call that they answer. */
export interface ChargeLies {
  readonly createCharge: (asked: NewPspCharge) => ReadonlyArray<Lie<PspCharge>>
  readonly findCharge: ReadonlyArray<Lie<PspCharge | undefined>>
  readonly cancelCharge: (reference: string) => ReadonlyArray<Lie<PspCharge>>
}

export const chargeLies = (
  { names, world }: BankVault,
  charges: BankCharges,
  late: LateLies
): ChargeLies => ({
  createCharge: (asked) => [
    {
      name: "taken, and was not",
      tell: ({ honest }) =>
        charges.has(asked.reference) ? honest() : Outcome.done(notMade(asked, names, world.now()))
    },
    denied(),
    amountOff(),
    ...late<PspCharge>(`charge ${asked.reference}`)
  ],
  findCharge: [paidWithout(), anothers(charges)(), unpaid(), amountOff(), notThere()],
  cancelCharge: (reference) => [
    {
      name: "removed, and is not",
      tell: ({ honest }) => {
        const known = charges.find(reference, 0)
        return known._tag === "Done" && known.value?.status === "active"
          ? Outcome.done({ ...known.value, status: "removed" })
          : honest()
      }
    },
    denied()
  ]
})

const amountOff = about<PspCharge>("another amount", anotherAmount)

const paidWithout = about<PspCharge>("paid, without payments", (charge) =>
  charge.status === "active" ? { ...charge, status: "paid" } : undefined
)

/** Of one that is paid already, it looks like a further payment. */
const anothers = (charges: BankCharges) =>
  about<PspCharge>("paid by another's payment", (charge, touch) => {
    const isPaid = charge.status === "paid"
    const other = charge.status === "active" || isPaid ? charges.paidLike(charge) : undefined
    if (other === undefined) return undefined
    touch(other.reference)
    return { ...charge, status: "paid", payments: [...charge.payments, ...other.payments] }
  })

const unpaid = about<PspCharge>("unpaid, and is paid", (charge) =>
  charge.payments.length > 0
    ? { ...charge, status: charge.status === "paid" ? "active" : charge.status, payments: [] }
    : undefined
)

/** A charge that looks as if it had been made. */
const notMade = (
  { amount, expiresInSeconds, reference }: NewPspCharge,
  names: BankVault["names"],
  now: number
): PspCharge => ({
  reference,
  pspPaymentId: names.ownId(),
  status: "active",
  amount,
  pixCopyPaste: names.code(reference, amount),
  createdAt: DateTime.makeUnsafe(now),
  expiresAt: DateTime.makeUnsafe(now + expiresInSeconds * 1_000),
  payments: []
})
