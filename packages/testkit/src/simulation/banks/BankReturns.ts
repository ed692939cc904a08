import type { Centavos, NewPspRefund, PspOutcome, PspRefund } from "@pagora/core"
import { DateTime } from "effect"
import type { RefundEnd } from "../../contracts/PspUnderTest.ts"
import type { BankPayment } from "./BankCharges.ts"
import type { BankVault, Settling, Visibility } from "./BankVault.ts"
import {
  amountRefusal,
  isShown,
  referenceRefusal,
  rejected,
  settleLater,
  settleNow,
  shownAt,
  stillHidden
} from "./BankVault.ts"

interface BankReturn {
  readonly reference: string
  readonly payment: BankPayment
  readonly amount: bigint
  readonly createdAt: number
  readonly shownAt: number
  isPlanned: boolean
  isDoomed: boolean
  endedAt: number | undefined
  /** Of one that is with its payer. */
  returnId: string | undefined
}

/** The returns of payments that a bank makes. */
export interface BankReturns {
  readonly send: (asked: NewPspRefund, shown: Visibility) => PspOutcome<PspRefund>
  /** As it was so many milliseconds ago. */
  readonly find: (reference: string, age: number) => PspOutcome<PspRefund | undefined>
  readonly has: (reference: string) => boolean
  /** False where it has ended. */
  readonly settle: (reference: string, end: RefundEnd) => boolean
  /** It is to come to nothing. */
  readonly doom: (reference: string) => void
  readonly waiting: () => ReadonlyArray<string>
  /** What waits for hands ends by itself. */
  readonly calm: () => void
  readonly hidden: () => ReadonlyArray<string>
}

/** Whatever is told to them, the returns of a payment never exceed it: no bank gives back what it has not. */
export const makeReturns = (
  vault: BankVault,
  paymentOf: (endToEndId: string) => BankPayment | undefined
): BankReturns => {
  const { bank, capabilities, isCalm, records, world } = vault
  /** Several under one reference, where the bank is not idempotent and was told so often. */
  const returns = new Map<string, Array<BankReturn>>()
  const all = (): ReadonlyArray<BankReturn> => [...returns.values()].flat()
  const settling = settlingOf(vault)

  const plan = (money: BankReturn): void => {
    if (money.isPlanned || money.endedAt !== undefined) return
    money.isPlanned = true
    settleLater(vault, settling(money))
  }

  const open = (asked: NewPspRefund, payment: BankPayment, shown: Visibility): BankReturn => {
    const { amount, reference } = asked
    const money: BankReturn = {
      reference,
      payment,
      amount,
      createdAt: world.now(),
      shownAt: shownAt(vault, shown),
      isPlanned: false,
      isDoomed: false,
      endedAt: undefined,
      returnId: undefined
    }
    payment.returned += amount
    returns.set(reference, [...(returns.get(reference) ?? []), money])
    records.note(`return ${reference} ${amount} taken`)
    if (bank.settling !== "hands" || isCalm()) plan(money)
    return money
  }

  const send = (asked: NewPspRefund, shown: Visibility): PspOutcome<PspRefund> => {
    const refused = referenceRefusal(asked.reference) ?? amountRefusal(asked.amount)
    if (refused !== undefined) return refused
    const known = capabilities.idempotentByReference ? returns.get(asked.reference)?.[0] : undefined
    if (known !== undefined) return { _tag: "Done", value: shape(known, world.now()) }
    const payment = paymentOf(asked.endToEndId)
    if (payment === undefined) return unknownPayment
    if (payment.returned + asked.amount > payment.amount) return tooMuch
    return { _tag: "Done", value: shape(open(asked, payment, shown), world.now()) }
  }

  return {
    send,
    find: (reference, age) => {
      const money = returns.get(reference)?.find((one) => isShown(vault, one))
      return { _tag: "Done", value: money && shape(money, world.now() - age) }
    },
    has: (reference) => returns.has(reference),
    settle: (reference, end) => {
      const waiting = (returns.get(reference) ?? []).find(isWaiting)
      if (waiting !== undefined) settleNow(vault, settling(waiting), end === "confirmed")
      return waiting !== undefined
    },
    doom: (reference) => {
      for (const money of returns.get(reference) ?? []) money.isDoomed = true
    },
    waiting: () =>
      all()
        .filter(isWaiting)
        .map((money) => money.reference),
    calm: () => all().filter(isWaiting).forEach(plan),
    hidden: () => stillHidden(vault, "return", all())
  }
}

const isWaiting = ({ endedAt }: BankReturn): boolean => endedAt === undefined

const settlingOf =
  ({ names, notices, records, world }: BankVault) =>
  (money: BankReturn): Settling => {
    const { amount, createdAt: takenAt, payment, reference } = money
    const end = (isDone: boolean): void => {
      const at = world.now()
      money.endedAt = at
      if (!isDone || money.isDoomed) {
        payment.returned -= amount
        return records.note(`return ${reference} rejected`)
      }
      const returnId = names.returnId(at)
      money.returnId = returnId
      const { endToEndId } = payment
      records.move({ _tag: "Return", at, takenAt, reference, endToEndId, returnId, amount })
    }
    return {
      what: `return ${reference}`,
      hasEnded: () => money.endedAt !== undefined,
      end,
      // Whoever has called it done does not give notice that it was not.
      tell: (fate) => {
        if (!money.isDoomed) notices.tell({ _tag: "Refund", reference }, fate)
      }
    }
  }

const shape = (money: BankReturn, asOf: number): PspRefund => {
  const { amount, endedAt, payment, reference, returnId } = money
  const common = { reference, endToEndId: payment.endToEndId, amount: amount as Centavos }
  if (endedAt === undefined || endedAt > asOf) return { ...common, status: "processing" }
  const settledAt = DateTime.makeUnsafe(endedAt)
  if (returnId !== undefined) return { ...common, status: "confirmed", returnId, settledAt }
  const rejection = {
    code: "rejected_by_payer_psp",
    message: "The bank of the payer refused the return."
  }
  return { ...common, status: "rejected", rejection }
}

const unknownPayment = rejected(
  "payment_not_found",
  "No payment was received under this end-to-end id."
)

const tooMuch = rejected("amount_exceeded", "The returns of a payment cannot exceed the payment.")
