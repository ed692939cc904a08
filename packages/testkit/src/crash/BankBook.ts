import type { Chance } from "../fuzz/Chance.ts"
import type { Booked } from "../load/LoadCheck.ts"

/** A payment that somebody made for a charge. Amounts are centavos. */
export interface BankPayment {
  readonly endToEndId: string
  readonly amount: number
  readonly paidAt: string
}

export interface BankCharge {
  readonly reference: string
  readonly id: string
  readonly amount: number
  readonly createdAt: string
  readonly expiresAt: string
  readonly payments: Array<BankPayment>
  isRemoved: boolean
}

/** Money that leaves: a payout, or a payment on its way back. */
export interface BankTransfer {
  readonly kind: "payout" | "refund"
  readonly reference: string
  /** The bank's own id, another one for each transfer. */
  readonly id: string
  readonly amount: number
  /** Of a refund the payment that goes back. */
  readonly payment: string
  readonly endToEndId: string
  status: "processing" | "done"
  settledAt?: string
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/**
 * Who paid whom, in plain memory outside of every service and of its storage. It makes each transfer that it is told to
 * make, so that one that is told twice is made twice, unless it minds references.
 */
export class BankBook {
  readonly charges = new Map<string, BankCharge>()
  readonly transfers: Array<BankTransfer> = []
  private readonly mindsReferences: boolean
  private readonly chance: Chance

  constructor(chance: Chance, mindsReferences: boolean) {
    this.chance = chance
    this.mindsReferences = mindsReferences
  }

  open(reference: string, amount: number, expiresInSeconds: number): BankCharge {
    const known = this.charges.get(reference)
    if (known !== undefined) return known
    const now = Date.now()
    const charge: BankCharge = {
      reference,
      id: `C${this.suffix(20)}`,
      amount,
      createdAt: new Date(now).toISOString(),
      expiresAt: new Date(now + expiresInSeconds * 1_000).toISOString(),
      payments: [],
      isRemoved: false
    }
    this.charges.set(reference, charge)
    return charge
  }

  pay(charge: BankCharge): void {
    const paidAt = new Date().toISOString()
    charge.payments.push({ endToEndId: this.endToEndId("E"), amount: charge.amount, paidAt })
  }

  remove(charge: BankCharge): void {
    if (charge.payments.length === 0) charge.isRemoved = true
  }

  find(kind: BankTransfer["kind"], reference: string): BankTransfer | undefined {
    return this.transfers.find((made) => made.kind === kind && made.reference === reference)
  }

  /** Undefined where there is no such payment, or not so much of it left. */
  transfer(
    kind: BankTransfer["kind"],
    reference: string,
    amount: number,
    payment = ""
  ): BankTransfer | undefined {
    const known = this.mindsReferences ? this.find(kind, reference) : undefined
    if (known !== undefined) return known
    if (kind === "refund" && this.leftOf(payment) < amount) return undefined
    const transfer: BankTransfer = {
      kind,
      reference,
      id: `T${this.suffix(20)}`,
      amount,
      payment,
      endToEndId: this.endToEndId(kind === "payout" ? "E" : "D"),
      status: "processing"
    }
    this.transfers.push(transfer)
    return transfer
  }

  settle(transfer: BankTransfer): void {
    transfer.status = "done"
    transfer.settledAt = new Date().toISOString()
  }

  payments(): ReadonlyArray<BankPayment> {
    return [...this.charges.values()].flatMap((charge) => charge.payments)
  }

  /** Everything that it did, as the check at the end reads it. */
  booked(): ReadonlyArray<Booked> {
    return [
      ...this.payments().map(({ amount, endToEndId }) => ({
        kind: "payment" as const,
        name: endToEndId,
        status: "paid",
        amount: String(amount)
      })),
      ...this.transfers.map(({ amount, kind, reference, status }) => ({
        kind,
        name: reference,
        status: status === "processing" ? status : kind === "payout" ? "completed" : "confirmed",
        amount: String(amount)
      }))
    ]
  }

  /** What came in, less what went out. */
  balance(): number {
    const sum = (amounts: ReadonlyArray<{ readonly amount: number }>) =>
      amounts.reduce((all, { amount }) => all + amount, 0)
    return sum(this.payments()) - sum(this.transfers)
  }

  private leftOf(endToEndId: string): number {
    const paid = this.payments().find((payment) => payment.endToEndId === endToEndId)
    const returned = this.transfers.filter(({ payment }) => payment === endToEndId)
    return (paid?.amount ?? 0) - returned.reduce((all, { amount }) => all + amount, 0)
  }

  private endToEndId(letter: "E" | "D"): string {
    const minute = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 12)
    return `${letter}99999999${minute}${this.suffix(11)}`
  }

  private suffix(length: number): string {
    return Array.from({ length }, () => letters.charAt(this.chance.below(letters.length))).join("")
  }
}
