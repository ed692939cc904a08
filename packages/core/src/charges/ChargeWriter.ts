import { Context, DateTime, Effect, Layer } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { expectationsOf } from "../accounts/ActingWallet.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import type { AccountId, ChargeId, DepositId, LedgerTxId, ReturnId } from "../kernel/Ids.ts"
import { zero } from "../kernel/Money.ts"
import { completed } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { Environment, PspPayment } from "../ports/Psp.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { findAllNamed, findNamed } from "../storage/FindNamed.ts"
import { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { JobWrite, Unit } from "../units/Unit.ts"
import { watchEnd } from "../reconciliation/LateLooks.ts"
import { begunReturn } from "../returns/ReturnJobs.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { publish } from "../webhooks/Publisher.ts"
import type { Progress } from "../jobs/JobSteps.ts"
import { endOrRetry } from "../jobs/JobSteps.ts"
import { answeredKeys } from "./CancelWish.ts"
import type { Charge } from "./Charge.ts"
import { ChargeKind, DepositKind, isWatched, withStray } from "./Charge.ts"
import { limitCounts } from "./ChargeLimits.ts"
import { claimedTwice, contradictionOf } from "./ChargeDiscrepancies.ts"
import { blockedDeposit, paymentCompleted, paymentExpired, paymentFailed } from "./ChargeEvents.ts"
import type { Rescheduled } from "./ChargeSchedule.ts"
import type { ChargeConclusion } from "./ChargeVerdict.ts"
import type { PaymentBooking } from "./PaymentBooking.ts"
import { bookPayment } from "./PaymentBooking.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

/** A charge with everything that decides about it, at the versions it was read. */
export interface LoadedCharge extends ActingWallet {
  readonly charge: Kind.Versioned<Charge>
  /** The sub-accounts that its split names, without its owner. */
  readonly destinations: ReadonlyArray<Kind.Versioned<SubAccount>>
}

/** A change of a charge, the event that reports it, and what becomes of the jobs. */
export interface ChargeChange extends Pick<
  Unit,
  "at" | "inserts" | "ledger" | "keys" | "idempotency" | "counters"
> {
  readonly charge: Charge
  readonly event: NewEvent | undefined
  readonly jobs: ReadonlyArray<JobWrite>
}

type Write<A = void> = Effect.Effect<A, Refused | StorageError>

/** What a conclusion is written by: the job of a look, or the request of somebody, who has none. */
export interface By {
  readonly job: Claimed | undefined
  readonly now: DateTime.Utc
  readonly environment: Environment
}

/** Reads charges and writes what was decided about them, each decision in one commit. */
export class ChargeWriter extends Context.Service<
  ChargeWriter,
  {
    /** Whoever knows, or supposes, whose it is has both read in one turn. */
    readonly load: (
      id: ChargeId,
      supposed?: AccountId
    ) => Effect.Effect<LoadedCharge | undefined, StorageError>
    /** Writes a change of a charge that nobody concluded from what its PSP says. */
    readonly change: (loaded: LoadedCharge, change: ChargeChange) => Write
    /**
     * Writes what a look concluded, with its job: for a payment in one commit state, fee, postings, event and deliveries,
     * and for a contradiction, once, its record.
     */
    readonly write: (loaded: LoadedCharge, conclusion: ChargeConclusion, by: By) => Write<Progress>
    /** Changes only jobs. */
    readonly jobs: (jobs: ReadonlyArray<JobWrite>) => Write
  }
>()("@pagora/core/charges/ChargeWriter") {
  static readonly layer: Layer.Layer<ChargeWriter, never, Storage | Ids | Secrets | ServiceTime> =
    Layer.effect(
      ChargeWriter,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime
        const { commit } = storage
        const recording = { ids, secrets: yield* Secrets, commit }
        return ChargeWriter.of({
          load: loader(storage),
          change: (loaded, change) => Effect.flatMap(unitOf(ids, loaded, change), commit),
          write: writing(recording, decider(storage, ids), holding(storage)),
          jobs: (jobs) => Effect.flatMap(time.now, (at) => commit({ at, jobs }))
        })
      })
    )
}

const unitOf = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  loaded: LoadedCharge,
  change: ChargeChange
) {
  const { charge, event, jobs, ...unit } = change
  const account = charge.account
  const events =
    event === undefined ? [] : (yield* publish(ids, { account, event, at: unit.at })).events
  const hasEnded = isWatched(charge) && charge.status !== loaded.charge.value.status
  return {
    ...unit,
    updates: [Kind.update(ChargeKind, loaded.charge, charge)],
    ...completed(answeredKeys(loaded.charge.value, charge, unit.at), charge.id, () =>
      ChargeKind.snapshot(charge)
    ),
    // What decides how its money moves. A destination that is closed meanwhile and its credit exclude each other.
    expects: [
      ...expectationsOf(loaded),
      ...loaded.destinations.map((owner) => Kind.expectation(SubAccountKind, owner))
    ],
    events,
    jobs: hasEnded ? [...jobs, watchEnd(charge)] : jobs
  }
})

type Concluded<Tag> = Extract<ChargeConclusion, { readonly _tag: Tag }>

/** Where a conclusion becomes a unit. */
const writing = (
  recording: Recording,
  decide: ReturnType<typeof decider>,
  holderOf: ReturnType<typeof holding>
): ChargeWriter["Service"]["write"] => {
  const { commit, ids } = recording
  const book = booking(recording, decide, holderOf)

  /** The change of a charge; where there is none, it must be as it was judged all the same. */
  const noted = (loaded: LoadedCharge, change: ChargeChange) =>
    change.charge === loaded.charge.value
      ? Effect.succeed({
          at: change.at,
          jobs: change.jobs,
          expects: [Kind.expectation(ChargeKind, loaded.charge)]
        })
      : unitOf(ids, loaded, change)

  return Effect.fnUntraced(function* (loaded, conclusion, by) {
    const { charge } = conclusion
    const { environment, now: at } = by
    switch (conclusion._tag) {
      case "Booked":
        return yield* book(loaded, conclusion, by)
      case "Ended": {
        const event = charge.status === "expired" ? paymentExpired(charge, environment) : undefined
        const jobs = endOf(conclusion, by)
        yield* Effect.flatMap(unitOf(ids, loaded, { at, charge, event, jobs }), commit)
        return "finished"
      }
      case "Waiting": {
        yield* logDoubt(conclusion)
        const jobs = [goOn(conclusion, by)]
        yield* Effect.flatMap(noted(loaded, { at, charge, event: undefined, jobs }), commit)
        return "finished"
      }
      case "Contradicted": {
        const jobs = [goOn(conclusion, by)]
        const unit = yield* noted(loaded, { at, charge, event: undefined, jobs })
        if (yield* recordOnce(recording, contradictionOf(conclusion), unit))
          yield* Effect.logError(
            "A PSP contradicts the payment of a charge; nothing was moved."
          ).pipe(Effect.annotateLogs({ charge: charge.id, reason: conclusion.reason }))
        return "finished"
      }
    }
  })
}

/** Has a charge looked at; in the queue `inbox`, as by a notice. */
export const lookAt = (
  { account: group, id }: Pick<Charge, "account" | "id">,
  due: DateTime.Utc,
  queue: "charge" | "inbox" = "charge"
): JobWrite => ({ _tag: "Schedule", queue, id, group, due })

/** The job of a charge that is looked at again, or not. A request leaves a look at the charge's deadline behind. */
const goOn = ({ again, charge }: Rescheduled, { job, now }: By): JobWrite =>
  job === undefined ? lookAt(charge, again ?? now) : endOrRetry(job, again)

/** The jobs of a charge that has come to its end: it needs no deadline any more either. */
const endOf = (next: Rescheduled, by: By): ReadonlyArray<JobWrite> => {
  const deadline: JobWrite = { _tag: "Cancel", queue: "charge", id: next.charge.id }
  if (by.job === undefined) return [deadline]
  return by.job.queue === "charge" ? [goOn(next, by)] : [goOn(next, by), deadline]
}

const logDoubt = ({ charge, doubt }: Concluded<"Waiting">): Effect.Effect<void> =>
  doubt === undefined
    ? Effect.void
    : Effect.logWarning("The state of a charge could not be learnt; the PSP is asked again.").pipe(
        Effect.annotateLogs({ charge: charge.id, psp: charge.pspCredentialId, outcome: doubt })
      )

/**
 * Books a payment: state, fee, postings, event and deliveries; and the end of the job where the charge comes to its end by
 * it. Money that was not what was asked for leaves a pending charge as open as it was.
 */
const booking = (
  recording: Recording,
  decide: ReturnType<typeof decider>,
  holderOf: ReturnType<typeof holding>
) => {
  const { commit, ids } = recording

  const disregard = Effect.fnUntraced(function* (
    loaded: LoadedCharge,
    payment: PspPayment,
    change: Pick<ChargeChange, "at" | "jobs">
  ) {
    const { value } = loaded.charge
    const charge = withStray(value, payment, change.at)
    const holder = yield* holderOf(payment)
    // Its PSP may have shown it there in the place of that charge's own (decision 0119).
    const asked = holder === undefined ? [] : [lookAt(holder.value, change.at, "inbox")]
    const jobs = [...change.jobs, ...asked]
    const unit = yield* unitOf(ids, loaded, { ...change, charge, jobs, event: undefined })
    yield* recordOnce(recording, claimedTwice(value, payment), unit)
    return { outcome: "KnownElsewhere", status: value.status }
  })

  return spannedFn("ChargeWriter.book")(function* (
    { charge: { version }, ...owners }: LoadedCharge,
    conclusion: Concluded<"Booked">,
    by: By
  ) {
    const { charge: value, isLast, payment } = conclusion
    const { environment, now: at } = by
    const loaded = { ...owners, charge: { value, version } }
    const booking = yield* decide(loaded, payment, at)
    const ending = isLast ? endOf(conclusion, by) : []
    const unlessPending = (status: Charge["status"]) => (status === "pending" ? [] : ending)
    const change = changeOf(booking, payment, environment, at)
    const unit = yield* unitOf(ids, loaded, {
      ...change,
      jobs: [...change.jobs, ...unlessPending(change.charge.status)],
      counters:
        booking._tag === "Completed" ? limitCounts(loaded.account.value, payment.amount, at) : []
    })
    const { outcome, status } = yield* commit(unit).pipe(
      Effect.as({ outcome: booking._tag, status: change.charge.status }),
      Effect.catchIf(isKnownElsewhere, () =>
        disregard(loaded, payment, { at, jobs: unlessPending(value.status) })
      )
    )
    yield* Effect.logInfo("A payment was looked at.").pipe(
      Effect.annotateLogs({ charge: value.id, outcome })
    )
    return isLast && status !== "pending" ? "finished" : "more"
  })
}

/** The charge under which a payment is booked; none where it came to no charge. */
const holding = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* ({ endToEndId: key }: PspPayment) {
    const holder = yield* storage.resolve({ _tag: "Key", space: "e2e", key })
    return holder === undefined ? undefined : yield* storage.find(ChargeKind, holder as ChargeId)
  })

const decider = (storage: Storage["Service"], ids: Ids["Service"]) =>
  Effect.fnUntraced(function* (
    { account, charge, destinations, subAccount }: LoadedCharge,
    payment: PspPayment,
    now: DateTime.Utc
  ) {
    const wallet = yield* storage.wallet(charge.value.wallet)
    return bookPayment(charge.value, payment, {
      account: account.value,
      subAccount: subAccount?.value,
      destinations: destinations.map(({ value }) => value),
      promotional: wallet?.promotional ?? zero,
      now,
      ids: {
        payment: yield* ids.next<LedgerTxId>(),
        fee: yield* ids.next<LedgerTxId>(),
        deposit: yield* ids.next<DepositId>(),
        return: yield* ids.next<ReturnId>(),
        legs: yield* Effect.forEach(charge.value.split ?? [], () => ids.next<LedgerTxId>())
      }
    })
  })

const loader = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* (id: ChargeId, supposed?: AccountId) {
    const ahead = supposed && (yield* storage.begin(AccountKind, supposed))
    const charge = yield* storage.find(ChargeKind, id)
    if (charge === undefined) return undefined
    const { account: accountId, wallet } = charge.value
    const known = ahead !== undefined && accountId === supposed ? yield* ahead : undefined
    const account = known ?? (yield* findNamed(storage, AccountKind, accountId))
    const subAccount =
      wallet === accountId ? undefined : yield* findNamed(storage, SubAccountKind, wallet)
    const others = (charge.value.split ?? [])
      .map((leg) => leg.wallet)
      .filter((destination) => destination !== accountId && destination !== wallet)
    const destinations = yield* findAllNamed(storage, SubAccountKind, others)
    return { charge, account, subAccount, destinations }
  })

const changeOf = (
  booking: PaymentBooking,
  payment: PspPayment,
  environment: Environment,
  at: DateTime.Utc
): ChargeChange => {
  const returning = booking._tag === "Completed" ? nothing : begunReturn(booking.return)
  return {
    at,
    charge: booking.charge,
    ledger: booking.ledger,
    inserts: [
      ...(booking._tag === "Stray" ? [DepositKind.row(booking.deposit)] : []),
      ...returning.inserts
    ],
    jobs: returning.jobs,
    // The network gives each payment its own id: whatever a PSP says, one payment is booked once.
    keys: [{ space: "e2e", key: payment.endToEndId, holder: booking.charge.id }],
    event: eventOf(booking, environment, at)
  }
}

const nothing = { inserts: [], jobs: [] }

const eventOf = (booking: PaymentBooking, environment: Environment, at: DateTime.Utc): NewEvent => {
  if (booking._tag === "Completed") return paymentCompleted(booking.charge, environment)
  const [failed, reason] =
    booking._tag === "Blocked"
      ? [booking.charge, booking.reason]
      : [booking.deposit, booking.deposit.reason]
  return paymentFailed(failed, blockedDeposit(reason, booking.return), at, environment)
}

const isKnownElsewhere = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "e2e"
