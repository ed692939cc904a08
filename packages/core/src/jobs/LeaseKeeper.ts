import type { Scope } from "effect"
import { Clock, Duration, Effect } from "effect"
import type { Storage } from "../storage/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import { safeCause } from "../telemetry/SafeCause.ts"

/** How long a job is nobody else's, from its claim or its last renewal on. */
export const lease = Duration.seconds(60)

/** Twice before a lease ends. */
const renewEvery = Duration.seconds(20)
/** Work that takes longer is taken for stuck: its lease is renewed no more. */
const renewalsMax = 30

/** Renews the leases of jobs while they are at work, each until somebody else has it. */
export interface LeaseKeeper {
  readonly hold: (job: Claimed) => Effect.Effect<void>
  readonly release: (job: Claimed) => void
}

interface Held {
  renewals: number
  /** By the monotonic clock. */
  renewAtMillis: number
}

/** One watch serves all jobs: nearly all of them end long before their lease needs it. */
export const makeKeeper = (storage: Storage["Service"], scope: Scope.Scope): LeaseKeeper => {
  // Those that are renewed next come first.
  const jobs = new Map<Claimed, Held>()
  let isWatched = false

  const hold = (job: Claimed, renewals: number) =>
    Effect.map(nowMillis, (now) => {
      jobs.delete(job)
      jobs.set(job, { renewals, renewAtMillis: now + Duration.toMillis(renewEvery) })
    })

  const renew = Effect.fnUntraced(function* (job: Claimed) {
    const { id, queue, token } = job
    const isHeld = yield* storage
      .renew({ queue, id, token, lease })
      .pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("A lease could not be renewed.", safeCause(cause)), true)
        )
      )
    if (!isHeld) jobs.delete(job)
  })

  const goOn = Effect.fnUntraced(function* (job: Claimed, renewals: number) {
    if (renewals < renewalsMax) {
      yield* hold(job, renewals + 1)
      yield* Effect.forkIn(renew(job), scope)
      return
    }
    jobs.delete(job)
    yield* Effect.logError(
      "A job does not come to its end; its lease is not renewed any more."
    ).pipe(Effect.annotateLogs({ queue: job.queue, job: job.id }))
  })

  const watch = Effect.gen(function* () {
    for (;;) {
      const [first] = jobs
      if (first === undefined) return
      const [job, { renewals, renewAtMillis }] = first
      const left = renewAtMillis - (yield* nowMillis)
      yield* left > 0 ? Effect.sleep(Duration.millis(left)) : goOn(job, renewals)
    }
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        isWatched = false
      })
    ),
    Effect.interruptible
  )

  return {
    hold: (job) =>
      Effect.andThen(
        hold(job, 0),
        Effect.suspend(() => {
          if (isWatched) return Effect.void
          isWatched = true
          return Effect.forkIn(watch, scope)
        })
      ),
    release: (job) => {
      jobs.delete(job)
    }
  }
}

const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1_000_000)
