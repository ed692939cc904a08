import { Duration, Effect, Exit, Latch, Scope } from "effect"
import type { StorageError } from "../units/Refused.ts"
import type { Queue } from "../units/Unit.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { Shift, WorkerOptions, WorkerServices } from "./JobRunner.ts"
import { makeRunner } from "./JobRunner.ts"

/** Works due jobs of some queues off. Any number of processes may run the same worker. */
export interface JobWorker {
  /** Says that something may be due now. */
  readonly wake: Effect.Effect<void>
  /** Works off everything that is due, and answers how much that was. */
  readonly drain: Effect.Effect<number, StorageError>
  /** Works until the scope closes, whenever the storage wakes it. */
  readonly start: Effect.Effect<void, never, Scope.Scope>
}

/** How long it rests after a claim that failed. */
const restFor = Duration.seconds(1)
/** How long a stop waits for jobs that are at work. */
const stopWithin = Duration.seconds(10)

export const make = (services: WorkerServices, options: WorkerOptions): JobWorker => {
  const hints = makeHints(options.queues)
  const runner = makeRunner(services, options, (queue) => hints.hint([queue]))

  const drain = Effect.gen(function* () {
    const shift = runner.shift(yield* Effect.scope)
    for (let worked = 0; ;) {
      // Listens before it claims, so that no end slips through between the two.
      const end = runner.nextEnd()
      const taken = yield* shift.take(options.queues)
      worked += taken
      // What has ended meanwhile may have brought more.
      if (taken > 0 || Latch.isOpen(end)) continue
      if (runner.isIdle()) return worked
      yield* end.await
    }
  }).pipe(Effect.scoped)

  const turns = ({ take }: Shift) =>
    Effect.gen(function* () {
      const queues = yield* hints.next
      yield* Effect.catchCause(take(queues), (cause) =>
        Effect.andThen(
          Effect.logError("A worker failed; it goes on.", safeCause(cause)),
          Effect.sleep(restFor)
        )
      )
    }).pipe(Effect.forever)

  return {
    drain,
    wake: Effect.sync(() => hints.hint(options.queues)),
    start: Effect.gen(function* () {
      const jobs = yield* Scope.make()
      // First nothing more is claimed, then what was begun comes to its end, so that nobody waits for its lease. What asks
      // a PSP is cut off only after that: it could not tell what became of it.
      yield* Effect.addFinalizer(() =>
        Effect.andThen(Effect.timeoutOption(runner.idle, stopWithin), Scope.close(jobs, Exit.void))
      )
      yield* services.storage.onWork({
        queues: options.queues,
        now: services.time.now,
        wake: (queues) => Effect.sync(() => hints.hint(queues)),
        reserve: runner.reserve,
        isFull: runner.isFull
      })
      const shift = runner.shift(jobs)
      yield* Effect.forkIn(shift.bear, jobs)
      yield* Effect.forkScoped(turns(shift))
    })
  }
}

/** Several workers as one, each with slots of its own. What one puts in line for another is drained as well. */
export const together = (workers: ReadonlyArray<JobWorker>): JobWorker => ({
  wake: Effect.forEach(workers, ({ wake }) => wake, { discard: true }),
  drain: Effect.gen(function* () {
    for (let worked = 0; ;) {
      const turn = yield* Effect.forEach(workers, ({ drain }) => drain)
      const sum = turn.reduce((all, one) => all + one, 0)
      if (sum === 0) return worked
      worked += sum
    }
  }),
  // They stop at once: stopping takes as long as the slowest.
  start: Effect.gen(function* () {
    const all = yield* Scope.fork(yield* Effect.scope, "parallel")
    for (const { start } of workers) yield* Scope.provide(start, yield* Scope.fork(all))
  })
})

/** In which queues something may be due. */
const makeHints = (queues: ReadonlyArray<Queue>) => {
  const hinted = new Set<Queue>(queues)
  const latch = Latch.makeUnsafe(true)
  const hint = (some: ReadonlyArray<Queue>) => {
    for (const queue of some) hinted.add(queue)
    // Whoever waits goes on at once, here and now.
    latch.openUnsafe()
  }

  const next = Effect.gen(function* () {
    yield* latch.await
    // Closed before the claim: what comes while it is under way opens it again.
    yield* latch.close
    const some = queues.filter((queue) => hinted.has(queue))
    hinted.clear()
    return some
  })
  return { hint, next }
}
