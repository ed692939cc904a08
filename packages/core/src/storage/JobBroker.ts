import type { Scope } from "effect"
import { Clock, DateTime, Deferred, Duration, Effect, Exit, Fiber, Latch } from "effect"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { LeaseToken, Uuid } from "../kernel/Ids.ts"
import type { OnWritten } from "./GroupWriter.ts"
import { madeOfRandom } from "../kernel/IdMaker.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Claim, Claimed, StorageDriverShape } from "../ports/StorageDriver.ts"
import type { BirthLease, JobWrite, Queue, Unit } from "../units/Unit.ts"

/** How late, at most, work of other processes is seen. */
const pollEvery = Duration.seconds(1)

/**
 * After so many polls at the latest comes a claim, whatever the look before it said: what somebody held and lost, such as a
 * process that was killed, is in no line that is looked at.
 */
const pollsPerClaim = 5

/** What becomes due in so short a time is claimed together. */
const restAfterRing = Duration.millis(100)

/** Who works jobs of some queues off in this process. */
export interface Consumer {
  readonly queues: ReadonlyArray<Queue>
  /** What time it is by the clock that its jobs are due by. */
  readonly now: Effect.Effect<DateTime.Utc>
  /** Says that something may be due now in some of them. */
  readonly wake: (queues: ReadonlyArray<Queue>) => Effect.Effect<void>
  /** Reserves a slot for a job of this group that is put in line here and is due, if it may have one. */
  readonly reserve?: (queue: Queue, group: Uuid) => ReservedSlot | undefined
  /** Whether such work waits here for the end of other work, so that nobody need be woken. */
  readonly isFull?: (queue: Queue, group: Uuid) => boolean
}

/** A slot that is kept for a job until it is begun or the slot given back. */
export interface ReservedSlot {
  readonly lease: Duration.Duration
  /** Jobs of its group that may be leased at once, in all processes. */
  readonly perGroup: number
  /** The job is in line, and leased. It may be that the slot was given back before. */
  readonly begin: (job: Claimed) => void
  readonly giveBack: () => void
}

/**
 * Where the workers of a process come for jobs. What they ask for at the same time goes out as one claim, and so does what
 * they ask for while a claim is under way. Nobody polls by himself: one look a second says whether anything is due, and all are
 * woken together where it is (decisions 0087 and 0113).
 */
export interface JobBroker {
  readonly claim: (
    ...claims: ReadonlyArray<Claim>
  ) => Effect.Effect<ReadonlyArray<Claimed>, StorageError>
  /** Wakes until the scope closes. */
  readonly onWork: (consumer: Consumer) => Effect.Effect<void, never, Scope.Scope>
  /**
   * Writes a unit by `write`. What it puts in line and is due here and now is born leased to those who have a slot for it,
   * and begun as soon as it is written. All others whose work it put in line are told.
   */
  readonly writing: <E>(
    unit: Unit,
    write: (unit: Unit) => Effect.Effect<void, E>
  ) => Effect.Effect<void, E>
  /** What was written is begun where it was born leased, whether or not its caller still waits. */
  readonly onWritten: OnWritten
}

type Lines = Pick<StorageDriverShape, "claim" | "nextDue">

export const makeBroker = (
  driver: Lines,
  isSound: Effect.Effect<boolean, StorageError>
): JobBroker => {
  const consumers = new Set<Consumer>()
  const watch = makeWatch(driver, consumers, (claims) =>
    Effect.flatMap(isSound, (is) => (is ? driver.claim(claims) : Effect.succeed([])))
  )
  const births = makeBirths(
    consumers,
    Effect.orElseSucceed(isSound, () => false)
  )

  const isScheduling = ({ jobs = [] }: Unit) => jobs.some((job) => "due" in job)
  const tell = Effect.fnUntraced(function* ({ at, jobs = [] }: Unit) {
    const dues = jobs.filter((job) => "due" in job).filter((job) => !births.isBegun(job))
    if (dues.length === 0) return
    for (const { isFull, queues, wake } of consumers) {
      const ours = dues.filter(({ queue }) => queues.includes(queue))
      const now = ours.filter(
        (job) => isDue(job, at) && !("group" in job && isFull?.(job.queue, job.group) === true)
      )
      if (now.length > 0) yield* wake(now.map(({ queue }) => queue))
      for (const { due } of ours) yield* watch.within(DateTime.distance(at, due))
    }
  })

  return {
    claim: watch.claim,
    writing: (unit, write) => {
      if (!isScheduling(unit)) return write(unit)
      return births.isOffered(unit)
        ? Effect.acquireUseRelease(
            births.lease(unit),
            (leased) => Effect.andThen(write(leased), tell(leased)),
            births.end
          )
        : Effect.andThen(
            write(unit),
            Effect.suspend(() => tell(unit))
          )
    },
    onWritten: births.onWritten,
    onWork: (consumer) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.suspend(() => (consumers.add(consumer).size === 1 ? watch.start : Effect.void)),
          () => {
            consumers.delete(consumer)
            return consumers.size === 0 ? watch.stop : Effect.void
          }
        )
      )
  }
}

/** When those who work here are woken: all together, and all that they claim by that is one claim. */
const makeWatch = (driver: Pick<Lines, "nextDue">, consumers: ReadonlySet<Consumer>, ask: Ask) => {
  const wakeAll = Effect.suspend(() =>
    Effect.forEach([...consumers], ({ queues, wake }) => wake(queues), { discard: true })
  )

  /** When the next job of anybody is due that nobody holds: the alarm is set to it. Whether that is now. */
  const lookAhead = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const due = yield* driver.nextDue([...new Set([...consumers].flatMap(({ queues }) => queues))])
    if (due === undefined) return false
    const wait = DateTime.distance(now, due)
    yield* alarm.after(wait)
    return !Duration.isPositive(wait)
  })
  const looked = (now: DateTime.Utc) =>
    Effect.catchCause(lookAhead(now), (cause) =>
      Effect.as(
        Effect.logWarning("It could not be learnt when work is due next.", safeCause(cause)),
        false
      )
    )
  const isAnyDue = Effect.suspend(() => {
    const [first] = consumers
    return first === undefined ? Effect.succeed(false) : Effect.flatMap(first.now, looked)
  })

  // Owed by the claims of a start, and by those that come of a wake.
  let isLookOwed = false
  const { claim, together } = gathering(ask, (claims) => {
    const [first] = claims
    if (first === undefined || !isLookOwed) return Effect.void
    isLookOwed = false
    return looked(claims.reduce((latest, one) => DateTime.max(latest, one.now), first.now))
  })

  let polls = 0
  const wakeTogether = Effect.suspend(() => {
    polls = 0
    isLookOwed = true
    return together(wakeAll)
  })
  const alarm = makeAlarm((isExpected) => {
    if (isExpected || ++polls >= pollsPerClaim) return wakeTogether
    return Effect.flatMap(isAnyDue, (isDue) => (isDue ? wakeTogether : Effect.void))
  })

  return {
    claim,
    within: alarm.within,
    start: Effect.suspend(() => {
      isLookOwed = true
      return alarm.start
    }),
    stop: alarm.stop
  }
}

type Scheduled = Extract<JobWrite, { readonly _tag: "Schedule" }>

const isDue = ({ due }: Pick<Scheduled, "due">, at: DateTime.Utc): boolean =>
  DateTime.isLessThanOrEqualTo(due, at)

/** The jobs that are born leased, and the slots that are kept for them. */
const makeBirths = (consumers: ReadonlySet<Consumer>, isSound: Effect.Effect<boolean>) => {
  const ids = madeOfRandom()
  // Kept no longer than anybody still writes with them.
  const kept = new WeakMap<BirthLease, { readonly slot: ReservedSlot; isBegun: boolean }>()

  const consumersOf = (job: Scheduled) =>
    [...consumers].filter(
      ({ queues, reserve }) => reserve !== undefined && queues.includes(job.queue)
    )
  const isOffered = ({ at, jobs = [] }: Unit) =>
    jobs.some((job) => job._tag === "Schedule" && isDue(job, at) && consumersOf(job).length > 0)

  const leased = Effect.fnUntraced(function* (job: JobWrite, at: DateTime.Utc) {
    if (job._tag !== "Schedule" || !isDue(job, at)) return job
    const [consumer] = consumersOf(job)
    const slot = consumer?.reserve?.(job.queue, job.group)
    if (slot === undefined) return job
    const { lease: duration, perGroup } = slot
    const lease = { token: yield* ids.next<LeaseToken>(), lease: duration, perGroup }
    kept.set(lease, { slot, isBegun: false })
    return { ...job, lease }
  })
  const birthOf = (job: JobWrite) =>
    job._tag === "Schedule" && job.lease !== undefined ? kept.get(job.lease) : undefined

  const onWritten: OnWritten = (merged, leaseless) => {
    for (const { due, group, id, lease, queue } of merged.jobs) {
      const birth = lease === null ? undefined : kept.get(lease)
      if (lease === null || birth === undefined || due === null || group === null) continue
      if (leaseless.includes(lease.token)) continue
      birth.isBegun = true
      birth.slot.begin({ queue, id, group, token: lease.token, due })
    }
  }
  return {
    isOffered,
    isBegun: (job: JobWrite) => birthOf(job)?.isBegun === true,
    onWritten,
    /** A machine whose clock is wrong takes no work. */
    lease: Effect.fnUntraced(function* (unit: Unit) {
      if (!(yield* isSound)) return unit
      const jobs = yield* Effect.forEach(unit.jobs ?? [], (job) => leased(job, unit.at))
      return { ...unit, jobs }
    }),
    /** Gives the slots back of those that were not born. */
    end: (unit: Unit) =>
      Effect.sync(() => {
        for (const job of unit.jobs ?? []) {
          const birth = birthOf(job)
          if (birth?.isBegun === false) birth.slot.giveBack()
        }
      })
  }
}

type Ask = (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<Claimed>, StorageError>

interface Asked {
  readonly claims: ReadonlyArray<Claim>
  readonly done: Deferred.Deferred<ReadonlyArray<Claimed>, StorageError>
}

/**
 * One claim for all who ask at once; `after` runs between it and the next. Whoever asks while nobody does leads: he asks for
 * all who have come so far, and waits for nobody who comes later.
 */
const gathering = (ask: Ask, after: (claims: ReadonlyArray<Claim>) => Effect.Effect<unknown>) => {
  let line: ReadonlyArray<Asked> = []
  let isLed = false

  const round = Effect.suspend(() => {
    const asked = line
    line = []
    const claims = asked.flatMap((one) => one.claims)
    if (claims.length === 0) return Effect.void
    // Whatever it breaks of is told to those who asked, and there is a next one.
    return Effect.flatMap(Effect.exit(ask(claims)), (exit) => {
      for (const one of asked) {
        const tokens = new Set(one.claims.map(({ token }) => token))
        Deferred.doneUnsafe(
          one.done,
          Exit.map(exit, (jobs) => jobs.filter(({ token }) => tokens.has(token)))
        )
      }
      return Exit.isSuccess(exit) ? after(claims) : Effect.void
    })
  })
  const rounds: Effect.Effect<void> = Effect.suspend(() => {
    if (line.length > 0) return Effect.andThen(round, rounds)
    isLed = false
    return Effect.void
  })
  const lead = Effect.andThen(
    round,
    Effect.suspend(() => (line.length > 0 ? Effect.forkDetach(rounds) : rounds))
  )
  /** As a finalizer, so that whoever is cut off leads to the end all the same: others wait for it. */
  const led = (first: Effect.Effect<void>) =>
    Effect.suspend(() => {
      if (isLed) return first
      isLed = true
      return Effect.ensuring(first, lead)
    })

  const claim: JobBroker["claim"] = (...claims) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<ReadonlyArray<Claimed>, StorageError>()
      const asked = Effect.sync(() => {
        line = [...line, { claims, done }]
      })
      return Effect.andThen(led(asked), Deferred.await(done))
      // What was claimed is somebody's.
    }).pipe(Effect.uninterruptible)
  return {
    claim,
    /** Those who ask because of `wake` ask together. */
    together: (wake: Effect.Effect<void>) => led(Effect.andThen(wake, Effect.yieldNow))
  }
}

/** Rings every second while it runs, and earlier where it is told to: then something is expected to be due. */
const makeAlarm = (ring: (isExpected: boolean) => Effect.Effect<void>) => {
  const moved = Latch.makeUnsafe(false)
  let ringAtMillis = 0
  let isExpected = false
  let running: Fiber.Fiber<void> | undefined

  const wind = Effect.map(nowMillis, (now) => {
    ringAtMillis = now + Duration.toMillis(pollEvery)
    isExpected = false
  })
  const turn = Effect.gen(function* () {
    const left = ringAtMillis - (yield* nowMillis)
    if (left > 0) {
      moved.closeUnsafe()
      yield* Effect.timeoutOption(moved.await, Duration.millis(left))
      return
    }
    const wasExpected = isExpected
    yield* wind
    yield* ring(wasExpected)
  })

  /** Rings after so long at the latest; what is in the past has been heard of. */
  const within = (wait: Duration.Duration) =>
    Effect.map(nowMillis, (now) => {
      const millis = Duration.toMillis(wait)
      if (millis <= 0 || now + millis >= ringAtMillis) return
      ringAtMillis = now + millis
      isExpected = true
      moved.openUnsafe()
    })

  return {
    start: Effect.gen(function* () {
      yield* wind
      running = yield* Effect.forkDetach(Effect.forever(turn))
    }),
    stop: Effect.suspend(() => (running === undefined ? Effect.void : Fiber.interrupt(running))),
    within,
    /** The same, but not at once: what becomes due one after another is claimed together. */
    after: (wait: Duration.Duration) =>
      // What is due and was not given out waits for a slot, and whoever leaves one claims.
      Duration.isPositive(wait) ? within(Duration.max(wait, restAfterRing)) : Effect.void
  }
}

/** Monotonic, and to the fraction. */
const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1_000_000)
