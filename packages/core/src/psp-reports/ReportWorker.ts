import { Context, Duration, Effect, Layer } from "effect"
import { gone, isOpen } from "../blocks/Block.ts"
import { workOff } from "../jobs/JobSteps.ts"
import type { ChargeId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { Secrets } from "../ports/Secrets.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { ReconcilingWorker, Reconcilable } from "../reconciliation/Reconciler.ts"
import { pspWorker, reconciler } from "../reconciliation/Reconciler.ts"
import { Storage } from "../storage/Storage.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"
import { Ids } from "../time/Ids.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { StorageError } from "../units/Refused.ts"
import { comparingBalances } from "./BalanceComparer.ts"
import { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import { sendingDefences } from "./DefenceSender.ts"
import { acceptedOf, chargeAsked, restOf } from "./FurtherQuestions.ts"
import { infractionLooks, lookingForInfractions } from "./InfractionLooks.ts"
import { comparison } from "./PaymentComparison.ts"
import { comparingPayments } from "./PaymentComparer.ts"
import { beginLooks } from "./PspLooks.ts"
import type { PspReport } from "./PspReport.ts"
import * as Kind from "../units/Kind.ts"
import { PspReportKind } from "./PspReport.ts"
import { PspReports } from "./PspReports.ts"
import type { ReportReads } from "./ReportReads.ts"
import { makeReads } from "./ReportReads.ts"
import type { LoadedReport } from "./ReportWriter.ts"
import { writing } from "./ReportWriter.ts"
import type { ReportAnswer, ReportConclusion, ReportQuestion } from "./ReportVerdict.ts"
import { decide, isOverdue, isQuestion, withoutPsp } from "./ReportVerdict.ts"

/** Looks that are in line already cost one small read each. */
const beginAgain = "15 minutes"

/**
 * Asks PSPs about what they name by ids that are none of ours: payments that no charge asked for reach suspense, and so does
 * what a PSP gave back by itself; infractions reach the operator's line.
 */
export class ReportWorker extends Context.Service<
  ReportWorker,
  ReconcilingWorker & {
    /** Puts the PSPs in line whose payments can be compared, and whose infractions are listed. `start` does so too. */
    readonly begin: Effect.Effect<void>
  }
>()("@pagora/core/psp-reports/ReportWorker") {
  static readonly layer: Layer.Layer<
    ReportWorker,
    never,
    Storage | PspDirectory | PspReports | InfractionBlocks | Ids | ServiceTime | Secrets
  > = Layer.effect(
    ReportWorker,
    Effect.gen(function* () {
      const storage = yield* Storage
      const services = { storage, time: yield* ServiceTime }
      const reads = makeReads(storage)
      const reconcile = yield* reconciler(yield* reconcilableReport(reads))
      const directory = yield* PspDirectory
      const reports = yield* PspReports
      const compare = comparingPayments({
        ...services,
        directory,
        reports,
        reads,
        balances: comparingBalances({ ...services, directory })
      })
      const look = lookingForInfractions({ ...services, directory, reports })
      const defend = sendingDefences({ ...services, directory })
      const worker = yield* pspWorker({
        queues: ["report", "comparison", "infraction"],
        work: (job) => {
          switch (job.queue) {
            case "comparison":
              return workOff("comparison of payments", job, compare)
            case "infraction":
              return directory.all.some((id) => id === job.id)
                ? workOff("look at infractions", job, look)
                : workOff("answer to an infraction", job, defend)
            default:
              return reconcile(job)
          }
        }
      })
      const begin = Effect.andThen(
        beginLooks({ ...services, directory }, "comparison", ["listPayments", "balance"], {
          after: comparison.every,
          every: comparison.every
        }),
        beginLooks({ ...services, directory }, "infraction", ["listInfractions"], {
          after: Duration.zero,
          every: infractionLooks.every
        })
      )
      // A process that does not know a PSP, such as one of a version before, ends its looks for all.
      const again = Effect.forever(Effect.andThen(Effect.sleep(beginAgain), begin))
      const start = Effect.andThen(
        begin,
        Effect.andThen(Effect.forkScoped(underGuard(again)), worker.start)
      )
      return { ...worker, begin, start, reconcile }
    })
  )
}

type ReconcilableReport = Reconcilable<LoadedReport, ReportAnswer, ReportQuestion, ReportConclusion>

const reconcilableReport = Effect.fnUntraced(function* (reads: ReportReads) {
  const storage = yield* Storage
  const ids = yield* Ids
  const blocks = yield* InfractionBlocks
  const time = yield* ServiceTime
  const commit = writing({
    ids,
    secrets: yield* Secrets,
    storage,
    commit: storage.commit,
    blocks,
    reports: yield* PspReports
  })
  const reconcilable: ReconcilableReport = {
    what: "report of a PSP",
    load: (job) => storage.find(PspReportKind, job.id),
    pspOf: ({ value }) => value.pspCredentialId,
    expectation: (report) => Kind.expectation(PspReportKind, report),
    isWatched: () => false,
    decide: ({ value }, answer, { now }) => decide(value, answer, now),
    withoutPsp: ({ value }, { now }) => withoutPsp(value, now),
    isQuestion,
    ask: (loaded, _, psp) =>
      Effect.map(
        ask({ reads, blocks, time }, loaded.value, psp),
        (answer) => [loaded, answer] as const
      ),
    commit
  }
  return reconcilable
})

const unserved: ReportAnswer = { _tag: "Unserved" }

interface Asking {
  readonly reads: ReportReads
  readonly blocks: InfractionBlocks["Service"]
  readonly time: ServiceTime["Service"]
}

const ask = (
  asking: Asking,
  report: PspReport,
  psp: PspShape
): Effect.Effect<ReportAnswer, StorageError> => {
  switch (report.subject) {
    case "payment":
      return psp.findPayment === undefined
        ? Effect.succeed(unserved)
        : aboutPayment(asking, report, psp, callPsp("findPayment", psp.findPayment(report.name)))
    case "infraction": {
      const find = psp.findInfraction?.bind(psp)
      return find === undefined
        ? Effect.succeed(unserved)
        : aboutInfraction(
            asking,
            report,
            psp,
            Effect.flatMap(asking.time.now, (now) =>
              callPsp("findInfraction", find(report.name, now))
            )
          )
    }
  }
}

type Asked<Name extends "findPayment" | "findInfraction"> = ReturnType<NonNullable<PspShape[Name]>>

const aboutPayment = Effect.fnUntraced(function* (
  { blocks, reads, time }: Asking,
  report: PspReport,
  psp: PspShape,
  asked: Asked<"findPayment">
): Effect.fn.Return<ReportAnswer, StorageError> {
  const outcome = yield* asked
  const payment = outcome._tag === "Done" ? outcome.value : undefined
  const known =
    payment === undefined
      ? { returns: new Set<string>() }
      : yield* chargeAsked(yield* reads.knownOf(report, payment), {
          psp,
          payment,
          isLast: isOverdue(report, yield* time.now)
        })
  const accepted =
    known.booked?.sourceType === "charge" && payment?.returns.length !== 0
      ? yield* acceptedOf({ blocks, time }, psp, known.booked.source as ChargeId)
      : undefined
  if (accepted === undefined) return { _tag: "Payment", outcome, known }
  return { _tag: "Payment", outcome, known: { ...known, ...accepted } }
})

const aboutInfraction = Effect.fnUntraced(function* (
  { blocks, reads, time }: Asking,
  report: PspReport,
  psp: PspShape,
  asked: Asked<"findInfraction">
): Effect.fn.Return<ReportAnswer, StorageError> {
  const { name, pspCredentialId } = report
  const outcome = yield* asked
  const infraction = outcome._tag === "Done" ? outcome.value : undefined
  const receiver =
    infraction === undefined ? undefined : yield* reads.receiverOf(infraction.endToEndId)
  // A PSP has no say about what another has received.
  const isHere = receiver?.pspCredentialId === pspCredentialId
  const block = yield* blocks.find(pspCredentialId, name)
  const claims = block && (yield* blocks.claimsOn(block.charge))
  const isBeside = (claims?.charge.value.undecidedReturns ?? []).length > 0
  const isLast =
    block !== undefined &&
    isOpen(block) &&
    infraction?.status === "accepted" &&
    isOverdue(report, yield* time.now)
  return {
    _tag: "Infraction",
    outcome,
    receiver: isHere ? receiver : undefined,
    isUnlisted: psp.listInfractions === undefined,
    ...present({
      block: block && {
        status: block.status,
        gone: gone(block),
        isBeside,
        ...(isLast && { rest: yield* restOf(reads, psp, block) })
      }
    })
  }
})
