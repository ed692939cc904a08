import type { Scope } from "effect"
import { Duration, Effect, Fiber, Latch, Semaphore } from "effect"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
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

const limits = {
  /** Jobs at work at once in one worker of a process. */
  slots: 256,
  claimMax: 64,
  /** Of one group, mostly an account, in all processes. */
  slotsOfGroup: 32,
  lease: Duration.seconds(60),
  /** Twice before a lease ends. */
  renewEvery: Duration.seconds(20),
  /** Work that takes longer is taken for stuck: its lease is renewed no more. */
  renewalsMax: 30
} as const

export interface WorkerServices {
  readonly storage: Storage["Service"]
  readonly time: ServiceTime["Service"]
  readonly ids: Ids["Service"]
}

export interface WorkerOptions {
  readonly queues: ReadonlyArray<Queue>
  readonly work: (job: Claimed) => Effect.Effect<void, StorageError>
  /** How many are at work at once. Default 256. */
  readonly slots?: number
  /** How many of one group, over all processes. Default 32. */
  readonly slotsOfGroup?: number
}

/** Places for jobs. They roll: whoever is done makes room for the next, and nobody waits for the slowest. */
export interface JobSlots {
  /** Claims what is due in these queues and has a place, begins it in the scope, and answers how much that was. */
  readonly take: (
    queues: ReadonlyArray<Queue>,
    scope: Scope.Scope
  ) => Effect.Effect<number, StorageError>
  readonly isIdle: () => boolean
  /** Completes once none is at work. */
  readonly idle: Effect.Effect<void>
  /** Opens when any job has ended since. */
  readonly nextEnd: () => Latch.Latch
}

/** `hint` is told of queues in which work may wait for a place that is there now. */
export const makeSlots = (
  services: WorkerServices,
  options: WorkerOptions,
  hint: (queue: Queue) => void
): JobSlots => {
  const { ids, storage, time } = services
  const { slots = limits.slots, slotsOfGroup = limits.slotsOfGroup, work } = options
  const turnstile = Semaphore.makeUnsafe(1)
  const places = makePlaces({ slots, slotsOfGroup }, hint)

  const run = (job: Claimed, scope: Scope.Scope) =>
    workOff(services, job, work).pipe(
      Effect.ensuring(Effect.sync(() => places.leave(job))),
      Effect.uninterruptible,
      Effect.forkIn(scope, { startImmediately: true })
    )

  const claimOf = Effect.fnUntraced(function* (queue: Queue, max: number) {
    const now = yield* time.now
    const token = yield* ids.next<LeaseToken>()
    return { queue, now, lease: limits.lease, max, perGroup: slotsOfGroup, token }
  })

  /** Each queue may have all places that those before it leave over. */
  const takeFrom = Effect.fnUntraced(function* (asked: ReadonlyArray<Queue>, scope: Scope.Scope) {
    const held = asked.flatMap((queue) => {
      const max = places.hold(queue, limits.claimMax)
      return max === 0 ? [] : [{ queue, max }]
    })
    if (held.length === 0) return 0
    const claims = yield* Effect.forEach(held, ({ max, queue }) => claimOf(queue, max))
    const claimed = yield* Effect.ensuring(
      storage.claim(...claims),
      Effect.sync(() => places.release(claims.reduce((sum, { max }) => sum + max, 0)))
    )
    for (const { max, queue } of claims) {
      const jobs = claimed.filter((job) => job.queue === queue)
      places.enter(queue, jobs, jobs.length >= max)
    }
    for (const job of claimed) yield* run(job, scope)
    return claimed.length
  })

  const take: JobSlots["take"] = (asked, scope) =>
    takeFrom(asked, scope).pipe(turnstile.withPermits(1), Effect.uninterruptible)

  const isIdle = places.isEmpty
  const idle: Effect.Effect<void> = Effect.suspend(() =>
    isIdle() ? Effect.void : Effect.andThen(places.nextEnd().await, idle)
  )
  return { take, isIdle, idle, nextEnd: places.nextEnd }
}

/** Who is in the places, and where work may wait for one. */
const makePlaces = (
  { slots, slotsOfGroup }: { readonly slots: number; readonly slotsOfGroup: number },
  hint: (queue: Queue) => void
) => {
  const listeners = new Set<Latch.Latch>()
  const takenOf = new Map<Queue, Map<Uuid, number>>()
  // Where the last claim may have left work lying: anywhere in a queue, or of groups that have all their places.
  const waiting = new Map<Queue, "any" | ReadonlySet<Uuid>>()
  // Who found places kept for others.
  const crowded = new Set<Queue>()
  let taken = 0
  let held = 0

  const groupsOf = (queue: Queue) => {
    const groups = takenOf.get(queue) ?? new Map<Uuid, number>()
    takenOf.set(queue, groups)
    return groups
  }
  const free = () => slots - taken - held

  return {
    isEmpty: () => taken === 0,
    /** Keeps so many places for a claim, as far as they are free; answers how many. */
    hold: (queue: Queue, most: number): number => {
      const count = Math.max(0, Math.min(most, free()))
      if (count < Math.min(most, slots - taken)) crowded.add(queue)
      held += count
      // Whoever ends while the claim is under way makes room that it may not have seen.
      waiting.set(queue, "any")
      return count
    },
    /** What was held is free, or taken from here on. */
    release: (count: number) => {
      held -= count
      for (const queue of crowded) hint(queue)
      crowded.clear()
    },
    enter: (queue: Queue, claimed: ReadonlyArray<Claimed>, isMore: boolean) => {
      const groups = groupsOf(queue)
      taken += claimed.length
      for (const { group } of claimed) groups.set(group, (groups.get(group) ?? 0) + 1)
      const full = [...groups].filter(([, count]) => count >= slotsOfGroup)
      waiting.set(queue, isMore ? "any" : new Set(full.map(([group]) => group)))
      if (isMore && free() > 0) hint(queue)
    },
    leave: ({ group, queue }: Claimed) => {
      taken--
      const groups = groupsOf(queue)
      const left = (groups.get(group) ?? 1) - 1
      if (left > 0) groups.set(group, left)
      else groups.delete(group)
      for (const [one, where] of waiting)
        if (where === "any" || (one === queue && where.has(group))) hint(one)
      // Whoever is told acts at once, here and now: everything must be in order before.
      const told = [...listeners]
      listeners.clear()
      for (const listener of told) listener.openUnsafe()
    },
    nextEnd: () => {
      const listener = Latch.makeUnsafe(false)
      listeners.add(listener)
      return listener
    }
  }
}

/** A job that fails is left to its lease, and takes no neighbour along. */
const workOff = (services: WorkerServices, job: Claimed, work: WorkerOptions["work"]) =>
  Effect.gen(function* () {
    const keeping = yield* Effect.forkChild(Effect.interruptible(keepHeld(services, job)))
    yield* spanned(work(job), `job ${queueLabel(job.queue)}`, {
      root: true,
      kind: "consumer",
      attributes: { "pagora.queue": queueLabel(job.queue), "pagora.job": job.id }
    }).pipe(
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
    yield* Fiber.interrupt(keeping)
  })

/** Renews the lease while its work runs, until somebody else has the job. */
const keepHeld = Effect.fnUntraced(function* ({ storage }: WorkerServices, job: Claimed) {
  const { id, queue, token } = job
  for (let renewals = 0; renewals < limits.renewalsMax; renewals++) {
    yield* Effect.sleep(limits.renewEvery)
    const isHeld = yield* storage
      .renew({ queue, id, token, lease: limits.lease })
      .pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning("A lease could not be renewed.", safeCause(cause)), true)
        )
      )
    if (!isHeld) return
  }
  yield* Effect.logError("A job does not come to its end; its lease is not renewed any more.").pipe(
    Effect.annotateLogs({ queue, job: id })
  )
})
