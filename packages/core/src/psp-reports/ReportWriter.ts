import { DateTime, Effect } from "effect"
import { DepositKind } from "../charges/Charge.ts"
import type { Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { evidenceOf, recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import { endOrRetry } from "../jobs/JobSteps.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import type { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import type { ChargeId, DepositId, LedgerTxId, ReturnId, Uuid } from "../kernel/Ids.ts"
import { toBrlString } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Concluding } from "../reconciliation/Reconciler.ts"
import { ReturnKind } from "../returns/Return.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import type { Storage } from "../storage/Storage.ts"
import * as Kind from "../units/Kind.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import type { JobWrite, NewUnit } from "../units/Unit.ts"
import type { PspReport } from "./PspReport.ts"
import { PspReportKind } from "./PspReport.ts"
import type { PspReports } from "./PspReports.ts"
import type { ReportConclusion } from "./ReportVerdict.ts"
import { asBooked, givingUp } from "./ReturnBooker.ts"
import { unidentified } from "./UnidentifiedPayment.ts"

export type LoadedReport = Kind.Versioned<PspReport>

type Recorded = Extract<ReportConclusion, { readonly _tag: "Recorded" }>

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
      case "Waiting": {
        const jobs = [endOrRetry(job, conclusion.again), ...lookAt(conclusion, at)]
        return Effect.as(commit({ ...unit, jobs }), "finished")
      }
      case "Ended":
        return Effect.as(commit({ ...unit, jobs: [endOrRetry(job, undefined)] }), "finished")
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
  readonly storage: Storage["Service"]
  readonly blocks: InfractionBlocks["Service"]
  readonly reports: PspReports["Service"]
}

/** Does what follows from an infraction, which may be done twice, and only then notes it. */
const recording = ({ blocks, reports, storage: _, ...record }: Writing) => {
  const follow = Effect.fnUntraced(function* ({
    infraction,
    receiver,
    report: { pspCredentialId: psp },
    to
  }: Recorded) {
    const known = yield* blocks.find(psp, infraction.id)
    if (to === "release" && known !== undefined)
      return yield* blocks.release(known, `The infraction was ${infraction.status}.`)
    if ((to !== "block" && to !== "return") || receiver.sourceType !== "charge") return
    const block = yield* blocks.open(receiver.source as ChargeId, infraction)
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

/** Money that no charge asked for, or shows, goes into suspense. */
const takingIn = ({ commit, ids }: Recording) =>
  Effect.fnUntraced(function* (
    unit: NewUnit,
    { charge, payment, report }: Extract<ReportConclusion, { readonly _tag: "Unidentified" }>
  ) {
    const made = unidentified(
      report.pspCredentialId,
      { ...payment, ...present({ charge: charge?.id }) },
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

const changeOf = (loaded: LoadedReport, next: PspReport): Pick<NewUnit, "updates" | "expects"> =>
  next === loaded.value
    ? { expects: [Kind.expectation(PspReportKind, loaded)] }
    : { updates: [Kind.update(PspReportKind, loaded, next)] }

/** The charge that a payment names is asked about. */
const lookAt = (
  { charge }: Extract<ReportConclusion, { readonly _tag: "Waiting" }>,
  due: DateTime.Utc
): ReadonlyArray<JobWrite> =>
  charge === undefined
    ? []
    : [{ _tag: "Schedule", queue: "inbox", id: charge.id, group: charge.account, due }]

const inEvidence = {
  compared: ["id", "endToEndId", "status", "amount"],
  shown: ["reportedAt", "reason"]
} as const
