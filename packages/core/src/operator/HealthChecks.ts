import { Clock, Context, Duration, Effect, Layer, Semaphore } from "effect"
import { PspDirectory } from "../ports/Psp.ts"
import { circuitOf } from "../psp-calls/PspCircuit.ts"
import type { Skew } from "../storage/SharedClock.ts"
import { skewText } from "../storage/SharedClock.ts"
import { Storage } from "../storage/Storage.ts"
import { withinOf } from "../kernel/Within.ts"
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
    /** The clock of this machine differs from the storage's by no more than 5 seconds. */
    readonly clock: CheckState
    /** Every PSP answers, as this process has met them. A service whose PSP is away is ready all the same. */
    readonly psps: CheckState
    /** The service is not stopping. */
    readonly accepting: CheckState
  }
  /** A sentence for each check that failed, which says what to do. */
  readonly reasons: ReadonlyArray<string>
}

/** What is said while the service stops; nothing else is looked at then. */
export const stopping: HealthReport = {
  ready: false,
  checks: {
    storage: "unknown",
    schema: "unknown",
    clock: "unknown",
    psps: "unknown",
    accepting: "failed"
  },
  reasons: ["The service is stopping."]
}

const answerMax = Duration.seconds(2)
/** However often somebody asks, the storage is asked once in this time. */
const remembered = Duration.seconds(1)

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
        const skew = yield* storage.clock.skew
        const report = reportOf({ isCurrent, skew, arePspsAsked: yield* arePspsAsked })
        if (report.ready !== wasReady) {
          wasReady = report.ready
          yield* report.ready
            ? Effect.logInfo("The service is ready again.")
            : Effect.annotateLogs(Effect.logWarning("The service is not ready."), report.checks)
        }
        return report
      })
      const check = once(look)
      return HealthChecks.of({
        check: Effect.suspend(() => (isStopping ? Effect.succeed(stopping) : check)),
        drain: Effect.sync(() => {
          isStopping = true
        })
      })
    })
  )
}

/** What was seen last, or a new look: by the monotonic clock, for the other one may be what is wrong. */
const once = (look: Effect.Effect<HealthReport>): Effect.Effect<HealthReport> => {
  const turn = Semaphore.makeUnsafe(1)
  let last: { readonly report: HealthReport; readonly until: bigint } | undefined
  return turn.withPermit(
    Effect.gen(function* () {
      if (last !== undefined && (yield* Clock.monotonicTimeNanos) < last.until) return last.report
      const report = yield* look
      const until = (yield* Clock.monotonicTimeNanos) + Duration.toNanosUnsafe(remembered)
      last = { report, until }
      return report
    })
  )
}

interface Seen {
  readonly isCurrent: boolean | undefined
  readonly skew: Skew
  readonly arePspsAsked: boolean
}

const reportOf = ({ arePspsAsked, isCurrent, skew }: Seen): HealthReport => ({
  ready: isCurrent === true && !skew.isTooMuch,
  checks: {
    storage: isCurrent === undefined ? "failed" : "ok",
    schema: isCurrent === undefined ? "unknown" : isCurrent ? "ok" : "failed",
    clock: skew.isTooMuch ? "failed" : "ok",
    psps: arePspsAsked ? "ok" : "failed",
    accepting: "ok"
  },
  reasons: [
    ...(isCurrent === undefined ? ["The storage does not answer within 2 seconds."] : []),
    ...(isCurrent === false
      ? ["The storage is older than this program: bring it up to date."]
      : []),
    ...(skew.isTooMuch ? [skewText(skew)] : []),
    ...(arePspsAsked
      ? []
      : ["A PSP keeps silent and is left alone for now; the service is ready all the same."])
  ]
})
