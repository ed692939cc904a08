import { DateTime, Effect } from "effect"
import { present } from "../kernel/Present.ts"
import type { Charge } from "../charges/Charge.ts"
import { ChargeKind } from "../charges/Charge.ts"
import { finish, retry } from "../jobs/JobSteps.ts"
import type { LedgerTxId, PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { waitingSince } from "../kernel/Waiting.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { PspDirectory, PspReceived, PspShape } from "../ports/Psp.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { Storage } from "../storage/Storage.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import * as Kind from "../units/Kind.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import type { JobWrite } from "../units/Unit.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import type { Period } from "./PaymentComparison.ts"
import {
  comparison,
  nextComparison,
  nextPeriod,
  PaymentComparison,
  PaymentComparisonKind
} from "./PaymentComparison.ts"
import type { PspReports } from "./PspReports.ts"
import type { ReportReads } from "./ReportReads.ts"

interface Comparing {
  readonly directory: PspDirectory["Service"]
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
  readonly reads: ReportReads
  readonly reports: PspReports["Service"]
  /** Holds what the PSP has there against the ledger. */
  readonly balances: (id: PspCredentialId, psp: PspShape) => Effect.Effect<void, StorageError>
}

/** How many entries of the ledger are read at once. */
const pageSize = 500
/** How many payments of a list are looked up at once. */
const atOnce = 64
/** A list that has so many pages does not end. */
const pagesMax = 10_000

/** A PSP would not tell all of a period. */
interface Untold {
  readonly _tag: "Untold"
  readonly outcome: string
}

/**
 * Holds what a PSP says it has received in a period against what is booked, both ways: what it shows and is not booked is
 * reported, and a charge that is booked and not shown is asked about, which records what contradicts it. Nothing is booked
 * here.
 */
export const comparingPayments = (services: Comparing) => {
  const { directory, storage, time } = services

  const write = Effect.fnUntraced(function* (
    job: JobWrite,
    updates:
      | { readonly from: Kind.Versioned<PaymentComparison> | undefined; readonly period: Period }
      | undefined,
    id: PspCredentialId
  ) {
    const unit = { at: yield* time.now, jobs: [job] }
    if (updates === undefined) return yield* storage.commit(unit)
    const next = new PaymentComparison({ id, through: updates.period.to })
    return yield* storage.commit(
      updates.from === undefined
        ? { ...unit, inserts: [PaymentComparisonKind.row(next)] }
        : { ...unit, updates: [Kind.update(PaymentComparisonKind, updates.from, next)] }
    )
  })

  return Effect.fnUntraced(function* (
    job: Claimed
  ): Effect.fn.Return<"finished", Refused | StorageError> {
    const id = job.id as Uuid as PspCredentialId
    const psp = directory.find(id)
    if (psp !== undefined) yield* services.balances(id, psp)
    const list = psp?.listPayments?.bind(psp)
    if (list === undefined) {
      const due = DateTime.addDuration(yield* time.now, comparison.every)
      // One that is not there any more, or tells nothing, is begun anew at the next start where that has changed.
      const next = psp?.balance === undefined ? finish(job) : retry(job, due)
      yield* write(next, undefined, id)
      return "finished"
    }
    const before = yield* storage.find(PaymentComparisonKind, id)
    const now = yield* time.now
    const period = nextPeriod(before?.value, now)
    const untold = yield* compare(services, id, list, period)
    if (untold === undefined) {
      yield* write(retry(job, nextComparison(period, now)), { from: before, period }, id)
      return "finished"
    }
    yield* Effect.logWarning("A PSP does not tell what it has received; it is asked again.").pipe(
      Effect.annotateLogs({ psp: id, outcome: untold.outcome })
    )
    const since = before?.value.through ?? period.from
    yield* write(retry(job, waitingSince(since, now)), undefined, id)
    return "finished"
  })
}

const compare = Effect.fnUntraced(function* (
  services: Comparing,
  id: PspCredentialId,
  list: NonNullable<PspShape["listPayments"]>,
  period: Period
): Effect.fn.Return<Untold | undefined, StorageError> {
  const shown = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < pagesMax; pages++) {
    const outcome = yield* callPsp("listPayments", list({ ...period, ...present({ cursor }) }))
    if (outcome._tag !== "Done") return { _tag: "Untold", outcome: outcome._tag }
    const { payments } = outcome.value
    for (const { endToEndId } of payments) shown.add(endToEndId)
    yield* Effect.forEach(payments, (payment) => reportNews(services, id, payment), {
      concurrency: atOnce,
      discard: true
    })
    cursor = outcome.value.next
    if (cursor === undefined) {
      yield* askForHidden(services, id, period, shown)
      return undefined
    }
  }
  return { _tag: "Untold", outcome: "a list without an end" }
})

const reportNews = Effect.fnUntraced(function* (
  { reads, reports }: Comparing,
  psp: PspCredentialId,
  payment: PspReceived
) {
  const { endToEndId } = payment
  if (yield* isNews(reads, psp, payment)) yield* reports.take(psp, { _tag: "Payment", endToEndId })
})

/** Whether it is not booked, or has come back in a way that has not been looked at. */
const isNews = Effect.fnUntraced(function* (
  reads: ReportReads,
  psp: PspCredentialId,
  payment: PspReceived
): Effect.fn.Return<boolean, StorageError> {
  const receiver = yield* reads.receiverOf(payment.endToEndId)
  if (receiver === undefined) return true
  // It is another PSP's.
  if (receiver.pspCredentialId !== psp) return false
  const known = yield* reads.returnsOf(psp, payment)
  return payment.returns.some(
    ({ reference, status }) => status !== "rejected" && !known.has(reference)
  )
})

/** Charges that are booked as paid in the period, and whose payments the PSP does not show, are asked about. */
const askForHidden = Effect.fnUntraced(function* (
  { storage, time }: Comparing,
  psp: PspCredentialId,
  { from, to }: Period,
  shown: ReadonlySet<string>
): Effect.fn.Return<void, StorageError> {
  const { first } = idsAt(from)
  let after: LedgerTxId | undefined
  do {
    const txs = yield* storage.movements({
      kinds: ["payment"],
      order: "asc",
      limit: pageSize,
      first,
      ...present({ after })
    })
    const charges = yield* storage.findMany(
      ChargeKind,
      txs.map(({ source }) => source)
    )
    const now = yield* time.now
    const hidden = charges
      .map(({ value }) => value)
      .filter((charge) => isHidden(charge, { psp, from, to, shown }))
    for (const { account: group, id } of hidden) {
      yield* storage
        .commit({
          at: now,
          jobs: [{ _tag: "Schedule", queue: "inbox", id, group, due: now }]
        })
        .pipe(refusedFor())
    }
    after = txs.length < pageSize ? undefined : txs.at(-1)?.id
  } while (after !== undefined)
})

const isHidden = (
  { e2eId, paidAt, pspCredentialId }: Charge,
  {
    from,
    psp,
    shown,
    to
  }: Period & { readonly psp: PspCredentialId; readonly shown: ReadonlySet<string> }
): boolean =>
  pspCredentialId === psp &&
  e2eId !== undefined &&
  paidAt !== undefined &&
  DateTime.isGreaterThanOrEqualTo(paidAt, from) &&
  DateTime.isLessThan(paidAt, to) &&
  !shown.has(e2eId)
