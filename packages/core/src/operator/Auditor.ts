import type { DateTime } from "effect"
import { Context, Effect, Layer } from "effect"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { AuditReport } from "../ports/StorageDriver.ts"
import { audits, auditViolations } from "../telemetry/Metrics.ts"

/** The ledger's proof at an instant. */
export interface Audit extends AuditReport {
  readonly ok: boolean
  readonly checkedAt: DateTime.Utc
}

/** Proves that the ledger balances, or names what does not. */
export class Auditor extends Context.Service<
  Auditor,
  { readonly run: Effect.Effect<Audit, StorageError> }
>()("@pagora/core/operator/Auditor") {
  static readonly layer: Layer.Layer<Auditor, never, Storage | ServiceTime> = Layer.effect(
    Auditor,
    Effect.gen(function* () {
      const storage = yield* Storage
      const time = yield* ServiceTime

      const run = Effect.gen(function* () {
        const report = yield* storage.audit
        yield* auditViolations.record(report.violations.length)
        yield* audits.record(1, report.violations.length === 0 ? "ok" : "violations")
        if (report.violations.length > 0) {
          yield* Effect.logError("The audit found violations.").pipe(
            Effect.annotateLogs({
              violations: report.violations.length,
              first: report.violations[0]?.rule
            })
          )
        }
        return { ...report, ok: report.violations.length === 0, checkedAt: yield* time.now }
      })
      return Auditor.of({ run: Effect.withSpan(run, "Auditor.run") })
    })
  )
}
