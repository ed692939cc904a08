import { Context, Effect, Layer } from "effect"
import type { Account } from "../accounts/Account.ts"
import { AccountKind } from "../accounts/Account.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { DiscrepancyReason } from "../discrepancies/Discrepancy.ts"
import type { Recording } from "../discrepancies/DiscrepancyRecords.ts"
import { evidenceOf, recordOnce } from "../discrepancies/DiscrepancyRecords.ts"
import type { LedgerTxId, UnitId, WithdrawalId } from "../kernel/Ids.ts"
import { Recent } from "../kernel/Recent.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { PspShape } from "../ports/Psp.ts"
import type { DuplicateKey, Refused, StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWrite, Unit } from "../units/Unit.ts"
import { watchEnd } from "../reconciliation/LateLooks.ts"
import { reviewJobs } from "../reviews/ReviewJobs.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { publish } from "../webhooks/Publisher.ts"
import type { PayoutEvidence } from "./Payout.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import { isWatched, WithdrawalKind } from "./Withdrawal.ts"
import { withdrawalCompleted, withdrawalFailed, withdrawalReversed } from "./WithdrawalEvents.ts"
import { uncounted } from "./WithdrawalLimits.ts"
import { payOut, release, takeBack } from "./WithdrawalPostings.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

/** A withdrawal with what decides about it, at the versions it was read. */
export interface LoadedWithdrawal {
  readonly withdrawal: Kind.Versioned<Withdrawal>
  readonly account: Kind.Versioned<Account>
  /** The sub-account whose wallet it is, when it is one. */
  readonly subAccount: Kind.Versioned<SubAccount> | undefined
}

/** What a PSP says of a withdrawal that cannot be; without evidence: that it has nothing of it. */
interface PayoutContradiction {
  readonly reason: DiscrepancyReason
  readonly evidence: PayoutEvidence | undefined
}

type Jobs = ReadonlyArray<JobWrite>
type Write = Effect.Effect<void, Refused | StorageError>

/** Reads withdrawals and writes what was decided about them, each decision in one commit. */
export class WithdrawalBooks extends Context.Service<
  WithdrawalBooks,
  {
    readonly load: (id: WithdrawalId) => Effect.Effect<LoadedWithdrawal | undefined, StorageError>
    /** Keeps one that was just written, so that whoever works it off next in this process need not read it. */
    readonly keep: (loaded: LoadedWithdrawal) => void
    /**
     * As it was just written here, or else as it is. What was kept may be outdated by now: a decision on it says so when it
     * is written, and the next look reads.
     */
    readonly kept: (id: WithdrawalId) => Effect.Effect<LoadedWithdrawal | undefined, StorageError>
    /** Writes what is known of it while its outcome is not. */
    readonly note: (loaded: LoadedWithdrawal, next: Withdrawal, jobs: Jobs) => Write
    /**
     * Writes that the PSP is about to be told, as long as nobody else has decided about it and its owner may pay. Nothing
     * is sent before it is written.
     */
    readonly intend: (loaded: LoadedWithdrawal, next: Withdrawal) => Write
    /** Writes an outcome: state, postings, counters, event and deliveries. */
    readonly settle: (
      loaded: LoadedWithdrawal,
      next: Withdrawal,
      environment: PspShape["environment"],
      jobs: Jobs,
      key?: Pick<Unit, "idempotency">
    ) => Write
    /** Records that the PSP contradicts it, once. */
    readonly contradict: (
      loaded: LoadedWithdrawal,
      next: Withdrawal,
      contradiction: PayoutContradiction,
      jobs: Jobs
    ) => Write
    /** Changes only jobs. */
    readonly jobs: (jobs: Jobs) => Write
  }
>()("@pagora/core/withdrawals/WithdrawalBooks") {
  static readonly layer: Layer.Layer<
    WithdrawalBooks,
    never,
    Storage | Ids | Secrets | ServiceTime
  > = Layer.effect(
    WithdrawalBooks,
    Effect.gen(function* () {
      const storage = yield* Storage
      const ids = yield* Ids
      const time = yield* ServiceTime

      const commit = (unit: Omit<Unit, "id">) =>
        Effect.flatMap(ids.next<UnitId>(), (id) => storage.commit({ ...unit, id }))
      const note = Effect.fnUntraced(function* (
        loaded: LoadedWithdrawal,
        next: Withdrawal,
        jobs: Jobs
      ) {
        yield* commit({ at: yield* time.now, ...changeOf(loaded, next, jobs) })
      })

      const intend = Effect.fnUntraced(function* (loaded: LoadedWithdrawal, next: Withdrawal) {
        const expects = expectationsOf(loaded)
        yield* commit({ at: yield* time.now, ...changeOf(loaded, next, []), expects })
      })

      const settle = spannedFn("WithdrawalBooks.settle")(function* (
        loaded: LoadedWithdrawal,
        next: Withdrawal,
        environment: PspShape["environment"],
        jobs: Jobs,
        key: Pick<Unit, "idempotency"> = {}
      ) {
        const at = next.updatedAt
        const ledgerIds = {
          withdrawal: yield* ids.next<LedgerTxId>(),
          fee: yield* ids.next<LedgerTxId>()
        }
        const { event, ...effects } = effectsOf(loaded, next, environment, ledgerIds)
        const { events } = yield* publish(ids, { account: next.account, event, at })
        yield* commit({
          at,
          ...changeOf(loaded, next, jobs),
          expects: expectationsOf(loaded),
          ...effects,
          events,
          ...key
        })
        yield* Effect.logInfo("A withdrawal came to its outcome.").pipe(
          Effect.annotateLogs({ withdrawal: next.id, status: next.status })
        )
      })

      const contradict = contradicting({ ids, secrets: yield* Secrets, commit }, time)
      const jobs = (changes: Jobs) =>
        Effect.flatMap(time.now, (at) => commit({ at, jobs: changes }))
      const load = loader(storage)
      return WithdrawalBooks.of({
        load,
        ...keeping(load),
        note,
        intend,
        settle,
        contradict,
        jobs
      })
    })
  )
}

/** Withdrawals that were just written, at most twice as many. */
const keptMax = 1_000

const keeping = (
  load: WithdrawalBooks["Service"]["load"]
): Pick<WithdrawalBooks["Service"], "keep" | "kept"> => {
  const recent = new Recent<WithdrawalId, LoadedWithdrawal>(keptMax)
  return {
    keep: (loaded) => recent.set(loaded.withdrawal.value.id, loaded),
    kept: (id) =>
      Effect.suspend(() => {
        const loaded = recent.take(id)
        return loaded === undefined ? load(id) : Effect.succeed(loaded)
      })
  }
}

const loader = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* (id: WithdrawalId) {
    const withdrawal = yield* storage.find(WithdrawalKind, id)
    if (withdrawal === undefined) return undefined
    const account = yield* storage.find(AccountKind, withdrawal.value.account)
    if (account === undefined) {
      return yield* Effect.die(
        new Error(`Account ${withdrawal.value.account} of withdrawal ${id} is gone.`)
      )
    }
    const { account: owner, wallet } = withdrawal.value
    const subAccount = wallet === owner ? undefined : yield* storage.find(SubAccountKind, wallet)
    return { withdrawal, account, subAccount }
  })

/** What decides how its money moves and where its event goes. */
const expectationsOf = ({ account, subAccount }: LoadedWithdrawal) => [
  Kind.expectation(AccountKind, account),
  ...(subAccount === undefined ? [] : [Kind.expectation(SubAccountKind, subAccount)])
]

/**
 * The change of a withdrawal, where there is one, of what waits for a person by it, and of what is looked at again. The
 * PSP's names of the payout are taken when they are first told, so that no payout pays two withdrawals.
 */
const changeOf = (
  { withdrawal }: LoadedWithdrawal,
  next: Withdrawal,
  jobs: Jobs
): Pick<Unit, "updates" | "jobs" | "keys"> => {
  if (next === withdrawal.value) return { jobs }
  const since = ({ status, updatedAt }: Withdrawal) =>
    status === "manual_review" ? updatedAt : undefined
  const { account, id } = next
  const line = reviewJobs(since(withdrawal.value), { id, account, since: since(next) })
  const hasEnded = isWatched(next) && next.status !== withdrawal.value.status
  return {
    updates: [Kind.update(WithdrawalKind, withdrawal, next)],
    keys: namesOf(withdrawal.value, next),
    jobs: [...jobs, ...line, ...(hasEnded ? [watchEnd(next)] : [])]
  }
}

/** The names of a payout: the PSP's own is one within its credential, the network's is one everywhere. */
const names = { psp: "payout", network: "payout_e2e" } as const

/** What the PSP calls the payout that it was not called before. */
const namesOf = (
  before: Withdrawal,
  { e2eId, id: holder, pspCredentialId, pspReference }: Withdrawal
): NonNullable<Unit["keys"]> => [
  ...(pspReference === undefined || pspReference === before.pspReference
    ? []
    : [{ space: names.psp, key: `${pspCredentialId}/${pspReference}`, holder }]),
  ...(e2eId === undefined || e2eId === before.e2eId
    ? []
    : [{ space: names.network, key: e2eId, holder }])
]

/** Another withdrawal has the payout that the PSP tells of. */
export const isNameTaken = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && (error.space === names.psp || error.space === names.network)

const contradicting = (recording: Recording, time: ServiceTime["Service"]) =>
  Effect.fn("WithdrawalBooks.contradict")(function* (
    loaded: LoadedWithdrawal,
    next: Withdrawal,
    { evidence, reason }: PayoutContradiction,
    jobs: Jobs
  ) {
    const contradiction = {
      subject: next,
      subjectType: "withdrawal",
      reason,
      ...evidenceOf(evidence, inEvidence)
    } as const
    const unit = {
      at: yield* time.now,
      ...changeOf(loaded, next, jobs),
      // Where nothing of it changes, it must be as it was judged all the same.
      expects:
        next === loaded.withdrawal.value
          ? [Kind.expectation(WithdrawalKind, loaded.withdrawal)]
          : []
    }
    if (!(yield* recordOnce(recording, contradiction, unit))) return
    yield* Effect.logError("The PSP contradicts what it said of a withdrawal.").pipe(
      Effect.annotateLogs({ withdrawal: next.id, reason })
    )
  })

/** The recipient is a person, and is not kept. */
const inEvidence = {
  compared: ["reference", "pspReference", "status", "amount", "endToEndId"],
  shown: ["settledAt", "rejection", "reversal"]
} as const

/** What coming to an outcome does beside the state. */
const effectsOf = (
  { subAccount }: LoadedWithdrawal,
  next: Withdrawal,
  environment: PspShape["environment"],
  ids: { readonly withdrawal: LedgerTxId; readonly fee: LedgerTxId }
): Pick<Unit, "ledger" | "counters"> & { readonly event: NewEvent } => {
  switch (next.status) {
    case "completed":
      return { ledger: payOut(next, ids), event: withdrawalCompleted(next, environment) }
    case "reversed": {
      // Nothing is credited to what is closed: what comes back so late is the main account's.
      const wallet = subAccount?.value.status === "closed" ? next.account : next.wallet
      return {
        ledger: [takeBack(next, wallet, ids.withdrawal)],
        event: withdrawalReversed(next, environment)
      }
    }
    case "failed":
      return {
        ledger: [release(next, ids.withdrawal)],
        counters: uncounted(next.account, next.amount, next.createdAt),
        event: withdrawalFailed(next, environment)
      }
    default:
      throw new Error(`Withdrawal ${next.id} is ${next.status}: that is no outcome.`)
  }
}
