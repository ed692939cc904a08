import type { PspCapabilities, RawNotification } from "@pagora/core"

/** What a bank is asked: to make a charge, to find it, and so on, as in `PspShape`. */
export const bankMethods = [
  "createCharge",
  "findCharge",
  "cancelCharge",
  "sendPayout",
  "findPayout",
  "refund",
  "findRefund"
] as const
export type BankMethod = (typeof bankMethods)[number]

/** Whether a call only asks, and does nothing. */
const isQuestion = (method: BankMethod): boolean => method.startsWith("find")

/**
 * What can go wrong with a call.
 *
 * - `untold`: done, and no reply, or one after a while that tells nothing;
 * - `late`: the request arrives seconds to hours later, and nobody knows until then. Not that of a question;
 * - `lost`: not done, and there is no reply, or one that says that it never left;
 * - `refused`: not done, and the bank says so;
 * - `broken`: done, and then the bank breaks: a 5xx;
 * - `another`: done, and answered with what another reference was answered;
 * - `garbage`: done, and answered with what is no answer, or the layer dies;
 * - `older`: a question is answered as it was some time ago;
 * - `lie`: what is told is not so. Only where the bank has `lies`.
 */
export const callFaults = [
  "untold",
  "late",
  "lost",
  "refused",
  "broken",
  "another",
  "garbage",
  "older",
  "lie"
] as const
export type CallFault = (typeof callFaults)[number]

/** Whether such a thing can happen to such a call. */
export const canMeet = (method: BankMethod, fault: CallFault): boolean =>
  fault === "late" ? !isQuestion(method) : fault === "older" ? isQuestion(method) : true

/**
 * What can go wrong with a notification.
 *
 * - `dropped`: it is never sent;
 * - `doubled`: it comes twice;
 * - `reordered`: it comes after the next one;
 * - `delayed`: it comes minutes to hours later;
 * - `early`: it comes before what it tells of can be seen;
 * - `forged`: another one comes beside it, from somebody else, or about what did not happen.
 */
export const noticeFaults = [
  "dropped",
  "doubled",
  "reordered",
  "delayed",
  "early",
  "forged"
] as const
export type NoticeFault = (typeof noticeFaults)[number]

/**
 * How money can fare.
 *
 * - `hidden`: what was made is not found for a while, but found before that would be final;
 * - `in flight`: a payment lands at the bank some time after its payer has made it, a removed charge or not;
 * - `rejected`: a payout or return comes to nothing;
 * - `slow`: a payout or return takes hours, up to more than a day;
 * - `reversed`, `reversed silently`: a completed payout comes back, with a notice or without.
 */
export const moneyFaults = [
  "hidden",
  "in flight",
  "rejected",
  "slow",
  "reversed",
  "reversed silently"
] as const
export type MoneyFault = (typeof moneyFaults)[number]

/** How likely each of these is, from 0 to 1. What is absent does not happen. */
export interface BankFaults {
  readonly calls?: Readonly<Partial<Record<CallFault, number>>>
  /** In the place of `calls`: what goes wrong with some of them, and with no other. */
  readonly only?: Readonly<Partial<Record<BankMethod, BankFaults["calls"]>>>
  readonly notices?: Readonly<Partial<Record<NoticeFault, number>>>
  readonly money?: Readonly<Partial<Record<MoneyFault, number>>>
}

/** A bank where a good part of everything goes wrong. */
export const roughFaults: BankFaults = {
  calls: {
    untold: 0.04,
    late: 0.04,
    lost: 0.04,
    refused: 0.03,
    broken: 0.03,
    another: 0.02,
    garbage: 0.02,
    older: 0.05,
    lie: 0.04
  },
  notices: {
    dropped: 0.1,
    doubled: 0.1,
    reordered: 0.1,
    delayed: 0.1,
    early: 0.1,
    forged: 0.05
  },
  money: {
    hidden: 0.1,
    "in flight": 0.1,
    rejected: 0.12,
    slow: 0.1,
    reversed: 0.05,
    "reversed silently": 0.05
  }
}

export interface BankOptions {
  /** Different for each bank of a world. */
  readonly name: string
  /** By default it is idempotent, knows the payer, and shows everything within ten minutes. */
  readonly capabilities?: Partial<PspCapabilities>
  /** None by default. */
  readonly faults?: BankFaults
  /** Whether it tells what is not so. What that does to money is judged by `BankBook.untruths`. */
  readonly lies?: boolean
  /** `alone`, the default: payouts and returns end by themselves. `hands`: only hands end them, until the bank is calm. */
  readonly settling?: "alone" | "hands"
  /**
   * Whether it tells once more, when it becomes calm, of each charge that was paid several times. The service asks once about
   * a charge that it knows as paid, when a notice comes; so it does not hear of a further payment whose notice is lost
   * (decision 0069), or comes before the payment is shown. True by default.
   */
  readonly tellsFurtherAgain?: boolean
  /** Brings a notification to the service. What is not `answered` within 10 seconds was not taken. */
  readonly notify: (notification: RawNotification, answered: (isTaken: boolean) => void) => void
}
