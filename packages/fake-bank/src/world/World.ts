import type { BankAccount, Person } from "./BankAccount.ts"
import type { BankClock } from "./BankClock.ts"
import type { BankIds } from "./BankIds.ts"
import type { Charge } from "./Charge.ts"
import type { Infraction } from "./Infraction.ts"
import type { Incoming, Payment, PaymentReturn } from "./Payment.ts"
import type { Payout } from "./Payout.ts"

/** What happened, for whoever tells the bank's customers of it. */
export type WorldEvent =
  | { readonly type: "payment_received"; readonly payment: Payment }
  | { readonly type: "return_begun"; readonly payment: Payment; readonly back: PaymentReturn }
  | { readonly type: "return_changed"; readonly payment: Payment; readonly back: PaymentReturn }
  | { readonly type: "payout_begun"; readonly payout: Payout }
  | { readonly type: "payout_changed"; readonly payout: Payout }
  | { readonly type: "infraction_changed"; readonly infraction: Infraction }

/**
 * Who paid whom: the truth, which no protocol shows whole. It lives in plain memory and knows nothing of HTTP; a bank's
 * protocol reads and moves it, and so does whoever writes a test.
 */
export interface World {
  readonly clock: BankClock
  readonly ids: BankIds
  /** The bank's number in the PIX network. */
  readonly ispb: string
  readonly accounts: Array<BankAccount>
  /** By txid, which is unlike all others of one account (BACEN Pix API, `TxId`). */
  readonly charges: Array<Charge>
  /** By end-to-end id. */
  readonly payments: Map<string, Payment>
  readonly payouts: Array<Payout>
  /** By id. */
  readonly infractions: Map<string, Infraction>
  /** Whom the keys of other banks belong to; a key that is not here is {@link ownerOf}'s choice. */
  readonly owners: Map<string, Person>
  /** Each may refuse a payment before it arrives, in a sentence: whoever pays is told, and the account never knows. */
  readonly gates: Array<(account: BankAccount, incoming: Incoming) => string | undefined>
  readonly tell: (event: WorldEvent) => void
  readonly listen: (listener: (event: WorldEvent) => void) => void
}

/** The number of a bank elsewhere, from which everybody pays. */
export const elsewhere = "99999004"

export interface WorldOptions {
  readonly clock: BankClock
  readonly ids: BankIds
  readonly ispb: string
}

export const makeWorld = ({ clock, ids, ispb }: WorldOptions): World => {
  const listeners: Array<(event: WorldEvent) => void> = []
  return {
    clock,
    ids,
    ispb,
    accounts: [],
    charges: [],
    payments: new Map(),
    payouts: [],
    infractions: new Map(),
    owners: new Map(),
    gates: [],
    tell: (event) => listeners.forEach((listener) => listener(event)),
    listen: (listener) => void listeners.push(listener)
  }
}

/** What the world does not do, and why: the mistake of a test, or the refusal of a request. */
export class WorldRefusal extends Error {
  override readonly name = "WorldRefusal"
  readonly reason: WorldRefusalReason

  constructor(reason: WorldRefusalReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/** Does what may be refused, and leaves it where it is. */
export const unlessRefused = (work: () => void): void => {
  try {
    work()
  } catch (error) {
    if (!(error instanceof WorldRefusal)) throw error
  }
}

export type WorldRefusalReason =
  | "unknown_key"
  | "unknown_charge"
  | "charge_not_payable"
  | "payment_refused"
  | "unknown_payment"
  | "unknown_return"
  | "return_id_taken"
  | "too_much_returned"
  | "return_window_closed"
  | "return_not_open"
  | "unknown_payout"
  | "payout_not_open"
  | "insufficient_funds"
  | "unknown_infraction"
  | "infraction_not_open"

export const accountOfKey = (world: World, key: string): BankAccount => {
  const account = world.accounts.find(({ keys }) => keys.includes(key))
  if (account !== undefined) return account
  throw new WorldRefusal("unknown_key", `No account of this bank has the key ${key}.`)
}

/** Whom a key belongs to: one of this bank's customers, who was named for it, or somebody. */
export const ownerOf = (world: World, key: string): Person => {
  const account = world.accounts.find(({ keys }) => keys.includes(key))
  return account ?? world.owners.get(key) ?? { name: "João Souza", document: documentOf(key) }
}

/** A key that is a CPF or a CNPJ is its owner's. */
const documentOf = (key: string) => (/^(\d{11}|[0-9A-Z]{12}\d{2})$/.test(key) ? key : "11144477735")
