import type { World } from "../World.ts"
import type { BankMethod } from "./BankOptions.ts"
import type { Untruth } from "./BankUntruths.ts"

/** Real money that moved at a bank. */
export type Movement =
  | {
      readonly _tag: "Deposit"
      readonly at: number
      readonly reference: string
      readonly endToEndId: string
      readonly amount: bigint
      readonly paidAt: number
    }
  | {
      readonly _tag: "Payout"
      readonly at: number
      /** When the bank took the order. */
      readonly takenAt: number
      readonly reference: string
      readonly endToEndId: string
      readonly amount: bigint
    }
  | {
      readonly _tag: "Reversal"
      readonly at: number
      readonly reference: string
      readonly endToEndId: string
      readonly returnId: string
      readonly amount: bigint
    }
  | {
      readonly _tag: "Return"
      readonly at: number
      /** When the bank took the order. */
      readonly takenAt: number
      readonly reference: string
      readonly endToEndId: string
      readonly returnId: string
      readonly amount: bigint
    }

/** A notification that was sent beside the true ones. Only one under the bank's own seal may be taken. */
export interface Forgery {
  readonly at: number
  readonly how: string
  readonly reference: string
  readonly mayBeTaken: boolean
  /** Undefined while nobody has answered. */
  readonly isTaken: boolean | undefined
}

/** What a bank last told about a reference. */
export interface Told {
  readonly at: number
  readonly method: BankMethod
  /** The outcome in words: `Done completed`, `Done nothing`, `Rejected limit_exceeded`. */
  readonly words: string
}

/** What really happened at a bank, for whoever judges a service by it. */
export interface BankBook {
  /** In the order in which it moved. */
  readonly movements: ReadonlyArray<Movement>
  /** What the bank holds for the service: the sum of the movements. */
  readonly cash: () => bigint
  readonly untruths: ReadonlyArray<Untruth>
  readonly forgeries: ReadonlyArray<Forgery>
  /** The last that was told about a reference, by the calls of its kind. */
  readonly lastTold: (reference: string) => Told | undefined
  /** How often the service made this call about a reference, and how many of those requests arrived. */
  readonly times: (method: BankMethod, reference: string) => { called: number; arrived: number }
  /** When it was first called about a reference. */
  readonly firstCalled: (method: BankMethod, reference: string) => number | undefined
}

/** The same book, with the pen. */
export interface BankRecords extends BankBook {
  readonly move: (movement: Movement) => void
  readonly untrue: (untruth: Omit<Untruth, "at">) => void
  readonly forge: (forgery: Omit<Forgery, "at" | "isTaken">) => (isTaken: boolean) => void
  readonly called: (method: BankMethod, reference: string) => void
  readonly arrived: (method: BankMethod, reference: string) => void
  readonly told: (method: BankMethod, reference: string, words: string) => void
  /** A line of the trace. */
  readonly note: (line: string) => void
}

const signs = { Deposit: 1n, Reversal: 1n, Payout: -1n, Return: -1n } as const

export const makeRecords = (world: World, bank: string): BankRecords => {
  const movements: Array<Movement> = []
  const untruths: Array<Untruth> = []
  const forgeries: Array<Forgery & { isTaken: boolean | undefined }> = []
  const tolds = new Map<string, Told>()
  const counts = new Map<string, { called: number; arrived: number }>()
  const firsts = new Map<string, number>()
  let cash = 0n

  const countOf = (method: BankMethod, reference: string) => {
    const place = `${method} ${reference}`
    const count = counts.get(place) ?? { called: 0, arrived: 0 }
    counts.set(place, count)
    return count
  }
  const note = (line: string): void => world.note(`bank ${bank}: ${line}`)

  return {
    movements,
    untruths,
    forgeries,
    cash: () => cash,
    lastTold: (reference) => tolds.get(reference),
    times: (method, reference) => ({ ...countOf(method, reference) }),
    firstCalled: (method, reference) => firsts.get(`${method} ${reference}`),
    move: (movement) => {
      movements.push(movement)
      cash += signs[movement._tag] * movement.amount
      note(`${movement._tag} ${movement.reference} ${movement.amount} ${movement.endToEndId}`)
    },
    untrue: (untruth) => {
      untruths.push({ at: world.now(), ...untruth })
    },
    forge: (forgery) => {
      const made = { at: world.now(), isTaken: undefined as boolean | undefined, ...forgery }
      forgeries.push(made)
      return (isTaken) => {
        made.isTaken = isTaken
      }
    },
    called: (method, reference) => {
      const place = `${method} ${reference}`
      if (!firsts.has(place)) firsts.set(place, world.now())
      countOf(method, reference).called += 1
    },
    arrived: (method, reference) => {
      countOf(method, reference).arrived += 1
    },
    told: (method, reference, words) => {
      tolds.set(reference, { at: world.now(), method, words })
    },
    note
  }
}
