import { Clock, Context, Effect, Layer } from "effect"
import { PspDirectory } from "../ports/Psp.ts"
import { circuitOf } from "../ports/PspCircuit.ts"
import { Storage } from "../ports/Storage.ts"
import { withinOf } from "../ports/Within.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/** `unknown`: it could not be asked, because something before it failed. */
export type CheckState = "ok" | "failed" | "unknown"

/** Whether requests should come here, and why not. It names no host, no address and no error. */
export interface HealthReport {
  readonly ready: boolean
  readonly checks: {
    /** The storage answers within two seconds. */
    readonly storage: CheckState
    /** The storage has all that this code needs. */
    readonly schema: CheckState
    /** Every PSP answers, as this process has met them. A service whose PSP is away is ready all the same. */
    readonly psps: CheckState
    /** The service is not stopping. */
    readonly accepting: CheckState
  }
}

/** What is said while the service stops; nothing else is looked at then. */
export const stopping: HealthReport = {
  ready: false,
  checks: { storage: "unknown", schema: "unknown", psps: "unknown", accepting: "failed" }
}

const answerMax = "2 seconds"
/** However often somebody asks, the storage is asked once in this time. */
const remembered = "1 second"

/** Tells whether the service can do its work. */
export class HealthChecks extends Context.Service<
  HealthChecks,
  {
    readonly check: Effect.Effect<HealthReport>
    /** From now on the answer is `stopping`: whoever sends requests here should send them elsewhere. */
    readonly drain: Effect.Effect<void>
  }
>()("@pagora/core/operator/HealthChecks") {
  static readonly layer: Layer.Layer<HealthChecks, never, Storage | PspDirectory> = Layer.effect(
    HealthChecks,
    Effect.gen(function* () {
      const storage = yield* Storage
      const directory = yield* PspDirectory
      const within = withinOf(yield* Clock.Clock)
      let isStopping = false
      let wasReady = true

      const arePspsAsked = Effect.map(
        Effect.forEach(directory.all, (id) => {
          const psp = directory.find(id)
          return (psp && circuitOf(psp)?.openFor) ?? Effect.undefined
        }),
        (open) => open.every((wait) => wait === undefined)
      )

      const look = Effect.gen(function* () {
        const isCurrent = yield* Effect.catchCause(within(storage.isCurrent, answerMax), (cause) =>
          Effect.as(
            Effect.logDebug("The storage did not answer a health check.", safeCause(cause)),
            undefined
          )
        )
        const report = reportOf(isCurrent, yield* arePspsAsked)
        if (report.ready !== wasReady) {
          wasReady = report.ready
          yield* report.ready
            ? Effect.logInfo("The service is ready again.")
            : Effect.annotateLogs(Effect.logWarning("The service is not ready."), report.checks)
        }
        return report
      })
      const check = yield* Effect.cachedWithTTL(look, remembered)
      return HealthChecks.of({
        check: Effect.suspend(() => (isStopping ? Effect.succeed(stopping) : check)),
        drain: Effect.sync(() => {
          isStopping = true
        })
      })
    })
  )
}

const reportOf = (isCurrent: boolean | undefined, arePspsAsked: boolean): HealthReport => ({
  ready: isCurrent === true,
  checks: {
    storage: isCurrent === undefined ? "failed" : "ok",
    schema: isCurrent === undefined ? "unknown" : isCurrent ? "ok" : "failed",
    psps: arePspsAsked ? "ok" : "failed",
    accepting: "ok"
  }
})
