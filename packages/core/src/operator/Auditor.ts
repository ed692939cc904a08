import type { Scope } from "effect"
import { Clock, Context, DateTime, Duration, Effect, Layer } from "effect"
import type { LedgerTxId, UnitId } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import type { AuditOptions, AuditStep } from "../ports/AuditRun.ts"
import { refusedFor } from "../ports/DecideAgain.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { AuditReport } from "../ports/StorageDriver.ts"
import { audits, auditViolations } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { AuditCheckpoint } from "./AuditCheckpoint.ts"
import { auditSchedule, checkpointId, CheckpointKind, knownMax } from "./AuditCheckpoint.ts"

/** The ledger's proof. */
export interface Audit extends AuditReport {
  readonly ok: boolean
  /** When it ended, and how long it took in real time. */
  readonly checkedAt: DateTime.Utc
  readonly tookMillis: number
  /** Whether it looked at everything; otherwise at what is newer than `since`. */
  readonly complete: boolean
  readonly since: DateTime.Utc | null
}

type Checkpoint = Kind.Versioned<AuditCheckpoint>

/** Proves that the ledger balances, or names what does not. */
export class Auditor extends Context.Service<
  Auditor,
  {
    /** Looks at everything. Changes nothing, not even what later audits go on from. */
    readonly run: Effect.Effect<Audit, StorageError>
    /** Looks at what is new since the last audit in the background; at everything where there was none. */
    readonly recent: Effect.Effect<Audit, StorageError>
    /**
     * The audit in the background, where it is due and no process is at it: of what is new, and now and then of
     * everything, which trusts nothing that was kept. Keeps how far it came.
     */
    readonly turn: Effect.Effect<Audit | undefined, StorageError>
    /** Takes its turns until the scope closes. */
    readonly start: Effect.Effect<void, never, Scope.Scope>
  }
>()("@pagora/core/operator/Auditor") {
  static readonly layer: Layer.Layer<Auditor, never, Storage | ServiceTime | Ids> = Layer.effect(
    Auditor,
    Effect.gen(function* () {
      const audit = yield* makeAudit
      const storage = yield* Storage
      const turn = yield* makeTurn(audit)

      const recent = Effect.gen(function* () {
        const stored = yield* storage.find(CheckpointKind, checkpointId)
        return yield* audit(stored?.value, { isDry: true })
      })
      const takeTurn = turn.pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(
            "The audit did not come to its end; it is tried again.",
            safeCause(cause)
          )
        )
      )
      const start = Effect.asVoid(
        Effect.forkScoped(
          Effect.forever(Effect.andThen(Effect.sleep(auditSchedule.lookEvery), takeTurn))
        )
      )
      return Auditor.of({
        run: Effect.withSpan(audit(undefined, { isDry: true }), "Auditor.run"),
        recent: Effect.withSpan(recent, "Auditor.recent"),
        turn: Effect.withSpan(turn, "Auditor.turn"),
        start
      })
    })
  )
}

type Run = (
  checkpoint: AuditCheckpoint | undefined,
  options: Omit<AuditOptions, "keepUpTo">
) => Effect.Effect<Audit, StorageError>

/** Audits what is new since a checkpoint, or everything where there is none. */
const makeAudit = Effect.gen(function* () {
  const storage = yield* Storage
  const time = yield* ServiceTime

  const run: Run = Effect.fnUntraced(function* (checkpoint, options) {
    const begun = yield* Clock.monotonicTimeNanos
    const keepUpTo = settledAt(yield* time.now)
    const since =
      checkpoint?.through && DateTime.subtractDuration(checkpoint.through, auditSchedule.overlap)
    const report = yield* storage.prove(
      since === undefined
        ? { ...options, ...(options.isDry === true ? {} : { keepUpTo }) }
        : { ...options, keepUpTo, since: idOf(since), known: checkpoint?.known ?? [] }
    )
    const tookMillis = Math.round(Number((yield* Clock.monotonicTimeNanos) - begun) / 1e6)
    yield* tell(report, since === undefined, tookMillis)
    return {
      ...report,
      ok: report.violations.length === 0,
      checkedAt: yield* time.now,
      tookMillis,
      complete: since === undefined,
      since: since ?? null
    }
  })
  return run
})

const idOf = (at: DateTime.Utc): LedgerTxId => idsAt(at).first as LedgerTxId
const settledAt = (now: DateTime.Utc): LedgerTxId =>
  idOf(DateTime.subtractDuration(now, auditSchedule.settlesIn))

const tell = Effect.fnUntraced(function* (
  { violations }: AuditReport,
  isComplete: boolean,
  tookMillis: number
) {
  const scope = isComplete ? "complete" : "recent"
  yield* auditViolations.record(violations.length)
  yield* audits.record(1, violations.length === 0 ? "ok" : "violations", scope)
  if (violations.length === 0) return
  yield* Effect.logError("The audit found violations.").pipe(
    Effect.annotateLogs({
      violations: violations.length,
      rules: [...new Set(violations.map(({ rule }) => rule))].join(", "),
      first: violations[0]?.subject,
      scope,
      tookMillis
    })
  )
})

/** One audit in the background, under a lease that the checkpoint itself is. */
const makeTurn = Effect.fnUntraced(function* (audit: Run) {
  const storage = yield* Storage
  const time = yield* ServiceTime
  const ids = yield* Ids

  /** Undefined where another process was faster. */
  const write = Effect.fnUntraced(function* (from: Checkpoint | undefined, value: AuditCheckpoint) {
    const unit = { id: yield* ids.next<UnitId>(), at: yield* time.now }
    return yield* storage
      .commit(
        from === undefined
          ? { ...unit, inserts: [CheckpointKind.row(value)] }
          : { ...unit, updates: [Kind.update(CheckpointKind, from, value)] }
      )
      .pipe(
        refusedFor("StaleVersion", "DuplicateKey"),
        Effect.as<Checkpoint | undefined>({ value, version: (from?.version ?? 0) + 1 }),
        Effect.catchTag(["StaleVersion", "DuplicateKey"], () => Effect.succeed(undefined))
      )
  })
  const leased = Effect.map(time.now, (now) => ({
    runningUntil: DateTime.addDuration(now, auditSchedule.lease)
  }))

  /** Gives way to others between two reads, and keeps the lease while it goes on. */
  const goingOn = (mine: { current: Checkpoint }) =>
    Effect.fnUntraced(function* (step: AuditStep, done: number) {
      yield* Effect.sleep(auditSchedule.pause)
      const { runningUntil = yield* time.now } = mine.current.value
      const left = DateTime.distance(yield* time.now, runningUntil)
      if (Duration.toMillis(left) > Duration.toMillis(auditSchedule.lease) / 2) return
      yield* Effect.logInfo("The audit goes on.").pipe(Effect.annotateLogs({ step, done }))
      const next = yield* Effect.orElseSucceed(
        write(mine.current, { ...mine.current.value, ...(yield* leased) }),
        () => undefined
      )
      if (next !== undefined) mine.current = next
    })

  return Effect.gen(function* () {
    const stored = yield* storage.find(CheckpointKind, checkpointId)
    const begunAt = yield* time.now
    if (stored !== undefined && !isDue(stored.value, begunAt)) return undefined
    const known = stored?.value ?? { known: [] }
    const taken = yield* write(stored, { ...known, ...(yield* leased) })
    if (taken === undefined) return undefined
    const mine = { current: taken }
    const isComplete = isPast(known.completeAt, auditSchedule.completeEvery, begunAt)
    const report = yield* audit(isComplete ? undefined : known, { onProgress: goingOn(mine) })
    const completeAt = isComplete ? begunAt : known.completeAt
    yield* write(mine.current, {
      through: DateTime.subtractDuration(begunAt, auditSchedule.settlesIn),
      at: begunAt,
      ...(completeAt === undefined ? {} : { completeAt }),
      known: report.violations.slice(0, knownMax)
    })
    return report
  })
})

const isPast = (
  at: DateTime.Utc | undefined,
  after: Duration.Duration,
  now: DateTime.Utc
): boolean => at === undefined || DateTime.isLessThanOrEqualTo(DateTime.addDuration(at, after), now)

const isDue = ({ at, runningUntil }: AuditCheckpoint, now: DateTime.Utc): boolean =>
  isPast(runningUntil, Duration.zero, now) && isPast(at, auditSchedule.every, now)
