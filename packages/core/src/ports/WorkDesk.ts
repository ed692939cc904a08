import type { Scope } from "effect"
import { Clock, DateTime, Deferred, Duration, Effect, Exit, Fiber, Latch, Semaphore } from "effect"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { StorageError } from "./Refused.ts"
import type { Claim, Claimed, StorageDriverShape } from "./StorageDriver.ts"
import type { Queue, Unit } from "./Unit.ts"

/** How late, at most, work of other processes is seen. */
const pollEvery = Duration.seconds(1)

/** Who works jobs of some queues off in this process. */
export interface Taker {
  readonly queues: ReadonlyArray<Queue>
  /** Says that something may be due now in some of them. */
  readonly wake: (queues: ReadonlyArray<Queue>) => Effect.Effect<void>
}

/**
 * Where the workers of a process come for work. What they ask for at the same time goes out as one claim, and so does what
 * they ask for while a claim is under way. Nobody polls by himself: all are woken together, every second and when something is
 * due before that.
 */
export interface WorkDesk {
  readonly claim: (
    ...claims: ReadonlyArray<Claim>
  ) => Effect.Effect<ReadonlyArray<Claimed>, StorageError>
  /** Wakes until the scope closes. */
  readonly onWork: (taker: Taker) => Effect.Effect<void, never, Scope.Scope>
  /** Tells those whose work a unit has put in line. */
  readonly tell: (unit: Unit) => Effect.Effect<void>
}

type Lines = Pick<StorageDriverShape, "claim" | "nextDue">

export const makeDesk = (
  driver: Lines,
  isSound: Effect.Effect<boolean, StorageError>
): WorkDesk => {
  const takers = new Set<Taker>()
  const wakeAll = Effect.suspend(() =>
    Effect.forEach([...takers], ({ queues, wake }) => wake(queues), { discard: true })
  )

  /** When the next job is due that nobody holds: asked once for all, where a claim gave nothing. */
  const lookAhead = Effect.fnUntraced(function* (now: DateTime.Utc) {
    const due = yield* driver.nextDue([...new Set([...takers].flatMap(({ queues }) => queues))])
    // What is due and was not given out waits for a place, and whoever leaves one claims.
    if (due !== undefined) yield* alarm.within(DateTime.distance(now, due))
  })
  const ask = Effect.fnUntraced(function* (claims: ReadonlyArray<Claim>) {
    return (yield* isSound) ? yield* driver.claim(claims) : []
  })
  const { claim, together } = gathering(ask, (claims, jobs) => {
    const [first] = claims
    if (first === undefined || jobs.length > 0 || !alarm.hasRung()) return Effect.void
    alarm.heed()
    const now = claims.reduce((latest, one) => DateTime.max(latest, one.now), first.now)
    return Effect.catchCause(lookAhead(now), (cause) =>
      Effect.logWarning("It could not be learnt when work is due next.", safeCause(cause))
    )
  })

  const alarm = makeAlarm(together(wakeAll))

  const tell = Effect.fnUntraced(function* ({ at, jobs = [] }: Unit) {
    const dues = jobs.filter((job) => "due" in job)
    if (dues.length === 0) return
    for (const { queues, wake } of takers) {
      const ours = dues.filter(({ queue }) => queues.includes(queue))
      const now = ours.filter(({ due }) => DateTime.isLessThanOrEqualTo(due, at))
      if (now.length > 0) yield* wake(now.map(({ queue }) => queue))
      for (const { due } of ours) yield* alarm.within(DateTime.distance(at, due))
    }
  })

  return {
    claim,
    tell,
    onWork: (taker) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.suspend(() => {
            takers.add(taker)
            return takers.size === 1 ? alarm.start : Effect.void
          }),
          () =>
            Effect.suspend(() => {
              takers.delete(taker)
              return takers.size === 0 ? alarm.stop : Effect.void
            })
        )
      )
  }
}

interface Asked {
  readonly claims: ReadonlyArray<Claim>
  readonly done: Deferred.Deferred<ReadonlyArray<Claimed>, StorageError>
}

/** One claim for all who ask at once; `after` runs between it and the next. */
const gathering = (
  ask: (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<Claimed>, StorageError>,
  after: (claims: ReadonlyArray<Claim>, jobs: ReadonlyArray<Claimed>) => Effect.Effect<void>
) => {
  const turnstile = Semaphore.makeUnsafe(1)
  let line: ReadonlyArray<Asked> = []

  /** Whoever comes first asks for all who have come since. */
  const lead = Effect.gen(function* () {
    const asked = line
    line = []
    const claims = asked.flatMap((one) => one.claims)
    const exit = yield* Effect.exit(ask(claims))
    for (const one of asked) {
      const tokens = new Set(one.claims.map(({ token }) => token))
      Deferred.doneUnsafe(
        one.done,
        Exit.map(exit, (jobs) => jobs.filter(({ token }) => tokens.has(token)))
      )
    }
    if (Exit.isSuccess(exit)) yield* after(claims, exit.value)
  })

  const claim: WorkDesk["claim"] = (...claims) =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<ReadonlyArray<Claimed>, StorageError>()
      line = [...line, { claims, done }]
      return Effect.suspend(() => (Deferred.isDoneUnsafe(done) ? Effect.void : lead)).pipe(
        turnstile.withPermits(1),
        Effect.andThen(Deferred.await(done)),
        // What was claimed is somebody's.
        Effect.uninterruptible
      )
    })
  return {
    claim,
    /** Those who ask because of `wake` ask together. */
    together: (wake: Effect.Effect<void>) =>
      turnstile.withPermits(1)(Effect.andThen(wake, Effect.yieldNow))
  }
}

/** Rings every second while it runs, and earlier where it is told to. */
const makeAlarm = (ring: Effect.Effect<void>) => {
  const moved = Latch.makeUnsafe(false)
  let ringAtMillis = 0
  let hasRung = true
  let running: Fiber.Fiber<void> | undefined

  const set = (millis: number) =>
    Effect.map(nowMillis, (now) => {
      ringAtMillis = now + millis
    })
  const turn = Effect.gen(function* () {
    const left = ringAtMillis - (yield* nowMillis)
    if (left > 0) {
      moved.closeUnsafe()
      yield* Effect.timeoutOption(moved.await, Duration.millis(left))
      return
    }
    yield* set(Duration.toMillis(pollEvery))
    hasRung = true
    yield* ring
  })

  return {
    start: Effect.gen(function* () {
      yield* set(Duration.toMillis(pollEvery))
      hasRung = true
      running = yield* Effect.forkDetach(Effect.forever(turn))
    }),
    stop: Effect.suspend(() => (running === undefined ? Effect.void : Fiber.interrupt(running))),
    /** Rings after so long at the latest; what is in the past has been heard of. */
    within: (wait: Duration.Duration) =>
      Effect.map(nowMillis, (now) => {
        const millis = Duration.toMillis(wait)
        if (millis <= 0 || now + millis >= ringAtMillis) return
        ringAtMillis = now + millis
        moved.openUnsafe()
      }),
    /** Whether it has rung since somebody heeded it. */
    hasRung: () => hasRung,
    heed: () => {
      hasRung = false
    }
  }
}

/** Monotonic, and to the fraction. */
const nowMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1_000_000)
