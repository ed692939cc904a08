import type {
  BankAccount,
  Fault,
  FaultBook,
  Indoors,
  NewCallback,
  World,
  WorldControls
} from "@pagora/fake-bank"
import type { PspShape } from "@pagora/core"
import type { Transport } from "@pagora/core/psp"
import type { BankRecords, Letter } from "@pagora/testkit/simulation"
import type { WireSubject } from "./WireKinds.ts"

/** Banks whose own protocol simulations can speak. */
export const wireBanks = ["efi", "inter", "woovi"] as const
export type WireBankName = (typeof wireBanks)[number]

/** A fake bank without a door, with a hand on what happens in it. */
export interface WireHands extends WorldControls {
  readonly name: WireBankName
  readonly world: World
  readonly account: BankAccount
  readonly ask: Indoors
  readonly faults: Pick<FaultBook, "set">
}

/** How a bank of this protocol says what a line needs words for. */
export interface WireWords {
  /** That it is broken, in ways of its own. */
  readonly failures: ReadonlyArray<Pick<Fault, "kind" | "status" | "body">>
  /** That it does not have what it has just made; undefined where the answer would not show it. */
  readonly hides: (asked: WireSubject, isHidden: (subject: string) => boolean) => Fault | undefined
  /** Whether what lets somebody in ends by itself, also between two copies of one order. */
  readonly isByToken: boolean
}

/** A bank at the far end of a line, by its protocol. */
export interface WireFar {
  readonly bank: WireHands
  readonly words: WireWords
  /** So long after its end a charge may still turn out to be paid. */
  readonly lagMillis: number
  /** The layer of one process, over its transport. */
  readonly psp: (transport: Transport) => PspShape
  /** The letter to a callback, with what somebody else could make of it. */
  readonly letterOf: (callback: NewCallback, anyReference: () => string) => Letter
  /** The reference of the charge that a code pays. */
  readonly referenceOf: (pixCopyPaste: string) => string | undefined
  /** What it found to be wrong with what it was asked. */
  readonly complaints: () => ReadonlyArray<string>
  /** What is on record where that may lead to a contradiction. */
  readonly mistold: (asked: WireSubject, records: BankRecords) => void
  /** It is told where its callbacks go. */
  readonly begin: () => void
}
