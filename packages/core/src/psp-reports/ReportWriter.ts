import { DateTime, Effect } from "effect"
import { DepositKind } from "../charges/Charge.ts"
import type { Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { evidenceOf, recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import { endOrRetry } from "../jobs/JobSteps.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import type { Block } from "../blocks/Block.ts"
import { owed } from "../blocks/Block.ts"
import type { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import type { ChargeId, DepositId, LedgerTxId, PspReturnId, ReturnId, Uuid } from "../kernel/Ids.ts"
import { toBrlString } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Concluding } from "../reconciliation/Reconciler.ts"
import { ReturnKind } from "../returns/Return.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import * as Kind from "../units/Kind.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import type { JobWrite, NewUnit } from "../units/Unit.ts"
import type { PspReport } from "./PspReport.ts"
import { PspReportKind } from "./PspReport.ts"
import { borne, left, newPspReturn, PspReturnKind, pspReturnKey, resolve } from "./PspReturn.ts"
import type { PspReports } from "./PspReports.ts"
import type { ReportConclusion } from "./ReportVerdict.ts"
import { unidentified } from "./UnidentifiedPayment.ts"

export type LoadedReport = Kind.Versioned<PspReport>

type Recorded = Extract<ReportConclusion, { readonly _tag: "Recorded" }>
type Returned = Extract<ReportConclusion, { readonly _tag: "Returned" }>

/** Writes what a look at a report concluded, in one commit with its job. */
export const writing = (services: Writing) => {
  const { commit } = services
  const takeIn = takingIn(services)
  const giveUp = givingUp(services)
  const recordInfraction = recording(services)

  return (
    loaded: LoadedReport,
    conclusion: ReportConclusion,
    { look: { job, now: at } }: Concluding
  ): Effect.Effect<Progress, Refused | StorageError> => {
    const { report } = conclusion
    const unit = { at, ...changeOf(loaded, report) }
    switch (conclusion._tag) {
      case "Waiting":
      case "Ended": {
        const jobs = [endOrRetry(job, conclusion.again), ...lookAt(conclusion, at)]
        return Effect.as(commit({ ...unit, jobs }), "finished")
      }
      case "Unidentified":
        return takeIn(unit, conclusion)
      case "Returned":
        return giveUp(unit, conclusion)
      case "Recorded":
        return recordInfraction(unit, conclusion, job)
    }
  }
}

/** What a writer of reports works with. */
interface Writing extends Recording {
  readonly blocks: InfractionBlocks["Service"]
  readonly reports: PspReports["Service"]
}

/** Does what follows from an infraction, which may be done twice, and only then notes it. */
const recording = ({ blocks, reports, ...record }: Writing) => {
  const follow = Effect.fnUntraced(function* ({
    claim,
    infraction,
    receiver,
    report: { pspCredentialId: psp },
    to
  }: Recorded) {
    const known = yield* blocks.find(psp, infraction.id)
    if (to === "release" && known !== undefined)
      return yield* blocks.release(known, `The infraction was ${infraction.status}.`)
    if ((to !== "block" && to !== "return") || receiver.sourceType !== "charge") return
    const block = yield* blocks.open(receiver.source as ChargeId, { ...infraction, amount: claim })
    if (block?.status === "awaiting_response" && infraction.isAnswered === true)
      yield* blocks.defended(block)
    if (to === "return")
      yield* reports.take(psp, { _tag: "Payment", endToEndId: receiver.endToEndId })
  })

  return Effect.fnUntraced(function* (unit: NewUnit, conclusion: Recorded, job: Claimed) {
    const { again, infraction, isForPerson, receiver, report } = conclusion
    const { account, amount, endToEndId, source: id, sourceType, wallet } = receiver
    yield* follow(conclusion)
    const ending = { ...unit, jobs: [endOrRetry(job, again)] }
    if (!isForPerson) return yield* Effect.as(record.commit(ending), "finished" as const)
    const contradiction = {
      subject: { id, account, wallet },
      subjectType: sourceType,
      reason: "infraction_reported",
      booked: { status: "received", amount, endToEndId },
      ...evidenceOf(infraction, inEvidence)
    } as const
    const isNews = yield* recordOnce(record, contradiction, ending)
    if (isNews) yield* tellInfraction(report, id)
    return "finished" as const
  })
}

const tellInfraction = ({ pspCredentialId: psp }: PspReport, payment: Uuid) =>
  Effect.logError("Fraud was reported about a payment; the PSP may give it back.").pipe(
    Effect.annotateLogs({ psp, payment })
  )

/** Money that no charge asked for goes into suspense. */
const takingIn = ({ commit, ids }: Recording) =>
  Effect.fnUntraced(function* (
    unit: NewUnit,
    { payment, report }: Extract<ReportConclusion, { readonly _tag: "Unidentified" }>
  ) {
    const made = unidentified(
      report.pspCredentialId,
      payment,
      {
        deposit: yield* ids.next<DepositId>(),
        money: yield* ids.next<ReturnId>(),
        ledger: yield* ids.next<LedgerTxId>()
      },
      unit.at
    )
    const { account, id, review } = made.money
    yield* commit({
      ...unit,
      inserts: [DepositKind.row(made.deposit), ReturnKind.row(made.money)],
      ledger: [made.ledger],
      keys: [{ space: "e2e", key: payment.endToEndId, holder: made.deposit.id }],
      jobs: reviewJobs(undefined, { id, account, since: review?.since })
    }).pipe(asBooked(report.id))
    yield* Effect.logError(
      "A payment that no charge asked for is in suspense; a person has to look at it."
    ).pipe(
      Effect.annotateLogs({
        psp: report.pspCredentialId,
        return: id,
        amount: toBrlString(payment.amount)
      })
    )
    return "more" as const
  })

/** Money that the PSP gave back by itself is missing in suspense, unless the block of its infraction bears it. */
const givingUp = ({ blocks, commit, ids }: Writing) => {
  const book = Effect.fnUntraced(function* (
    unit: NewUnit,
    { money: known, receiver, report }: Returned,
    block: Kind.Versioned<Block> | undefined
  ) {
    // Nothing comes to a closed wallet any more; the block knows whose money is claimed in its place.
    const bearer = block && {
      wallet: block.value.wallet,
      ...present({ subAccount: block.value.subAccount })
    }
    const { subAccount: _, ...payment } = receiver
    const money = newPspReturn(
      yield* ids.next<PspReturnId>(),
      bearer === undefined ? receiver : { ...payment, ...bearer },
      known
    )
    const booked = {
      ...unit,
      ledger: [left(money, yield* ids.next<LedgerTxId>())],
      keys: [{ ...pspReturnKey(money), holder: money.id }]
    }
    if (block !== undefined) {
      const charged = resolve(money, "charged", {
        reason: "The balance block of its infraction bears it.",
        at: unit.at
      })
      const borneBy = yield* ids.next<LedgerTxId>()
      yield* blocks
        .bear(block, money.amount, {
          ...booked,
          inserts: [PspReturnKind.row(charged)],
          ledger: [...booked.ledger, borne(charged, borneBy)]
        })
        .pipe(asBooked(report.id))
      return undefined
    }
    const { account, createdAt: since, id } = money
    const jobs = reviewJobs(undefined, { id, account, since })
    yield* commit({ ...booked, inserts: [PspReturnKind.row(money)], jobs }).pipe(
      asBooked(report.id)
    )
    return money
  })

  return Effect.fnUntraced(function* (unit: NewUnit, conclusion: Returned) {
    const { source, sourceType } = conclusion.receiver
    const claimed = sourceType === "charge" ? yield* blocks.openOf(source as ChargeId) : undefined
    // No word of a PSP takes more of a wallet than was claimed of it: that is a person's.
    const isClaimed = claimed !== undefined && conclusion.money.amount <= owed(claimed.value)
    const block = isClaimed ? claimed : undefined
    const money = yield* Effect.catchTag(book(unit, conclusion, block), "InsufficientFunds", () =>
      book(unit, conclusion, undefined)
    )
    if (money !== undefined)
      yield* Effect.logError(
        "A PSP gave a payment back by itself; a person has to say who bears it."
      ).pipe(
        Effect.annotateLogs({
          psp: money.pspCredentialId,
          pspReturn: money.id,
          source: money.source
        })
      )
    return "more" as const
  })
}

/** Somebody else has booked it meanwhile, which another look tells. */
const asBooked =
  (id: Uuid) =>
  <A>(commit: Effect.Effect<A, Refused | StorageError>) =>
    Effect.catchIf(commit, isBooked, () => new StaleVersion({ id }))

const isBooked = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey"

const changeOf = (loaded: LoadedReport, next: PspReport): Pick<NewUnit, "updates"> =>
  next === loaded.value ? {} : { updates: [Kind.update(PspReportKind, loaded, next)] }

/** The charge that a payment names is asked about. */
const lookAt = (
  { charge }: Extract<ReportConclusion, { readonly _tag: "Waiting" | "Ended" }>,
  due: DateTime.Utc
): ReadonlyArray<JobWrite> =>
  charge === undefined
    ? []
    : [{ _tag: "Schedule", queue: "inbox", id: charge.id, group: charge.account, due }]

const inEvidence = {
  compared: ["id", "endToEndId", "status", "amount"],
  shown: ["reportedAt", "reason"]
} as const
