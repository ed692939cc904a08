import type { DateTime } from "effect"
import { Clock, Context, Effect, Exit, Layer } from "effect"
import { madeOfRandom } from "../kernel/IdMaker.ts"
import type { DeliveryId, EventRowId, LedgerTxId, UnitId, Uuid, WalletId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import { groupSize, writes } from "../telemetry/Metrics.ts"
import { spanned, underGuard } from "../telemetry/SpanGuarder.ts"
import { countRefused, countWritten } from "../telemetry/UnitCounters.ts"
import type { AuditSince } from "../audit/Audit.ts"
import { auditSince, completeAudit } from "../audit/Audit.ts"
import type { AuditOptions } from "../audit/AuditRun.ts"
import { factKeys } from "../units/Facts.ts"
import type { Commit, GroupCommitOptions } from "./GroupCommit.ts"
import { groupCommit } from "./GroupCommit.ts"
import type { AuditReads } from "../ports/AuditReads.ts"
import type { ReadableKind, Versioned } from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type {
  AuditReport,
  Delivery,
  DeliveryQuery,
  GroupHead,
  HeadQuery,
  IdempotencyRecord,
  JobQuery,
  LedgerQuery,
  ListQuery,
  Lookup,
  OperationQuery,
  Outgoing,
  PositionQuery,
  Purgeable,
  Renewal,
  WaitingJob
} from "../ports/StorageDriver.ts"
import type { Looked } from "./ReadDoor.ts"
import type { Epoch } from "./Epoch.ts"
import { CurrentEpoch, ofOneEpoch } from "./Epoch.ts"
import { readAny, readDoor } from "./ReadDoor.ts"
import * as Shared from "./SharedClock.ts"
import { syncing } from "./Sync.ts"
import type { SharedClock } from "./SharedClock.ts"
import { isWritten, StorageDriver } from "../ports/StorageDriver.ts"
import { CurrentWriteMark } from "./WriteMark.ts"
import type { JobBroker } from "./JobBroker.ts"
import { makeBroker } from "./JobBroker.ts"
import type { AttemptRow, EventRow, IdempotencyScope, NewUnit, Queue } from "../units/Unit.ts"

/**
 * Everything the service knows. `commit` is the only way to change business state; the rest reads. Services
 * read, decide, and commit what they decided together with the versions they decided on (decision 0001).
 */
export class Storage extends Context.Service<
  Storage,
  {
    readonly commit: (unit: NewUnit) => ReturnType<Commit>
    readonly find: <A>(
      kind: ReadableKind<A>,
      id: Uuid
    ) => Effect.Effect<Versioned<A> | undefined, StorageError>
    /** Asks for an entity now, and answers where it will be, so that several that are wanted go out together. */
    readonly begin: <A>(
      kind: ReadableKind<A>,
      id: Uuid
    ) => Effect.Effect<Effect.Effect<Versioned<A> | undefined, StorageError>>
    /** Those that there are, each once, in the order of their ids. */
    readonly findMany: <A>(
      kind: ReadableKind<A>,
      ids: ReadonlyArray<Uuid>
    ) => Effect.Effect<ReadonlyArray<Versioned<A>>, StorageError>
    readonly list: <A>(
      kind: ReadableKind<A>,
      query: Omit<ListQuery, "kind" | "table">
    ) => Effect.Effect<ReadonlyArray<Versioned<A>>, StorageError>
    /** The ids on one page of a list that is counted from its beginning. */
    readonly positions: (query: PositionQuery) => Effect.Effect<ReadonlyArray<Uuid>, StorageError>
    /** What a counter stands at; 0 where nothing was counted. */
    readonly counter: (key: string) => Effect.Effect<bigint, StorageError>
    /** The entity under an id, of whichever of the kinds it is. */
    readonly findAny: <A>(
      kinds: ReadonlyArray<ReadableKind<A>>,
      id: Uuid
    ) => Effect.Effect<Versioned<A> | undefined, StorageError>
    /** What a wallet or an account did, of several kinds at once, each with the statuses that count of it. */
    readonly operations: <A>(
      query: Omit<OperationQuery, "kinds"> & {
        readonly kinds: ReadonlyArray<{
          readonly kind: ReadableKind<A>
          readonly statuses?: ReadonlyArray<string>
        }>
      }
    ) => Effect.Effect<ReadonlyArray<A>, StorageError>
    /** The id that a lookup finds. */
    readonly resolve: (lookup: Lookup) => Effect.Effect<Uuid | undefined, StorageError>
    /** The same, with the entity under that id, where it is of one of the kinds. */
    readonly look: <A>(
      kinds: ReadonlyArray<ReadableKind<A>>,
      lookup: Lookup
    ) => Effect.Effect<Looked<A> | undefined, StorageError>
    /** Looks now, and answers where the answer will be. */
    readonly beginLook: <A>(
      kinds: ReadonlyArray<ReadableKind<A>>,
      lookup: Lookup
    ) => Effect.Effect<Effect.Effect<Looked<A> | undefined, StorageError>>
    readonly idempotency: (
      scope: IdempotencyScope
    ) => Effect.Effect<IdempotencyRecord | undefined, StorageError>
    /** Asks for it now, and answers where it will be. */
    readonly beginIdempotency: (
      scope: IdempotencyScope
    ) => Effect.Effect<Effect.Effect<IdempotencyRecord | undefined, StorageError>>
    /** Asks for it now, and answers where it will be. */
    readonly beginWallet: (
      id: WalletId
    ) => Effect.Effect<Effect.Effect<Wallet | undefined, StorageError>>
    readonly wallet: (id: WalletId) => Effect.Effect<Wallet | undefined, StorageError>
    /** As they stand at one instant, in the order of their ids. */
    readonly wallets: (
      ids: ReadonlyArray<WalletId>
    ) => Effect.Effect<ReadonlyArray<Wallet>, StorageError>
    readonly ledgerTx: (id: LedgerTxId) => Effect.Effect<LedgerTx | undefined, StorageError>
    readonly movements: (query: LedgerQuery) => Effect.Effect<ReadonlyArray<LedgerTx>, StorageError>
    readonly events: (
      ids: ReadonlyArray<EventRowId>
    ) => Effect.Effect<ReadonlyArray<EventRow>, StorageError>
    readonly deliveries: (
      query: DeliveryQuery | { readonly ids: ReadonlyArray<DeliveryId> }
    ) => Effect.Effect<ReadonlyArray<Delivery>, StorageError>
    readonly outgoing: (
      ids: ReadonlyArray<DeliveryId>
    ) => Effect.Effect<ReadonlyArray<Outgoing>, StorageError>
    readonly attempts: (
      deliveries: ReadonlyArray<DeliveryId>
    ) => Effect.Effect<ReadonlyArray<AttemptRow>, StorageError>
    /** The clock that all processes over this storage share. */
    readonly clock: SharedClock
    /**
     * Nothing, where the clock of this machine is wrong. What is claimed here at the same time, of whatever queues, goes out
     * as one claim.
     */
    readonly claim: JobBroker["claim"]
    /** Whether a job is still held under a token; its lease begins anew then. */
    readonly renew: (renewal: Renewal) => Effect.Effect<boolean, StorageError>
    /** What stands in a line. */
    readonly jobs: (query: JobQuery) => Effect.Effect<ReadonlyArray<WaitingJob>, StorageError>
    /**
     * Until the scope closes, wakes whoever takes work of a queue here: after each unit committed here that put work in line
     * that is due, and when the next is due. Work of other processes is looked for every second, because they give no hints,
     * and what they lost is claimed every five (decision 0113).
     */
    readonly onWork: JobBroker["onWork"]
    /** Whose work has been due longest without anybody holding it. */
    readonly heads: (query: HeadQuery) => Effect.Effect<ReadonlyArray<GroupHead>, StorageError>
    readonly nextDue: (
      queues: ReadonlyArray<Queue>
    ) => Effect.Effect<DateTime.Utc | undefined, StorageError>
    /** Nothing, where the clock of this machine is wrong. */
    readonly purge: (
      what: Purgeable,
      before: DateTime.Utc,
      max: number
    ) => Effect.Effect<number, StorageError>
    /** Forgets so many identities of writes at most that are over a day old by the storage's own clock; none, where that of this machine is wrong. */
    readonly forgetWrites: (max: number) => Effect.Effect<number, StorageError>
    /** Holds everything against every rule, from the postings on, and names what does not hold. */
    readonly audit: Effect.Effect<AuditReport, StorageError>
    /** The same, keeping for later audits what is right; with `since` only of what is new. */
    readonly prove: (options: AuditOptions | AuditSince) => Effect.Effect<AuditReport, StorageError>
    /** What a stretch of the ledger sums to, by account. */
    readonly ledgerStretch: AuditReads["stretch"]
    /**
     * Makes all that was read so far as safe as what was written, before it is acknowledged; undefined where it is that safe
     * whenever it is shown. Where that is not known in time it is not known whether it was done.
     */
    readonly sync: Effect.Effect<void, StorageError> | undefined
    /** Which primary this process is with; undefined where no server can take the place of another. */
    readonly epoch: Epoch
    /** Whether the storage answers, and has all that this code needs. */
    readonly isCurrent: Effect.Effect<boolean, StorageError>
  }
>()("@pagora/core/storage/Storage") {
  /** The write door and the typed reads over any driver. It begins by asking what time it is. */
  static readonly layer = (
    options?: GroupCommitOptions
  ): Layer.Layer<Storage, StorageError, StorageDriver> =>
    Layer.effect(
      Storage,
      Effect.gen(function* () {
        const driver = yield* StorageDriver
        const reads = yield* readDoor(driver)
        const clock = yield* Shared.make(driver.clock)
        const broker = makeBroker(driver, clock.isSound)
        const ids = madeOfRandom()
        const write = yield* underGuard(
          groupCommit(measuredWrites(driver), options, broker.onWritten)
        )
        const counted: Commit = (unit) =>
          Effect.tap(Effect.tapError(marked(unit), countRefused), () => countWritten(unit))
        const commit: Storage["Service"]["commit"] = (unit) =>
          spanned(
            Effect.flatMap(ids.next<UnitId>(), (id) =>
              Effect.flatMap(CurrentEpoch, (epoch) =>
                broker.writing({ ...unit, id, epoch }, counted)
              )
            ),
            "storage.commit",
            {}
          )
        const marked: Commit = (unit) =>
          Effect.flatMap(CurrentWriteMark, (mark) =>
            mark === undefined ? write(unit) : mark.follow(write(unit))
          )

        return Storage.of({
          ...driver,
          commit,
          claim: broker.claim,
          onWork: broker.onWork,
          clock,
          ...whileSound(driver, clock),
          ...auditsOf(driver),
          ledgerStretch: driver.audit.stretch,
          epoch: driver.epoch,
          sync: driver.sync && (yield* syncing(driver.sync, driver.epoch)),
          isCurrent: driver.isCurrent ?? Effect.succeed(true),
          list: (kind, query) =>
            Effect.map(driver.list({ ...query, table: kind.table, kind: kind.name }), (rows) =>
              rows.map(kind.read)
            ),
          ...operationsOf(driver),
          counter: (key) =>
            Effect.map(
              driver.facts({ ...factKeys([]), counters: [key] }),
              ({ counters }) => counters.get(key) ?? 0n
            ),
          ...reads
        })
      })
    )
}

const auditsOf = (
  driver: StorageDriver["Service"]
): Pick<Storage["Service"], "audit" | "prove"> => ({
  audit: ofOneEpoch(driver.epoch, "Unavailable", completeAudit(driver)),
  prove: (options) =>
    ofOneEpoch(
      driver.epoch,
      "Unavailable",
      "since" in options ? auditSince(driver, options) : completeAudit(driver, options)
    )
})

/** Measures the writes themselves: one for each group. */
const measuredWrites = (driver: StorageDriver["Service"]): StorageDriver["Service"] => ({
  ...driver,
  write: (merged) =>
    Effect.gen(function* () {
      const begun = yield* Clock.monotonicTimeNanos
      const exit = yield* Effect.exit(driver.write(merged))
      const took = Number((yield* Clock.monotonicTimeNanos) - begun) / 1e9
      const outcome = Exit.isFailure(exit)
        ? "failed"
        : isWritten(exit.value)
          ? "written"
          : "refused"
      yield* writes.record(took, outcome)
      yield* groupSize.record(merged.units.length)
      return yield* exit
    })
})

/** A machine whose clock is wrong purges nothing. */
const whileSound = (
  driver: StorageDriver["Service"],
  { isSound }: SharedClock
): Pick<Storage["Service"], "purge" | "forgetWrites"> => ({
  purge: (what, before, max) =>
    Effect.flatMap(isSound, (is) => (is ? driver.purge(what, before, max) : Effect.succeed(0))),
  forgetWrites: (max) =>
    Effect.flatMap(isSound, (is) => (is ? driver.forgetWrites(max) : Effect.succeed(0)))
})

const operationsOf = (
  driver: StorageDriver["Service"]
): Pick<Storage["Service"], "operations"> => ({
  operations: ({ kinds, ...query }) =>
    Effect.map(
      driver.operations({
        ...query,
        kinds: kinds.map(({ kind, statuses }) => ({
          kind: kind.name,
          ...present({ statuses })
        }))
      }),
      (rows) => {
        const read = kinds.map(({ kind }) => kind)
        return rows.flatMap((row) => readAny(read, row) ?? []).map(({ value }) => value)
      }
    )
})
