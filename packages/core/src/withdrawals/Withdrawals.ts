import { Context, Effect, Layer, Schema } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { PspGone } from "../accounts/AccountPsps.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { expectationsOf, walletOf } from "../accounts/ActingWallet.ts"
import { reachedBy } from "../accounts/PeriodLimit.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { LedgerTxId, ProjectId, Uuid, WalletId, WithdrawalId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { zero } from "../kernel/Money.ts"
import { decideAgain, refusedFor, staleWhenEnded } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import type { PspPayout, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { stillUnderWay } from "../reconciliation/CalledFailed.ts"
import { environmentAt } from "../psp-calls/DeploymentEnvironment.ts"
import { callPsp } from "../psp-calls/PspCall.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { InsufficientFunds, StaleVersion } from "../units/Refused.ts"
import { begunReads } from "../storage/BegunReads.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import type { ProjectNotFound } from "../projects/Projects.ts"
import { Projects } from "../projects/Projects.ts"
import { acceptanceReads } from "./AcceptanceReads.ts"
import type { AcceptanceRefused, NewWithdrawal } from "./NewWithdrawal.ts"
import { accept } from "./NewWithdrawal.ts"
import { carriedOut } from "./PayoutConclusion.ts"
import { isAnothers } from "./PayoutNames.ts"
import type { PayoutsNotOffered } from "./PayoutPsps.ts"
import { askedFor, payoutGroup, payoutPsp } from "./PayoutPsps.ts"
import type { Withdrawal } from "./Withdrawal.ts"
import type { Decision } from "../reviews/Resolution.ts"
import {
  isOperators,
  isToBeSent,
  isUnheard,
  resolve as resolved,
  toldSince,
  WithdrawalKind
} from "./Withdrawal.ts"
import { WithdrawalWriter } from "./WithdrawalWriter.ts"
import { counted } from "./WithdrawalLimits.ts"
import { hold } from "./WithdrawalPostings.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

export class WithdrawalNotFound extends Schema.TaggedError<WithdrawalNotFound>()(
  "WithdrawalNotFound",
  { id: Schema.String }
) {}

/** Only one that nobody could learn the outcome of, or that waits for money at its PSP, is the operator's to decide. */
export class WithdrawalNotInReview extends Schema.TaggedError<WithdrawalNotInReview>()(
  "WithdrawalNotInReview",
  { status: Schema.String }
) {}

/** It cannot be called failed until then: the PSP was told so lately that it may still pay it, or `says` that it does or did. */
export class WithdrawalUnderWay extends Schema.TaggedError<WithdrawalUnderWay>()(
  "WithdrawalUnderWay",
  { until: Schema.DateTimeUtc, says: Schema.optionalKey(Schema.String) }
) {}

export type WithdrawalRefused =
  | AcceptanceRefused
  | ProjectNotFound
  | InsufficientFunds
  | PayoutsNotOffered
  | PspGone

/** Accepts withdrawals and finds them. What happens to them later is the reconciler's. */
export class Withdrawals extends Context.Service<
  Withdrawals,
  {
    /**
     * Holds the gross and puts the payout in line, in one commit. The PSP is not asked here: the answer does not
     * wait for it.
     */
    readonly create: (
      acting: ActingWallet,
      request: NewWithdrawal,
      key?: IdempotencyKey
    ) => Effect.Effect<Withdrawal, WithdrawalRefused | IdempotencyKeyTaken | StorageError>
    /** By its id, then the caller's reference, then the Idempotency-Key. */
    readonly find: (
      wallet: WalletId,
      name: string
    ) => Effect.Effect<Withdrawal, WithdrawalNotFound | StorageError>
    /** Decides one that nobody could learn the outcome of, or that waits for money at its PSP. For the operator. */
    readonly resolve: (
      id: Uuid,
      decision: Decision,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Withdrawal,
      | WithdrawalNotFound
      | WithdrawalNotInReview
      | WithdrawalUnderWay
      | IdempotencyKeyTaken
      | StorageError
    >
    /** Has the PSP told of it, or asked about it, next. For sandboxes. */
    readonly lookNow: (withdrawal: Withdrawal) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/withdrawals/Withdrawals") {
  static readonly layer: Layer.Layer<
    Withdrawals,
    never,
    Storage | PspDirectory | Ids | ServiceTime | Projects | WithdrawalWriter
  > = Layer.effect(
    Withdrawals,
    Effect.gen(function* () {
      const storage = yield* Storage
      const time = yield* ServiceTime
      const directory = yield* PspDirectory
      const create = yield* makeCreate

      const lookNow = Effect.fn("Withdrawals.lookNow")(function* (withdrawal: Withdrawal) {
        const { id, pspCredentialId } = withdrawal
        const at = yield* time.now
        const group = payoutGroup(withdrawal, directory.find(pspCredentialId))
        yield* storage
          .commit({
            at,
            jobs: [{ _tag: "Schedule", queue: "payout", id, group, due: at }]
          })
          .pipe(refusedFor())
      })
      return Withdrawals.of({ create, find: finder(storage), resolve: yield* makeResolve, lookNow })
    })
  )
}

/** What else has the same reference, or was asked for with the same key, is not looked at. */
const finder = (storage: Storage["Service"]) => {
  const byId = Effect.fnUntraced(function* (wallet: WalletId, id: Uuid) {
    const found = (yield* storage.find(WithdrawalKind, id))?.value
    return found?.wallet === wallet ? found : undefined
  })
  const byReference = Effect.fnUntraced(function* (wallet: WalletId, ref: string) {
    const query = { wallet, ref, order: "desc", limit: 1 } as const
    const found = yield* storage.operations({ ...query, kinds: [{ kind: WithdrawalKind }] })
    return found[0]
  })
  const byKey = Effect.fnUntraced(function* (wallet: WalletId, key: string) {
    const record = yield* storage.idempotency({ wallet, route: "POST /withdrawals", key })
    return record && (yield* byId(wallet, record.entity))
  })

  return Effect.fn("Withdrawals.find")(function* (wallet: WalletId, name: string) {
    const id = name.toLowerCase()
    // No name that was ever stored has a NUL, and not every storage can be asked for one.
    const found = name.includes("\0")
      ? undefined
      : ((isUuid(id) ? yield* byId(wallet, id) : undefined) ??
        (yield* byReference(wallet, name)) ??
        (yield* byKey(wallet, name)))
    return found ?? (yield* new WithdrawalNotFound({ id: name }))
  })
}

/** What an acceptance rests on beside the owner. */
interface AlsoRead {
  readonly projectId: ProjectId | undefined
  readonly wallet: Effect.Effect<Wallet | undefined, StorageError>
}

/** What an acceptance reads and writes. */
const makeAcceptance = Effect.gen(function* () {
  const storage = yield* Storage
  const directory = yield* PspDirectory
  const ids = yield* Ids
  const time = yield* ServiceTime
  const writer = yield* WithdrawalWriter

  /** The wallet as it is now. */
  const reload = Effect.fnUntraced(function* (acting: ActingWallet) {
    const account = yield* storage.find(AccountKind, acting.account.value.id)
    const subAccount =
      acting.subAccount && (yield* storage.find(SubAccountKind, acting.subAccount.value.id))
    return { account: account ?? acting.account, subAccount: subAccount ?? acting.subAccount }
  })

  const decide = Effect.fnUntraced(function* (
    acting: ActingWallet,
    request: NewWithdrawal,
    { projectId, wallet: read }: AlsoRead
  ) {
    const account = acting.account.value
    const psp = yield* payoutPsp(directory, account)
    const wallet = yield* read
    return yield* Effect.fromResult(
      accept(request, {
        id: yield* ids.next<WithdrawalId>(),
        account,
        subAccount: acting.subAccount?.value,
        promotional: wallet?.promotional ?? zero,
        projectId,
        pspCredentialId: psp.id,
        now: yield* time.now
      })
    )
  })

  const commit = Effect.fnUntraced(function* (
    acting: ActingWallet,
    withdrawal: Withdrawal,
    key: IdempotencyKey | undefined
  ) {
    const { amount, createdAt, id } = withdrawal
    const group = payoutGroup(withdrawal, directory.find(withdrawal.pspCredentialId))
    yield* storage.commit({
      at: createdAt,
      inserts: [WithdrawalKind.row(withdrawal)],
      expects: expectationsOf(acting),
      ledger: [hold(withdrawal, yield* ids.next<LedgerTxId>())],
      counters: counted(acting.account.value, amount, createdAt),
      jobs: [{ _tag: "Schedule", queue: "payout", id, group, due: createdAt }],
      ...begun(key, id, WithdrawalKind.snapshot(withdrawal))
    })
    writer.keep({ ...acting, withdrawal: { value: withdrawal, version: 1 } })
    return withdrawal
  })
  return { reload, decide, commit }
})

const makeCreate = Effect.gen(function* () {
  const { commit, decide, reload } = yield* makeAcceptance
  const projects = yield* Projects
  const storage = yield* Storage

  return spannedFn("Withdrawals.create")(function* (
    first: ActingWallet,
    request: NewWithdrawal,
    key?: IdempotencyKey
  ) {
    const wallet = walletOf(first)
    const begun = yield* begunReads(acceptanceReads, storage, wallet)
    // The one that is named, or the wallet's only one (spec, Withdrawal request).
    const project =
      request.projectId === undefined ? begun.onlyProject : projects.find(wallet, request.projectId)
    const projectId = (yield* project)?.id
    let read = begun.wallet
    let acting = first
    return yield* Effect.gen(function* () {
      const withdrawal = yield* decide(acting, request, { projectId, wallet: read })
      return yield* commit(acting, withdrawal, key).pipe(
        keyTaken,
        Effect.catchIf(isPromotional, () => new StaleVersion({ id: withdrawal.wallet })),
        refusedFor("StaleVersion", "InsufficientFunds", "LimitExceeded"),
        Effect.catchTag("LimitExceeded", (refused) =>
          reachedBy("withdrawal", acting.account.value, refused, {
            at: withdrawal.createdAt,
            requested: withdrawal.amount
          })
        ),
        Effect.tapErrorTag("StaleVersion", () =>
          Effect.map(reload(acting), (current) => {
            acting = current
            read = storage.wallet(wallet)
          })
        )
      )
    }).pipe(decideAgain)
  })
})

/** The fee took the promotional balance for more than is left of it by now. */
const isPromotional = (
  error: Refused | StorageError | IdempotencyKeyTaken
): error is InsufficientFunds =>
  error._tag === "InsufficientFunds" && error.bucket === "promotional"

const makeResolve = Effect.gen(function* () {
  const writer = yield* WithdrawalWriter
  const directory = yield* PspDirectory
  const time = yield* ServiceTime
  const isSomeElses = isAnothers(yield* Storage)

  const ask = Effect.fnUntraced(function* (withdrawal: Withdrawal, psp: PspShape) {
    if (isToBeSent(withdrawal) && isUnheard(withdrawal)) return undefined
    const outcome = yield* callPsp("findPayout", psp.findPayout(askedFor(withdrawal)))
    const payout = carriedOut(withdrawal, outcome)
    return payout === undefined || (yield* isSomeElses(withdrawal, payout))
      ? undefined
      : payout.status
  })

  /** Refused while its PSP may still pay it, or says that it does or did. */
  const notUnderWay = Effect.fnUntraced(function* (withdrawal: Withdrawal) {
    const { pspCredentialId, sentAt } = withdrawal
    const called = {
      sentAt,
      toldSince: (says: PspPayout["status"]) => toldSince(withdrawal, says),
      ask: (psp: PspShape) => ask(withdrawal, psp)
    }
    const psp = directory.find(pspCredentialId)
    const underWay = yield* stillUnderWay(called, psp, yield* time.now)
    if (underWay !== undefined) return yield* new WithdrawalUnderWay(underWay)
  })

  return Effect.fn("Withdrawals.resolve")(function* (
    id: Uuid,
    { outcome, ...words }: Decision,
    key?: IdempotencyKey
  ) {
    const once = Effect.gen(function* () {
      const loaded = yield* writer.load(id as WithdrawalId)
      if (loaded === undefined) return yield* new WithdrawalNotFound({ id })
      const { pspCredentialId, status } = loaded.withdrawal.value
      if (!isOperators(loaded.withdrawal.value)) return yield* new WithdrawalNotInReview({ status })
      if (outcome === "failed") yield* notUnderWay(loaded.withdrawal.value)
      const at = yield* time.now
      const next = resolved(loaded.withdrawal.value, outcome, { ...words, at })
      yield* writer
        .writeEnd(
          loaded,
          next,
          environmentAt(directory, pspCredentialId),
          begun(key, next.id, WithdrawalKind.snapshot(next))
        )
        .pipe(keyTaken, staleWhenEnded(id), refusedFor("StaleVersion"))
      return next
    })
    return yield* decideAgain(once)
  })
})
