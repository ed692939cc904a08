import { Context, DateTime, Effect, Layer } from "effect"
import type { Account } from "../accounts/Account.ts"
import { AccountKind } from "../accounts/Account.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import type { Contradiction, Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import type { AccountId, ChargeId, DepositId, LedgerTxId, ReturnId, UnitId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { completed } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { Environment, PspCharge, PspPayment } from "../ports/Psp.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWrite, Unit } from "../units/Unit.ts"
import { watchEnd } from "../reconciliation/LateLooks.ts"
import { begunReturn } from "../returns/ReturnJobs.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { publish } from "../webhooks/Publisher.ts"
import { answeredKeys } from "./CancelWish.ts"
import type { Charge } from "./Charge.ts"
import { ChargeKind, DepositKind, isWatched, withStray } from "./Charge.ts"
import { received } from "./ChargeCounters.ts"
import { blockedDeposit, paymentCompleted, paymentFailed } from "./ChargeEvents.ts"
import type { Settlement } from "./Settlement.ts"
import { settle } from "./Settlement.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

/** A charge with everything that decides about it, at the versions it was read. */
export interface LoadedCharge {
  readonly charge: Kind.Versioned<Charge>
  readonly account: Kind.Versioned<Account>
  readonly subAccount: Kind.Versioned<SubAccount> | undefined
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

type Write = Effect.Effect<void, Refused | StorageError>

/** Reads charges and writes what was decided about them, each decision in one commit. */
export class ChargeBooks extends Context.Service<
  ChargeBooks,
  {
    /** Whoever knows, or supposes, whose it is has both read in one turn. */
    readonly load: (
      id: ChargeId,
      supposed?: AccountId
    ) => Effect.Effect<LoadedCharge | undefined, StorageError>
    readonly write: (loaded: LoadedCharge, change: ChargeChange) => Write
    /**
     * Books a payment: state, fee, postings, event and deliveries; `ending` too where the charge comes to its end
     * by it. Answers the charge's status after it.
     */
    readonly book: (
      loaded: LoadedCharge,
      payment: PspPayment,
      environment: Environment,
      ending: ReadonlyArray<JobWrite>
    ) => Effect.Effect<Charge["status"], Refused | StorageError>
    /** Records, once, that the PSP contradicts what a charge was booked by: `known` is what it says now. */
    readonly contradict: (
      charge: Charge,
      reason: DiscrepancyReason,
      known: PspCharge | undefined,
      jobs: ReadonlyArray<JobWrite>
    ) => Write
    /** Changes only jobs. */
    readonly jobs: (jobs: ReadonlyArray<JobWrite>) => Write
  }
>()("@pagora/core/charges/ChargeBooks") {
  static readonly layer: Layer.Layer<ChargeBooks, never, Storage | Ids | Secrets | ServiceTime> =
    Layer.effect(
      ChargeBooks,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime

        const commit = (unit: Omit<Unit, "id">) =>
          Effect.flatMap(ids.next<UnitId>(), (id) => storage.commit({ ...unit, id }))

        const recording = { ids, secrets: yield* Secrets, commit }

        const unitOf = Effect.fnUntraced(function* (loaded: LoadedCharge, change: ChargeChange) {
          const { charge, event, jobs, ...unit } = change
          const account = charge.account
          const published =
            event === undefined ? undefined : yield* publish(ids, { account, event, at: unit.at })
          const hasEnded = isWatched(charge) && charge.status !== loaded.charge.value.status
          return {
            ...unit,
            updates: [Kind.update(ChargeKind, loaded.charge, charge)],
            ...completed(answeredKeys(loaded.charge.value, charge, unit.at), charge.id, () =>
              ChargeKind.snapshot(charge)
            ),
            expects: expectationsOf(loaded),
            events: published?.events ?? [],
            jobs: hasEnded ? [...jobs, watchEnd(charge)] : jobs
          }
        })
        const write = (loaded: LoadedCharge, change: ChargeChange) =>
          Effect.flatMap(unitOf(loaded, change), commit)

        const decide = decider(storage, ids)

        const disregard = Effect.fnUntraced(function* (
          loaded: LoadedCharge,
          payment: PspPayment,
          ending: ReadonlyArray<JobWrite>
        ) {
          const { value } = loaded.charge
          const jobs = value.status === "pending" ? [] : ending
          const change = disregarded(loaded, payment, yield* time.now, jobs)
          const unit = yield* unitOf(loaded, change)
          yield* recordOnce(recording, claimedTwice(value, payment), unit)
          return { outcome: "KnownElsewhere", status: value.status }
        })

        const book = spannedFn("ChargeBooks.book")(function* (
          loaded: LoadedCharge,
          payment: PspPayment,
          environment: Environment,
          ending: ReadonlyArray<JobWrite>
        ) {
          const now = yield* time.now
          const settlement = yield* decide(loaded, payment, now)
          const commitChange = (outcome: string, change: ChargeChange) =>
            write(loaded, {
              ...change,
              jobs: [...change.jobs, ...(change.charge.status === "pending" ? [] : ending)]
            }).pipe(Effect.as({ outcome, status: change.charge.status }))
          const { outcome, status } = yield* commitChange(settlement._tag, {
            ...changeOf(settlement, payment, environment, now),
            counters:
              settlement._tag === "Completed"
                ? received(loaded.account.value, payment.amount, now)
                : []
          }).pipe(Effect.catchIf(isKnownElsewhere, () => disregard(loaded, payment, ending)))
          yield* Effect.logInfo("A payment was looked at.").pipe(
            Effect.annotateLogs({ charge: loaded.charge.value.id, outcome })
          )
          return status
        })

        const jobs = (changes: ReadonlyArray<JobWrite>) =>
          Effect.flatMap(time.now, (at) => commit({ at, jobs: changes }))
        const contradict = contradicting(recording, time)
        return ChargeBooks.of({ load: loader(storage), write, book, contradict, jobs })
      })
    )
}

const decider = (storage: Storage["Service"], ids: Ids["Service"]) =>
  Effect.fnUntraced(function* (
    { account, charge, destinations, subAccount }: LoadedCharge,
    payment: PspPayment,
    now: DateTime.Utc
  ) {
    const wallet = yield* storage.wallet(charge.value.wallet)
    return settle(charge.value, payment, {
      account: account.value,
      subAccount: subAccount?.value,
      destinations: destinations.map(({ value }) => value),
      promotional: wallet?.promotional ?? (0n as Centavos),
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
    const account = yield* ahead !== undefined && accountId === supposed
      ? ahead
      : storage.find(AccountKind, accountId)
    if (account === undefined)
      return yield* Effect.die(new Error(`Account ${accountId} of charge ${id} is gone.`))
    const subAccount =
      wallet === accountId ? undefined : yield* storage.find(SubAccountKind, wallet)
    const others = (charge.value.split ?? [])
      .map((leg) => leg.wallet)
      .filter((destination) => destination !== accountId && destination !== wallet)
    const destinations = others.length === 0 ? [] : yield* storage.findMany(SubAccountKind, others)
    return { charge, account, subAccount, destinations }
  })

/** What decides how its money moves. A destination that is closed meanwhile and its credit exclude each other. */
const expectationsOf = ({ account, destinations, subAccount }: LoadedCharge) => [
  Kind.expectation(AccountKind, account),
  ...[...(subAccount === undefined ? [] : [subAccount]), ...destinations].map((owner) =>
    Kind.expectation(SubAccountKind, owner)
  )
]

const changeOf = (
  settlement: Settlement,
  payment: PspPayment,
  environment: Environment,
  at: DateTime.Utc
): ChargeChange => {
  const returning = settlement._tag === "Completed" ? nothing : begunReturn(settlement.return)
  return {
    at,
    charge: settlement.charge,
    ledger: settlement.ledger,
    inserts: [
      ...(settlement._tag === "Stray" ? [DepositKind.row(settlement.deposit)] : []),
      ...returning.inserts
    ],
    jobs: returning.jobs,
    // The network gives each payment its own id: whatever a PSP says, one payment is booked once.
    keys: [{ space: "e2e", key: payment.endToEndId, holder: settlement.charge.id }],
    event: eventOf(settlement, environment, at)
  }
}

const nothing = { inserts: [], jobs: [] }

const eventOf = (settlement: Settlement, environment: Environment, at: DateTime.Utc): NewEvent => {
  switch (settlement._tag) {
    case "Completed":
      return paymentCompleted(settlement.charge, environment)
    case "Blocked":
      return paymentFailed(
        settlement.charge,
        blockedDeposit(settlement.reason, settlement.return),
        at,
        environment
      )
    case "Stray":
      return paymentFailed(
        settlement.deposit,
        blockedDeposit(settlement.deposit.reason, settlement.return),
        at,
        environment
      )
  }
}

const isKnownElsewhere = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "e2e"

const contradicting = (recording: Recording, time: ServiceTime["Service"]) =>
  Effect.fn("ChargeBooks.contradict")(function* (
    charge: Charge,
    reason: DiscrepancyReason,
    known: PspCharge | undefined,
    jobs: ReadonlyArray<JobWrite>
  ) {
    const status = known?.status ?? "not_found"
    const payments = (known?.payments ?? []).toSorted((a, b) =>
      a.endToEndId < b.endToEndId ? -1 : 1
    )
    const evidence = JSON.stringify({ status, payments: payments.map(paymentShown) })
    const gist = JSON.stringify({ status, payments: payments.map(paymentCompared) })
    const subject = { subject: charge, subjectType: "charge", reason, evidence, gist } as const
    if (!(yield* recordOnce(recording, subject, { at: yield* time.now, jobs }))) return
    yield* Effect.logError("A PSP contradicts the payment of a charge; nothing was moved.").pipe(
      Effect.annotateLogs({ charge: charge.id, reason })
    )
  })

/** Some PSPs name another time with each answer. */
const paymentCompared = ({ amount, endToEndId }: PspPayment) => ({
  endToEndId,
  amount: amount.toString()
})

const paymentShown = (payment: PspPayment) => ({
  ...paymentCompared(payment),
  paidAt: DateTime.formatIso(payment.paidAt)
})

const claimedTwice = (charge: Charge, payment: PspPayment): Contradiction => ({
  subject: charge,
  subjectType: "charge",
  reason: "payment_claimed_twice",
  evidence: JSON.stringify(paymentShown(payment)),
  gist: JSON.stringify(paymentCompared(payment))
})

/** The PSP shows a payment under this charge that was booked under another: its money counts once. */
const disregarded = (
  loaded: LoadedCharge,
  payment: PspPayment,
  at: DateTime.Utc,
  jobs: ReadonlyArray<JobWrite>
): ChargeChange => ({
  at,
  charge: withStray(loaded.charge.value, payment, at),
  event: undefined,
  jobs
})
