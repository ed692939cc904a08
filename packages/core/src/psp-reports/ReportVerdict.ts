import { DateTime, Duration } from "effect"
import type { AccountId, ChargeId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { PspInfraction, PspOutcome, PspReceived, PspReceivedReturn } from "../ports/Psp.ts"
import type { BlockStatus } from "../blocks/Block.ts"
import type { PspReport } from "./PspReport.ts"
import { ended, lastSaid, letGo, recorded, waits } from "./PspReport.ts"
import type { Receiver } from "./PspReturn.ts"

/** How long what a PSP names may take to show there, and with its charge. */
const showsWithin = Duration.hours(24)

/** What is known here of a payment that a PSP shows. */
export interface Known {
  /** Whose it was booked for. */
  readonly booked?: Receiver
  /** The charge of ours that it names, where it is not booked. */
  readonly charge?: {
    readonly id: ChargeId
    readonly account: AccountId
    /** Whether the PSP shows the payment with it, too, where it was asked and has said so. */
    readonly isShown?: boolean
  }
  /** References of its returns that are ours, or that were booked before. */
  readonly returns: ReadonlySet<string>
  /** Infractions about it that the PSP has accepted, where more than one has money of it claimed. */
  readonly accepted?: ReadonlySet<string>
  /** Whether the PSP has not said of each of them whether it is accepted. */
  readonly isUntold?: boolean
}

/** What is known of the block that an infraction has opened. */
export interface KnownBlock {
  readonly status: BlockStatus
  /** What of it is with the payer already. */
  readonly gone: Centavos
  /** Whether a return of the PSP on its payment waits for a person: before that is decided, its report does not end it. */
  readonly isBeside: boolean
  /**
   * What its PSP has given back of the payment beyond that: `none` that it shows, `shown` and not booked yet, or `untold`: it did
   * not say, or not the end of it. Asked where the block is to end.
   */
  readonly rest?: "none" | "shown" | "untold"
}

/** How often it is looked whether an open infraction can have its money claimed, or one that has ended can end its block. */
const blockedByOthers = { minimum: Duration.seconds(2), maximum: Duration.minutes(15) } as const

/** How often a PSP that lists no infractions is asked about one that holds the money of a payment. */
const askedAgain = Duration.minutes(30)

/**
 * What is known when a verdict on a report is due.
 *
 * - `Due`: nothing was asked yet;
 * - `Unserved`: its PSP cannot be asked for such a thing;
 * - `Payment`, `Infraction`: what the PSP says, and what is known here of what it shows.
 */
export type ReportAnswer =
  | { readonly _tag: "Due" | "Unserved" }
  | {
      readonly _tag: "Payment"
      readonly outcome: PspOutcome<PspReceived | undefined>
      readonly known: Known
    }
  | {
      readonly _tag: "Infraction"
      readonly outcome: PspOutcome<PspInfraction | undefined>
      readonly receiver: Receiver | undefined
      /** Its PSP lists no infractions: nothing but this question tells how it ends where a notice is lost. */
      readonly isUnlisted?: boolean
      /** The block that it has opened. */
      readonly block?: KnownBlock
    }

export interface ReportQuestion {
  readonly _tag: "Ask"
}

/**
 * What becomes of a report, and when it is looked at again.
 *
 * - `Waiting`: it stands as it did; `charge` is one that is to be looked at;
 * - `Ended`: nothing is left to be done about it;
 * - `Unidentified`: money that nobody asked for, or for a charge that has not shown it for a day. It goes into suspense;
 * - `Returned`: the PSP gave it back by itself;
 * - `Recorded`: an infraction, and what is to be done about it. `block`: its money is claimed from now on; `return`: its money is
 *   claimed, and the PSP is asked whether it has given it back; `release`: the money is the merchant's again; `none`: nothing.
 *   Where it is for the operator's line, `isForPerson` says so.
 */
export type ReportConclusion =
  | {
      readonly _tag: "Waiting"
      readonly report: PspReport
      readonly again: DateTime.Utc
      readonly charge?: NonNullable<Known["charge"]>
    }
  | { readonly _tag: "Ended"; readonly report: PspReport }
  | {
      readonly _tag: "Unidentified"
      readonly report: PspReport
      readonly payment: PspReceived
      /** The charge that it names, which has not shown it. */
      readonly charge?: NonNullable<Known["charge"]>
    }
  | {
      readonly _tag: "Returned"
      readonly report: PspReport
      readonly receiver: Receiver
      readonly money: PspReceivedReturn
      readonly accepted: ReadonlySet<string>
    }
  | {
      readonly _tag: "Recorded"
      readonly report: PspReport
      readonly receiver: Receiver
      readonly infraction: PspInfraction
      readonly to: "block" | "return" | "release" | "none"
      readonly isForPerson: boolean
      readonly again: DateTime.Utc | undefined
    }

export type ReportVerdict = ReportQuestion | ReportConclusion

export const isQuestion = (verdict: ReportVerdict): verdict is ReportQuestion =>
  verdict._tag === "Ask"

/** Decides what becomes of a report by what is known of what it names (decision 0101). */
export const decide = (
  report: PspReport,
  answer: ReportAnswer,
  now: DateTime.Utc
): ReportVerdict => {
  switch (answer._tag) {
    case "Due":
      return { _tag: "Ask" }
    case "Unserved":
      return end(report, "not_found", now)
    case "Payment":
      return answer.outcome._tag === "Done" && isNamed(report, answer.outcome.value)
        ? byPayment(report, answer.outcome.value, answer.known, now)
        : wait(report, now)
    case "Infraction":
      return answer.outcome._tag === "Done"
        ? byInfraction(report, answer.outcome.value, answer, now)
        : wait(report, now)
  }
}

/** Decides where the PSP is not configured any more: it is asked when it is back. */
export const withoutPsp = (report: PspReport, now: DateTime.Utc): ReportConclusion =>
  wait(report, now)

/** An answer about another payment is none. */
const isNamed = ({ name }: PspReport, payment: PspReceived | undefined): boolean =>
  payment === undefined || payment.endToEndId === name

const byPayment = (
  before: PspReport,
  payment: PspReceived | undefined,
  { accepted = new Set(), booked, charge, isUntold = false, returns }: Known,
  now: DateTime.Utc
): ReportConclusion => {
  const report = letGo(before)
  if (payment === undefined) return untilShown(before, now)
  if (booked === undefined && charge !== undefined) {
    const waiting = waits(before, now)
    // Where the charge itself was not asked about, by a PSP that was away or by nobody, it has a day from when the payment shows.
    const isHidden =
      charge.isShown === false ||
      (charge.isShown === undefined && isOver(waiting.waitsSince ?? now, now))
    return isHidden && isOverdue(report, now)
      ? { ...takenIn(report, payment, now), charge }
      : { ...wait(waiting, now), charge }
  }
  if (booked === undefined) return takenIn(report, payment, now)
  // Only what the payer has is gone. What is under way may still be refused.
  const money = payment.returns.find(
    ({ reference, status }) => status === "confirmed" && !returns.has(reference)
  )
  if (money !== undefined) {
    // Which of them bears it is not guessed while the PSP may still say so.
    const waiting = waits(before, now)
    return isUntold && !isOver(waiting.waitsSince ?? now, now)
      ? wait(waiting, now)
      : { _tag: "Returned", report, receiver: booked, money, accepted }
  }
  const isUnderWay = payment.returns.some(
    ({ reference, status }) => status === "processing" && !returns.has(reference)
  )
  if (isUnderWay) return wait(report, now)
  return end(report, report.status === "unidentified" ? report.status : "matched", now)
}

const byInfraction = (
  before: PspReport,
  infraction: PspInfraction | undefined,
  { block, isUnlisted = false, receiver }: Extract<ReportAnswer, { readonly _tag: "Infraction" }>,
  now: DateTime.Utc
): ReportConclusion => {
  // What it is about may be told of later than the infraction.
  if (infraction === undefined) return untilShown(before, now)
  if (receiver === undefined) {
    const waiting = untilShown(before, now)
    return { ...waiting, report: lastSaid(waiting.report, infraction) }
  }
  const report = recorded(before, infraction, now)
  const isUndecided =
    block === undefined || block.status === "awaiting_response" || block.status === "defended"
  const isHeldUp = isUndecided && block?.isBeside === true
  const later = waitingSince(report.updatedAt, now, blockedByOthers)
  const stillOpen = isUnlisted && isUndecided ? DateTime.addDuration(now, askedAgain) : undefined
  const recordedAs = (
    to: Extract<ReportConclusion, { readonly _tag: "Recorded" }>["to"],
    isForPerson: boolean,
    again?: DateTime.Utc
  ) => ({ _tag: "Recorded" as const, report, receiver, infraction, to, isForPerson, again })
  switch (infraction.status) {
    case "open":
      // What another block claims is to be claimed by this one as soon as that ends.
      return recordedAs(
        isUndecided ? "block" : "none",
        true,
        block === undefined ? later : stillOpen
      )
    case "accepted":
      // The block ends when the PSP shows that it has given the money back. One that does not is told to a person.
      if (isUndecided && !isOverdue(report, now))
        return recordedAs("return", false, waitingSince(report.updatedAt, now))
      if (isHeldUp) return recordedAs("none", false, later)
      // It had a day to show the rest, unless it could not be asked for that: who answers for the report is told then.
      if (isUndecided && block !== undefined && block.gone > 0n)
        return block.rest === "shown" || block.rest === "untold"
          ? recordedAs("return", block.rest === "untold", later)
          : recordedAs("release", false)
      return recordedAs(isUndecided ? "block" : "none", block?.status !== "approved")
    case "rejected":
    case "cancelled":
      if (isHeldUp) return recordedAs("none", false, later)
      return recordedAs(block !== undefined && isUndecided ? "release" : "none", false)
  }
}

/** Whether what a PSP names, or is asked for about it, had its time to show. */
export const isOverdue = ({ updatedAt }: PspReport, now: DateTime.Utc): boolean =>
  isOver(updatedAt, now)

const isOver = (since: DateTime.Utc, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, DateTime.addDuration(since, showsWithin))

/** What is told of anew has its time, too, however long it has been known. */
const untilShown = (before: PspReport, now: DateTime.Utc): ReportConclusion => {
  const report = before.status === "reported" ? before : waits(before, now)
  return isOver(report.waitsSince ?? report.updatedAt, now)
    ? end(report, "not_found", now)
    : wait(report, now)
}

const wait = (report: PspReport, now: DateTime.Utc) => ({
  _tag: "Waiting" as const,
  report,
  again: waitingSince(report.waitsSince ?? report.updatedAt, now)
})

const takenIn = (report: PspReport, payment: PspReceived, now: DateTime.Utc) => ({
  _tag: "Unidentified" as const,
  report: ended(report, "unidentified", now),
  payment
})

const end = (report: PspReport, status: PspReport["status"], now: DateTime.Utc) => ({
  _tag: "Ended" as const,
  report: ended(letGo(report), status, now)
})
