import type { Scope } from "effect"
import { Clock, Context, DateTime, Deferred, Duration, Effect, Layer } from "effect"
import type { LedgerTxId } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { AuditOptions, AuditStep } from "../audit/AuditRun.ts"
import type { Ids } from "../time/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { AuditReport } from "../ports/StorageDriver.ts"
import { audits, auditViolations } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { AuditCheckpoint } from "./AuditCheckpoint.ts"
import { auditSchedule, checkpointId, CheckpointKind, knownMax } from "./AuditCheckpoint.ts"
import type { AuditLease } from "./AuditLeases.ts"
import { takeAuditLease } from "./AuditLeases.ts"

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

/** Proves that the ledger balances, or names what does not; in the background what is new (decision 0067). */
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
      const time = yield* ServiceTime
      const turn = yield* makeTurn(audit)

      const recent = Effect.gen(function* () {
        const stored = yield* storage.find(CheckpointKind, checkpointId)
        return yield* audit(believed(stored?.value, yield* time.now), { isDry: true })
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
    const keepUpTo = oldEnoughAt(yield* time.now)
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
const oldEnoughAt = (now: DateTime.Utc): LedgerTxId =>
  idOf(DateTime.subtractDuration(now, auditSchedule.youngFor))

const tell = Effect.fnUntraced(function* (
  { violations }: AuditReport,
  isComplete: boolean,
  tookMillis: number
) {
  const scope = isComplete ? "complete" : "recent"
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
  const take = yield* takeAuditLease

  /** Gives way to others between two reads, and keeps the lease; does not come back where that is lost. */
  const goingOn = (lease: AuditLease, lost: Deferred.Deferred<void>) =>
    Effect.fnUntraced(function* (step: AuditStep, done: number) {
      yield* Effect.sleep(auditSchedule.pause)
      // Whether it was renewed is not known then; the next time tells.
      const kept = yield* Effect.orElseSucceed(lease.goOn, () => "held")
      if (kept === "lost")
        return yield* Effect.andThen(Deferred.succeed(lost, undefined), Effect.never)
      if (kept === "renewed")
        yield* Effect.logInfo("The audit goes on.").pipe(Effect.annotateLogs({ step, done }))
    })

  return Effect.gen(function* () {
    const stored = yield* storage.find(CheckpointKind, checkpointId)
    if (stored !== undefined) yield* auditViolations.record(stored.value.known.length)
    const begunAt = yield* time.now
    const before = believed(stored?.value, begunAt)
    if (!isDue(before, begunAt)) return undefined
    const lease = yield* take(stored)
    if (lease === undefined) return undefined
    const isComplete = isPast(before.completeAt, auditSchedule.completeEvery, begunAt)
    const lost = yield* Deferred.make<void>()
    const report = yield* Effect.raceFirst(
      audit(isComplete ? undefined : before, { onProgress: goingOn(lease, lost) }),
      Effect.as(Deferred.await(lost), undefined)
    )
    const completeAt = isComplete ? begunAt : before.completeAt
    const known = report?.violations.slice(0, knownMax) ?? []
    const isKept =
      report !== undefined &&
      (yield* lease.end({
        through: DateTime.subtractDuration(begunAt, auditSchedule.youngFor),
        at: begunAt,
        ...present({ completeAt }),
        known
      }))
    if (isKept) yield* auditViolations.record(known.length)
    else yield* Effect.logWarning(takenOver)
    return report
  })
})

const takenOver =
  "Another process has taken the audit over, because this one did not renew its lease in time. What this one found is not kept."

/** What a checkpoint tells. What was written by a clock that was ahead tells nothing but what was wrong. */
const believed = (checkpoint: AuditCheckpoint | undefined, now: DateTime.Utc): AuditCheckpoint => {
  const { known, runningUntil, ...reached } = checkpoint ?? { known: [] }
  const latest = DateTime.addDuration(now, auditSchedule.aheadMax)
  const isAhead = (at: DateTime.Utc | undefined, by = Duration.zero): boolean =>
    at !== undefined && DateTime.isGreaterThan(at, DateTime.addDuration(latest, by))
  const { at, completeAt, through } = reached
  return {
    known,
    ...(isAhead(runningUntil, auditSchedule.lease) ? {} : present({ runningUntil })),
    ...([at, completeAt, through].some((instant) => isAhead(instant)) ? {} : reached)
  }
}

const isPast = (
  at: DateTime.Utc | undefined,
  after: Duration.Duration,
  now: DateTime.Utc
): boolean => at === undefined || DateTime.isLessThanOrEqualTo(DateTime.addDuration(at, after), now)

const isDue = ({ at, runningUntil }: AuditCheckpoint, now: DateTime.Utc): boolean =>
  isPast(runningUntil, Duration.zero, now) && isPast(at, auditSchedule.every, now)
