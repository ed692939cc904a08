import type { Scope } from "effect"
import { Clock, DateTime, Duration, Effect, Latch } from "effect"
import type { LeaseToken } from "../kernel/Ids.ts"
import type { Ids } from "../ports/Ids.ts"
import type { StorageError } from "../ports/Refused.ts"
import type { ServiceTime } from "../ports/ServiceTime.ts"
import type { Storage } from "../ports/Storage.ts"
import type { Claimed } from "../ports/StorageDriver.ts"
import type { Queue } from "../ports/Unit.ts"
import { jobs } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { spanned } from "../telemetry/SpanGuarder.ts"
import { queueLabel } from "../telemetry/UnitCounters.ts"

/** Works due jobs of some queues off. Any number of processes may run the same worker. */
export interface JobWorker {
  /** Says that something may be due now. */
  readonly wake: Effect.Effect<void>
  /** Works off everything that is due, and answers how much that was. */
  readonly drain: Effect.Effect<number, StorageError>
  /** Works until the scope closes: when woken, and at least every second. */
  readonly start: Effect.Effect<void, never, Scope.Scope>
}

const limits = {
  claimMax: 64,
  atOnceMax: 16,
  lease: Duration.seconds(60),
  pollEvery: Duration.seconds(1)
} as const

export interface WorkerServices {
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
  readonly ids: Ids["Service"]
}

interface WorkerOptions {
  readonly queues: ReadonlyArray<Queue>
  readonly work: (job: Claimed) => Effect.Effect<void, StorageError>
  /** How many are claimed together, where one can take long: the lease of all begins at once. Default 64. */
  readonly claimMax?: number
}

export const make = (services: WorkerServices, options: WorkerOptions): JobWorker => {
  const { storage } = services
  const latch = Latch.makeUnsafe(false)
  const batches = makeBatches(services, options)

  const workOffDue = Effect.gen(function* () {
    let worked = 0
    for (;;) {
      const size = yield* batches.next
      if (size === 0) return worked
      worked += size
    }
  })

  // What somebody else has claimed here was due as well: it must have ended, and so must what it brought.
  const drain = Effect.gen(function* () {
    const first = yield* workOffDue
    if (batches.isIdle()) return first
    yield* batches.end
    return first + (yield* workOffDue)
  })

  const turn = Effect.gen(function* () {
    yield* Effect.catchCause(workOffDue, (cause) =>
      Effect.logError("A worker failed; it goes on.", safeCause(cause))
    )
    yield* Effect.timeoutOption(latch.await, limits.pollEvery)
    yield* latch.close
  })
  return {
    drain,
    wake: Effect.asVoid(latch.open),
    start: Effect.gen(function* () {
      yield* Effect.forEach(
        options.queues,
        (queue) => storage.onWork(queue, Effect.asVoid(latch.open)),
        { discard: true }
      )
      yield* Effect.forkScoped(Effect.forever(turn))
    })
  }
}

/** Jobs that are claimed together and worked off side by side. */
const makeBatches = (
  { ids, storage, time }: WorkerServices,
  { claimMax = limits.claimMax, queues, work }: WorkerOptions
) => {
  /** One latch for each batch that is claimed or worked on here, opened when it has ended. */
  const running = new Set<Latch.Latch>()

  const claim = Effect.fnUntraced(function* (queue: Queue) {
    return yield* storage.claim({
      queue,
      now: yield* time.now,
      clock: DateTime.makeUnsafe(yield* Clock.currentTimeMillis),
      lease: limits.lease,
      max: claimMax,
      perGroup: claimMax,
      token: yield* ids.next<LeaseToken>()
    })
  })

  // A job that was begun is brought to its end before a stop, so that nobody waits for its lease. One that fails
  // is left to its lease, and does not take its neighbours along.
  const workOff = (job: Claimed) =>
    spanned(work(job), `job ${queueLabel(job.queue)}`, {
      root: true,
      kind: "consumer",
      attributes: { "pagora.queue": queueLabel(job.queue), "pagora.job": job.id }
    }).pipe(
      Effect.uninterruptible,
      Effect.catchCause((cause) =>
        Effect.logError(
          "A job failed; it is tried again when its lease ends.",
          safeCause(cause)
        ).pipe(
          Effect.annotateLogs({ queue: job.queue, job: job.id }),
          Effect.andThen(jobs.record(1, queueLabel(job.queue), "failed"))
        )
      )
    )

  const next = Effect.suspend(() => {
    const end = Latch.makeUnsafe(false)
    running.add(end)
    const ended = Effect.sync(() => {
      running.delete(end)
      end.openUnsafe()
    })
    return Effect.gen(function* () {
      const claimed = (yield* Effect.forEach(queues, claim)).flat()
      yield* Effect.forEach(claimed, workOff, { concurrency: limits.atOnceMax, discard: true })
      return claimed.length
    }).pipe(Effect.ensuring(ended))
  })
  return {
    /** Claims what is due, works it off, and answers how much it was. */
    next,
    isIdle: () => running.size === 0,
    /** Waits for the end of those that are running now. */
    end: Effect.suspend(() => Effect.forEach([...running], (end) => end.await, { discard: true }))
  }
}
