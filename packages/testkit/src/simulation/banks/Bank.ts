import type { Centavos, Payer, PspPayment, PspShape } from "@pagora/core"
import type { PayoutEnd, RefundEnd } from "../../contracts/PspUnderTest.ts"
import type { Caller, World } from "../World.ts"
import type { BankBook } from "./BankBook.ts"
import type { BankCharges } from "./BankCharges.ts"
import { makeCharges } from "./BankCharges.ts"
import { makeDesk } from "./BankDesk.ts"
import { doorOf } from "./BankDoor.ts"
import { makeLies } from "./BankLies.ts"
import { readNotification } from "./BankNotification.ts"
import type { BankOptions } from "./BankOptions.ts"
import { makePayouts } from "./BankPayouts.ts"
import { makeReturns } from "./BankReturns.ts"
import { makeVault } from "./BankVault.ts"

/**
 * A bank outside of every process: in plain memory, and the truth of who paid whom. Processes call it as a PSP, each by a door
 * of its own, and what becomes of a call is a matter of chance. Whoever judges a service reads the book.
 */
export interface Bank {
  readonly name: string
  /** The door of one process. */
  readonly psp: (caller: Caller) => PspShape
  readonly book: BankBook
  /** Somebody pays, by default what was asked for. Undefined where the bank takes no money for it, or does not have it yet. */
  readonly pay: (reference: string, amount?: Centavos, payer?: Payer) => PspPayment | undefined
  /** The bank of the receiver ends a payout. False where it cannot end like this any more. */
  readonly settlePayout: (reference: string, end: PayoutEnd) => boolean
  /** The bank of the payer ends a return. False where it has ended. */
  readonly settleRefund: (reference: string, end: RefundEnd) => boolean
  /** The references that hands can do something about. */
  readonly hands: {
    readonly payable: () => ReadonlyArray<string>
    readonly payouts: () => ReadonlyArray<string>
    readonly completedPayouts: () => ReadonlyArray<string>
    readonly refunds: () => ReadonlyArray<string>
  }
  /** The reference of the charge that a copy-and-paste code pays. */
  readonly referenceOf: (pixCopyPaste: string) => string | undefined
  /** What will still happen, or become visible, by itself. */
  readonly pending: () => ReadonlyArray<string>
  /** What it found to be wrong with what it was asked, beside all that its book tells. */
  readonly complaints?: () => ReadonlyArray<string>
  /** Absent where it has no account, and pays whatever it is told. */
  readonly holdings?: BankHoldings
  /** Absent where nobody reports fraud to it. */
  readonly reports?: BankReports
  /** From now on nothing goes wrong, and what is late comes out within a minute, or a few where it has to wait for more. */
  readonly calm: () => void
}

/** The account of a bank that pays only what it has. */
export interface BankHoldings {
  /** What is in it, blocked or not. */
  readonly holds: () => bigint
  /** Its owner settles it when all else is over: what is there then may be what should be, or more, or less. */
  readonly close: () => void
}

/** A report of fraud about a payment (MED). */
export interface BankInfraction {
  readonly id: string
  readonly endToEndId: string
  readonly amount: bigint
  readonly reportedAt: number
  readonly decidedAt: number | undefined
  readonly isAccepted: boolean
}

/** What is reported of payments to a bank, and what it does then. */
export interface BankReports {
  /** What is paid under this reference may be reported from now on, or go back by the bank itself. */
  readonly about: (reference: string) => void
  /** When it decides next; undefined where nothing is left to be decided. */
  readonly wakesAt: () => number | undefined
  readonly infractions: () => ReadonlyArray<BankInfraction>
}

/** Everything that is late comes out within this when the bank is calm. */
const calmWithin = 60_000

export const makeBank = (world: World, options: BankOptions): Bank => {
  const key = `key of ${options.name}`
  const { becomeCalm, vault } = makeVault(world, options, key, () => charges.payable())
  const charges: BankCharges = makeCharges(vault)
  const payouts = makePayouts(vault)
  const returns = makeReturns(vault, charges.payment)
  const books = { charges, payouts, returns }
  const desk = makeDesk(vault)
  const lies = makeLies(vault, books)
  return {
    name: options.name,
    psp: (caller) => ({
      provider: options.name,
      environment: "sandbox",
      capabilities: vault.capabilities,
      ...doorOf({ caller, desk, books, lies }),
      readNotification: readNotification(key)
    }),
    book: vault.records,
    pay: charges.pay,
    settlePayout: payouts.settle,
    settleRefund: returns.settle,
    hands: {
      payable: charges.payable,
      payouts: payouts.waiting,
      completedPayouts: payouts.completed,
      refunds: returns.waiting
    },
    referenceOf: charges.referenceOf,
    pending: () => [
      ...vault.agenda.pending(),
      ...vault.notices.pending(),
      ...charges.hidden(),
      ...payouts.hidden(),
      ...returns.hidden()
    ],
    calm: () => {
      becomeCalm()
      vault.agenda.hasten(calmWithin)
      payouts.calm()
      returns.calm()
      charges.calm()
      vault.notices.calm()
    }
  }
}
