import { DateTime, Effect } from "effect"
import { DepositKind } from "../charges/Charge.ts"
import type { Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { evidenceOf, recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import { endOrRetry, finish } from "../jobs/JobSteps.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import type { DepositId, LedgerTxId, PspReturnId, ReturnId, Uuid } from "../kernel/Ids.ts"
import { toBrlString } from "../kernel/Money.ts"
import type { Concluding } from "../reconciliation/Reconciler.ts"
import { ReturnKind } from "../returns/Return.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import * as Kind from "../units/Kind.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import type { JobWrite, NewUnit } from "../units/Unit.ts"
import type { PspReport } from "./PspReport.ts"
import { PspReportKind } from "./PspReport.ts"
import { left, newPspReturn, PspReturnKind, pspReturnKey } from "./PspReturn.ts"
import type { ReportConclusion } from "./ReportVerdict.ts"
import { unidentified } from "./UnidentifiedPayment.ts"

export type LoadedReport = Kind.Versioned<PspReport>

/** Writes what a look at a report concluded, in one commit with its job. */
export const writing = (recording: Recording) => {
  const { commit } = recording
  const takeIn = takingIn(recording)
  const giveUp = givingUp(recording)

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
      case "Recorded": {
        const { infraction, receiver } = conclusion
        const { account, amount, endToEndId, source: id, sourceType, wallet } = receiver
        const contradiction = {
          subject: { id, account, wallet },
          subjectType: sourceType,
          reason: "infraction_reported",
          booked: { status: "received", amount, endToEndId },
          ...evidenceOf(infraction, inEvidence)
        } as const
        return recordOnce(recording, contradiction, { ...unit, jobs: [finish(job)] }).pipe(
          Effect.tap((isNews) => (isNews ? tellInfraction(report, id) : Effect.void)),
          Effect.as("finished")
        )
      }
    }
  }
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

/** Money that the PSP gave back by itself is missing in suspense. */
const givingUp = ({ commit, ids }: Recording) =>
  Effect.fnUntraced(function* (
    unit: NewUnit,
    { money: known, receiver, report }: Extract<ReportConclusion, { readonly _tag: "Returned" }>
  ) {
    const money = newPspReturn(yield* ids.next<PspReturnId>(), receiver, known)
    const { account, createdAt: since, id } = money
    yield* commit({
      ...unit,
      inserts: [PspReturnKind.row(money)],
      ledger: [left(money, yield* ids.next<LedgerTxId>())],
      keys: [{ ...pspReturnKey(money), holder: id }],
      jobs: reviewJobs(undefined, { id, account, since })
    }).pipe(asBooked(report.id))
    yield* Effect.logError(
      "A PSP gave a payment back by itself; a person has to say who bears it."
    ).pipe(Effect.annotateLogs({ psp: money.pspCredentialId, pspReturn: id, source: money.source }))
    return "more" as const
  })

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
