import type { Scope } from "effect"
import { Effect, Latch, Semaphore } from "effect"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import type { Ids } from "../time/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Storage } from "../storage/Storage.ts"
import type { Claim, Claimed } from "../ports/StorageDriver.ts"
import { beginningNow } from "../storage/Epoch.ts"
import type { ReservedSlot } from "../storage/JobBroker.ts"
import type { Queue } from "../units/Unit.ts"
import { jobs } from "../telemetry/Metrics.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { spanned } from "../telemetry/SpanGuarder.ts"
import { queueLabel } from "../telemetry/UnitCounters.ts"
import type { JobSlots } from "./JobSlots.ts"
import { makeSlots } from "./JobSlots.ts"
import type { LeaseKeeper } from "./LeaseKeeper.ts"
import { lease, makeKeeper } from "./LeaseKeeper.ts"

const limits = {
  /** Jobs at work at once in one worker of a process. */
  slots: 256,
  claimMax: 64,
  /** Of one group, mostly an account, in all processes. */
  slotsOfGroup: 32
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
  /** Groups that have another bound than `slotsOfGroup`, over all processes; asked for with each claim. */
  readonly bounds?: () => NonNullable<Claim["bounds"]>
  /** How many of them are free before more of a group is claimed that had all of its own. Default 1. */
  readonly freeOfGroup?: number
  /** How many are claimed at once. Default 64. */
  readonly claimMax?: number
  /** Whether jobs that are put in line here and are due may be begun here, without a claim. Default: never. */
  readonly mayBear?: () => boolean
}

/** Runs jobs in slots. They roll: whoever is done makes room for the next, and nobody waits for the slowest. */
export interface JobRunner {
  /** A shift, whose jobs end with the scope at the latest. */
  readonly shift: (scope: Scope.Scope) => Shift
  readonly isIdle: () => boolean
  /** Completes once none is at work. */
  readonly idle: Effect.Effect<void>
  /** Opens when any job has ended since. */
  readonly nextEnd: () => Latch.Latch
  /** Reserves a slot for a job that is about to be born leased, where there is one for it. */
  readonly reserve: (queue: Queue, group: Uuid) => ReservedSlot | undefined
  /** Whether work of a group waits for the end of another here, so that asking for it would be in vain. */
  readonly isFull: (queue: Queue, group: Uuid) => boolean
}

export interface Shift {
  /** Claims what is due in these queues and has a slot, begins it, and answers how much that was. */
  readonly take: (queues: ReadonlyArray<Queue>) => Effect.Effect<number, StorageError>
  /** Begins what is born, for ever. */
  readonly bear: Effect.Effect<never>
}

/** `hint` is told of queues in which work may wait for a slot that is there now. */
export const makeRunner = (
  services: WorkerServices,
  options: WorkerOptions,
  hint: (queue: Queue) => void
): JobRunner => {
  const { storage } = services
  const { bounds = () => [], mayBear = () => false, work } = options
  const { slots: count = limits.slots, slotsOfGroup = limits.slotsOfGroup } = options
  const { claimMax = limits.claimMax, freeOfGroup = 1 } = options
  const turnstile = Semaphore.makeUnsafe(1)
  const slotsOf = (group: Uuid) =>
    bounds().find((bound) => bound.group === group)?.max ?? slotsOfGroup
  const slots = makeSlots({ count, slotsOf, freeOfGroup }, hint)

  /** Begins a job in the scope of a shift, with a lease that is kept. */
  const runIn = (scope: Scope.Scope, keeper: LeaseKeeper) => (job: Claimed) =>
    Effect.andThen(keeper.hold(job), beginningNow(storage.epoch, workOff(job, work))).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          keeper.release(job)
          slots.leave(job)
        })
      ),
      Effect.uninterruptible,
      Effect.forkIn(scope, { startImmediately: true })
    )

  /** Each queue may have all slots that those before it leave over. */
  const takeFrom = Effect.fnUntraced(function* (asked: ReadonlyArray<Queue>, run: Run) {
    const held = asked.flatMap((queue): ReadonlyArray<Held> => {
      const max = slots.hold(queue, claimMax)
      return max === 0 ? [] : [{ queue, max }]
    })
    if (held.length === 0) return 0
    const terms = { perGroup: slotsOfGroup, ...boundsOf(bounds()) }
    const claims = yield* claimsOf(services, terms, held)
    const claimed = yield* Effect.ensuring(
      storage.claim(...claims),
      Effect.sync(() => {
        for (const { max, queue } of held) slots.release(queue, max)
      })
    )
    for (const { max, queue } of claims) {
      const jobs = claimed.filter((job) => job.queue === queue)
      slots.enter(queue, jobs, jobs.length >= max)
    }
    for (const job of claimed) yield* run(job)
    return claimed.length
  })

  const isIdle = slots.isEmpty
  const idle: Effect.Effect<void> = Effect.suspend(() =>
    isIdle() ? Effect.void : Effect.andThen(slots.nextEnd().await, idle)
  )

  const births = makeBirths({ slots, slotsOf, mayBear })
  return {
    shift: (scope) => {
      const run = runIn(scope, makeKeeper(storage, scope))
      return {
        take: (asked) =>
          takeFrom(asked, run).pipe(turnstile.withPermits(1), Effect.uninterruptible),
        bear: births.bear(run)
      }
    },
    isIdle,
    idle,
    nextEnd: slots.nextEnd,
    isFull: (queue, group) => slots.isFull({ queue, group }),
    reserve: births.reserve
  }
}

/** Left out where there are none, so that a claim is the same as without. */
const boundsOf = (bounds: NonNullable<Claim["bounds"]>): Pick<Claim, "bounds"> =>
  bounds.length === 0 ? {} : { bounds }

/** Slots that are held for a queue until its claim is answered. */
interface Held {
  readonly queue: Queue
  readonly max: number
}

/** Asks for what is due in several queues, by one clock. */
const claimsOf = Effect.fnUntraced(function* (
  { ids, time }: WorkerServices,
  terms: Pick<Claim, "perGroup" | "bounds">,
  held: ReadonlyArray<Held>
) {
  const now = yield* time.now
  const claims: Array<Claim> = []
  for (const { max, queue } of held)
    claims.push({ ...terms, queue, now, lease, max, token: yield* ids.next<LeaseToken>() })
  return claims
})

type Run = (job: Claimed) => Effect.Effect<unknown>

interface Births {
  readonly slots: JobSlots
  readonly slotsOf: (group: Uuid) => number
  readonly mayBear: () => boolean
}

/** Reserves slots for what is about to be born, and begins it when it is. */
const makeBirths = ({ mayBear, slots, slotsOf }: Births) => {
  const born: Array<Claimed> = []
  const isBorn = Latch.makeUnsafe(false)
  return {
    reserve: (queue: Queue, group: Uuid): ReservedSlot | undefined => {
      if (!mayBear() || !slots.take({ queue, group })) return undefined
      let isBack = false
      return {
        lease,
        perGroup: slotsOf(group),
        begin: (job) => {
          // Its caller had left, so that nobody knew that it would come.
          if (isBack) slots.retake(job)
          born.push(job)
          isBorn.openUnsafe()
        },
        giveBack: () => {
          isBack = true
          slots.leave({ queue, group })
        }
      }
    },
    bear: (run: Run): Effect.Effect<never> =>
      Effect.gen(function* () {
        yield* Effect.interruptible(isBorn.await)
        // Who wrote them goes on first, and answers.
        yield* Effect.yieldNow
        isBorn.closeUnsafe()
        for (const job of born.splice(0)) yield* run(job)
      }).pipe(Effect.uninterruptible, Effect.forever)
  }
}

/** A job that fails is left to its lease, and takes no neighbour along. */
const workOff = (job: Claimed, work: WorkerOptions["work"]) =>
  spanned(work(job), `job ${queueLabel(job.queue)}`, {
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
