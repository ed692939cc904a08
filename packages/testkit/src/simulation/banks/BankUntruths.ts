import type { BankMethod, CallFault } from "./BankOptions.ts"

/** Why a service records a contradiction; core's reasons of a discrepancy. */
const reasons = [
  "failed_but_paid",
  "completed_but_rejected",
  "amount_mismatch",
  "payment_gone",
  "payment_claimed_twice",
  "reference_mismatch"
] as const
export type ContradictionReason = (typeof reasons)[number]

/**
 * As what the answer to another question may be on record. A payout or a return that is another one is told by its reference.
 * A charge's answer has payments, which are held against those that are booked.
 */
export const reasonsOfAnother = (method: BankMethod): ReadonlyArray<ContradictionReason> => {
  switch (method) {
    case "createCharge":
    case "findCharge":
    case "cancelCharge":
      return reasons
    case "sendPayout":
    case "findPayout":
    case "refund":
    case "findRefund":
      return ["reference_mismatch"]
  }
}

/**
 * What a bank told that was not so, and about which references. Whoever was told may record a discrepancy for one of these
 * `reasons`, or show it to a person. Where its books and the bank's differ about one of the references in the end, it must
 * have done so; about any other reference they must agree. An older answer is none: whoever asks must count on it.
 */
export interface Untruth {
  readonly at: number
  readonly method: BankMethod
  readonly references: ReadonlyArray<string>
  readonly fault: Extract<CallFault, "another" | "garbage" | "lie">
  /** Which lie, of `lie`. */
  readonly lie?: LieName
  readonly reasons: ReadonlyArray<ContradictionReason>
}

/**
 * The lies of a bank, and as what a service may record what follows from each. No money may move by any of them but what the
 * bank's word decides: a payout that it calls completed leaves the books, a charge that it calls paid without payments does not
 * enter them. A bank lies about one reference at most once, and all of it comes out when it is calm.
 *
 * - `taken, and was not`: nothing is there under the reference. What is called under way then waits for a person;
 * - `completed, and was not`: it is under way, and comes to nothing;
 * - `rejected, and is not`: it is under way, or was paid;
 * - `refused, and was taken`: it says that it does not even take it, and does it;
 * - `another amount`: it tells another one than it moves;
 * - `moved another amount`: it moves another one than it was told, and tells so;
 * - `the names of another`: it tells the ids of another payout, which the service may believe of the wrong one of the two;
 * - `paid by another's payment`: it shows the payment of another charge, and that one's as it is;
 * - `paid, without payments`; `unpaid, and is paid`; `removed, and is not`: of a charge;
 * - `not there`: it has it, and has shown it;
 * - `arrives too late`, `hidden too long`: it is found only after "not found" was final by the bank's promise.
 *
 * Not among them is what no service can survive, because nothing but the bank's word tells of it: a payment that was never
 * made, or of another amount than it had; one that has just been made under the wrong charge; a payout that never came back and is
 * called `reversed`, which is final; and, where returns are not idempotent by their reference, whatever denies a return that was
 * taken, for a service may then send it again.
 */
export const lieReasons = {
  "taken, and was not": ["payment_gone", "completed_but_rejected", "reference_mismatch"],
  "completed, and was not": ["completed_but_rejected", "payment_gone", "reference_mismatch"],
  "rejected, and is not": ["failed_but_paid", "completed_but_rejected"],
  "refused, and was taken": ["failed_but_paid"],
  "another amount": ["amount_mismatch"],
  "moved another amount": ["amount_mismatch"],
  "the names of another": ["payment_claimed_twice", "reference_mismatch"],
  "paid by another's payment": ["payment_claimed_twice", "payment_gone"],
  "paid, without payments": [],
  "unpaid, and is paid": ["payment_gone"],
  "removed, and is not": [],
  "not there": ["payment_gone", "completed_but_rejected", "failed_but_paid"],
  "arrives too late": ["failed_but_paid"],
  "hidden too long": ["failed_but_paid", "payment_gone", "completed_but_rejected"]
} as const satisfies Readonly<Record<string, ReadonlyArray<ContradictionReason>>>
export type LieName = keyof typeof lieReasons
