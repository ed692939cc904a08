import type { Centavos, NewPspCharge, Payer, PspCharge, PspOutcome, PspPayment } from "@pagora/core"
import { DateTime, Duration } from "effect"
import { aWhile } from "./BankAgenda.ts"
import type { BankVault, Visibility } from "./BankVault.ts"
import {
  amountRefusal,
  isShown,
  referenceRefusal,
  rejected,
  shownAt,
  stillHidden
} from "./BankVault.ts"
import { aPerson } from "./BankPeople.ts"

/** A payment in the books of a bank. */
export interface BankPayment {
  readonly endToEndId: string
  readonly amount: bigint
  readonly paidAt: number
  /** From when on the bank knows of it. */
  readonly landedAt: number
  readonly payer: Payer
  /** What goes or went back of it, rejected returns aside. */
  returned: bigint
}

interface BankCharge {
  readonly reference: string
  readonly pspPaymentId: string
  readonly amount: Centavos
  readonly pixCopyPaste: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly shownAt: number
  removedAt: number | undefined
  readonly payments: Array<BankPayment>
}

/** By then a payment is booked where it belongs, as good as always. */
const longPaid = 60_000

/** The charges of a bank, and who paid them. */
export interface BankCharges {
  readonly create: (asked: NewPspCharge, shown: Visibility) => PspOutcome<PspCharge>
  /** As it was so many milliseconds ago. */
  readonly find: (reference: string, age: number) => PspOutcome<PspCharge | undefined>
  readonly cancel: (reference: string) => PspOutcome<PspCharge>
  /** What the payer has in hand; undefined where the bank takes no money for it. */
  readonly pay: (reference: string, amount?: Centavos, payer?: Payer) => PspPayment | undefined
  readonly has: (reference: string) => boolean
  /** Another charge that was paid a while ago, once: where it is not paid itself, over the same amount. */
  readonly paidLike: (
    charge: Pick<PspCharge, "reference" | "amount" | "payments">
  ) => Pick<PspCharge, "reference" | "payments"> | undefined
  readonly payment: (endToEndId: string) => BankPayment | undefined
  /** Those that can be paid now. */
  readonly payable: () => ReadonlyArray<string>
  readonly referenceOf: (pixCopyPaste: string) => string | undefined
  /** What there is to tell once more when all faults are over. */
  readonly calm: () => void
  /** Those that questions do not find yet. */
  readonly hidden: () => ReadonlyArray<string>
}

/**
 * A charge is made under its reference once, also by a bank that is not idempotent otherwise: in BACEN's API it is a PUT of
 * its txid. Whoever commands is answered by the books themselves; only questions are answered by what is shown.
 */
export const makeCharges = (vault: BankVault): BankCharges => {
  const { capabilities, records, world } = vault
  const charges = new Map<string, BankCharge>()
  const payments = new Map<string, BankPayment>()
  const codes = new Map<string, string>()
  const lag = Duration.toMillis(capabilities.settlementLag)

  const shape = (charge: BankCharge, asOf: number): PspCharge =>
    shownCharge(charge, asOf, capabilities.knowsPayer)

  const create = (asked: NewPspCharge, shown: Visibility): PspOutcome<PspCharge> => {
    const { amount, reference } = asked
    const refused = referenceRefusal(reference) ?? amountRefusal(amount) ?? endRefusal(asked)
    if (refused !== undefined) return refused
    const known = charges.get(reference)
    if (known !== undefined) return { _tag: "Done", value: shape(known, world.now()) }
    const charge = open(vault, asked, shownAt(vault, shown))
    charges.set(reference, charge)
    codes.set(charge.pixCopyPaste, reference)
    return { _tag: "Done", value: shape(charge, charge.createdAt) }
  }

  const find = (reference: string, age: number): PspOutcome<PspCharge | undefined> => {
    const charge = charges.get(reference)
    if (charge === undefined || !isShown(vault, charge)) return { _tag: "Done", value: undefined }
    const now = world.now()
    // From then on what was paid in time is shown: the bank has promised it.
    const asOf = now >= charge.expiresAt + lag ? now : now - age
    return { _tag: "Done", value: shape(charge, asOf) }
  }

  const cancel = (reference: string): PspOutcome<PspCharge> => {
    const charge = charges.get(reference)
    if (charge === undefined)
      return rejected("not_found", "There is no charge under this reference.")
    if (charge.removedAt === undefined && charge.payments.length === 0) {
      charge.removedAt = world.now()
      records.note(`charge ${reference} removed`)
    }
    return { _tag: "Done", value: shape(charge, world.now()) }
  }

  const isPayable = ({ expiresAt, removedAt }: BankCharge): boolean =>
    removedAt === undefined && world.now() <= expiresAt + lag

  const land = makeLand(vault, payments)

  return {
    create,
    find,
    cancel,
    pay: (reference, amount, payer) => {
      const charge = charges.get(reference)
      if (charge === undefined || !isPayable(charge)) return undefined
      return land(charge, amount ?? charge.amount, payer)
    },
    has: (reference) => charges.has(reference),
    paidLike: (charge) => {
      const other = paidLike(charge, charges.values(), world.now() - longPaid)
      return other === undefined ? undefined : shape(other, world.now())
    },
    payment: (endToEndId) => payments.get(endToEndId),
    payable: () => [...charges.values()].filter(isPayable).map(({ reference }) => reference),
    referenceOf: (code) => codes.get(code),
    calm: () => {
      if (vault.bank.tellsFurtherAgain === false) return
      for (const { payments, reference } of charges.values())
        if (payments.length > 1) vault.notices.tell({ _tag: "Charge", reference }, "sent")
    },
    hidden: () => stillHidden(vault, "charge", charges.values())
  }
}

const paidLike = (
  { amount, payments: { length }, reference }: Parameters<BankCharges["paidLike"]>[0],
  charges: Iterable<BankCharge>,
  before: number
): BankCharge | undefined =>
  [...charges].find(
    ({ payments: [one, ...more], reference: of }) =>
      one !== undefined &&
      of !== reference &&
      (length > 0 || one.amount === amount) &&
      one.landedAt < before &&
      more.length === 0
  )

const open = ({ names, world }: BankVault, asked: NewPspCharge, shownAt: number): BankCharge => {
  const { amount, expiresInSeconds, reference } = asked
  const createdAt = world.now()
  return {
    reference,
    pspPaymentId: names.ownId(),
    amount,
    pixCopyPaste: names.code(reference, amount),
    createdAt,
    expiresAt: createdAt + expiresInSeconds * 1_000,
    shownAt,
    removedAt: undefined,
    payments: []
  }
}

/** What a payment does: at once, or when it lands, a removed charge or not. */
const makeLand = (vault: BankVault, payments: Map<string, BankPayment>) => {
  const { agenda, capabilities, chance, isCalm, meets, names, notices, records, world } = vault
  const lag = Duration.toMillis(capabilities.settlementLag)

  return (charge: BankCharge, amount: Centavos, payer?: Payer): PspPayment => {
    const { reference } = charge
    const paidAt = world.now()
    // What is paid in time lands in time: that is what the bank promises by its lag.
    const most = Math.max(charge.expiresAt, paidAt) + lag - paidAt - 1
    const fate = notices.fate()
    const flies = meets("in flight") && most > 0
    const delay = flies
      ? aWhile(chance, 1_000, most)
      : fate === "early"
        ? aWhile(chance, 500, Math.min(60_000, most))
        : 0
    const payment: BankPayment = {
      endToEndId: names.endToEndId(paidAt, "received"),
      amount,
      paidAt,
      landedAt: paidAt + delay,
      payer: payer ?? aPerson(chance),
      returned: 0n
    }
    const notice = { _tag: "Charge", reference } as const
    const land = (): void => {
      const landed = { ...payment, landedAt: world.now() }
      charge.payments.push(landed)
      payments.set(payment.endToEndId, landed)
      const { endToEndId } = payment
      records.move({ _tag: "Deposit", at: world.now(), reference, endToEndId, amount, paidAt })
      // What lands when all faults are over is told of, whatever became of its notice before.
      if (isCalm()) notices.tell(notice, "sent")
      else if (fate !== "early") notices.tell(notice, fate)
    }
    if (fate === "early") notices.tell(notice, fate)
    if (delay === 0) land()
    else {
      records.note(`payment of charge ${reference} on its way`)
      agenda.later(delay, `payment of charge ${reference} lands`, land)
    }
    return shownPayment(payment, true)
  }
}

/** A charge as it was at an instant. */
const shownCharge = (charge: BankCharge, asOf: number, knowsPayer: boolean): PspCharge => {
  const landed = charge.payments.filter(({ landedAt }) => landedAt <= asOf)
  const isRemoved = charge.removedAt !== undefined && charge.removedAt <= asOf
  return {
    reference: charge.reference,
    pspPaymentId: charge.pspPaymentId,
    status: isRemoved ? "removed" : landed.length > 0 ? "paid" : "active",
    amount: charge.amount,
    pixCopyPaste: charge.pixCopyPaste,
    createdAt: DateTime.makeUnsafe(charge.createdAt),
    expiresAt: DateTime.makeUnsafe(charge.expiresAt),
    payments: landed.map((payment) => shownPayment(payment, knowsPayer))
  }
}

const shownPayment = (payment: BankPayment, knowsPayer: boolean): PspPayment => ({
  endToEndId: payment.endToEndId,
  amount: payment.amount as Centavos,
  paidAt: DateTime.makeUnsafe(payment.paidAt),
  ...(knowsPayer ? { payer: payment.payer } : {})
})

const endRefusal = ({ expiresInSeconds }: NewPspCharge) =>
  Number.isInteger(expiresInSeconds) && expiresInSeconds > 0 && expiresInSeconds < 2 ** 31
    ? undefined
    : rejected("invalid_expiry", "A charge must last 1 to 2147483647 seconds.")
