import { Clock, DateTime, Duration, Effect, Semaphore } from "effect"
import type { ClockEstimate } from "../kernel/ClockEstimate.ts"
import { doubtOf, learn } from "../kernel/ClockEstimate.ts"
import type { StorageError } from "../units/Refused.ts"

/** A machine whose clock differs by more from the storage's takes no work and purges nothing (decision 0064). */
export const skewMax: Duration.Duration = Duration.seconds(5)
/** Work is taken only on what was learned in this time (decision 0063). */
const freshFor = Duration.seconds(5)
/** What looks wrong is asked about again, but not more often. */
const askEvery = Duration.seconds(1)
/** The first estimate is the best of so many. */
const firstSamples = 3
/** Corrections back by less are waited out; by more, the storage's clock was set, and is followed at once. */
const waitedOut = Duration.seconds(1)

/** How the clock of this machine stands to the one that all share. */
export interface Skew {
  /** Milliseconds that this machine is ahead; negative where it is behind. */
  readonly aheadMillis: number
  /** Surely more than 5 seconds, either way. */
  readonly isTooMuch: boolean
  /** How often the shared clock has been set since the start: a fail-over to another host, mostly. */
  readonly settings: number
}

/** What a skew that is too much means, and what to do, for whoever runs the service. */
export const skewText = ({ aheadMillis }: Skew): string => {
  const seconds = Math.round(Math.abs(aheadMillis) / 1_000)
  const way = aheadMillis > 0 ? "ahead of" : "behind"
  return `The clock of this machine is ${seconds} s ${way} the storage's: set it right, or the storage's where every process says so. Until then this process takes no work and purges nothing; requests are answered by the clock of the storage.`
}

/**
 * The clock that all processes over one storage have in common, as this process knows it: the storage's, estimated by its
 * distance from the monotonic clock here. The clock of the machine may be wrong or be set; nothing here goes by it.
 */
export interface SharedClock {
  /** From memory. It goes back only where the storage's own clock was set back by more than a second. */
  readonly now: Effect.Effect<DateTime.Utc>
  /** The same in milliseconds since 1970, for whoever has the clock of a fiber at hand. */
  readonly millisBy: (clock: Clock.Clock) => number
  /** Asks the storage, and learns from its answer. Whoever runs a service does it all the time. */
  readonly ask: Effect.Effect<void, StorageError>
  /** From memory. */
  readonly skew: Effect.Effect<Skew>
  /** Whether work may be taken by this clock: asks first where what is known is old, as after a pause, or looks wrong. */
  readonly isSound: Effect.Effect<boolean, StorageError>
}

export const make = Effect.fnUntraced(function* (
  told: Effect.Effect<DateTime.Utc, StorageError>
): Effect.fn.Return<SharedClock, StorageError> {
  const first = yield* sample(told)
  let estimate: ClockEstimate = learn(undefined, first).estimate
  let askedAt = first.answered
  let settings = 0
  let latest = Number.NEGATIVE_INFINITY

  const ask = Effect.map(sample(told), (seen) => {
    const learned = learn(estimate, seen)
    estimate = learned.estimate
    if (learned.wasSet) settings++
    askedAt = seen.answered
  })
  for (let samples = 1; samples < firstSamples; samples++) yield* ask

  const read = (clock: Clock.Clock): number => {
    const current = monotonicMillis(clock) + estimate.offset
    const isWaitedOut = latest > current && latest - current <= Duration.toMillis(waitedOut)
    latest = isWaitedOut ? latest : current
    return latest
  }
  const look = (clock: Clock.Clock): Skew => {
    const monotonic = monotonicMillis(clock)
    const aheadMillis = clock.currentTimeMillisUnsafe() - (monotonic + estimate.offset)
    const isTooMuch =
      Math.abs(aheadMillis) - doubtOf(estimate, monotonic) > Duration.toMillis(skewMax)
    return { aheadMillis, isTooMuch, settings }
  }
  const millisBy = (clock: Clock.Clock): number => Math.floor(read(clock))
  const skew = Clock.clockWith((clock) => Effect.succeed(look(clock)))

  const isOld = (clock: Clock.Clock): boolean => {
    const patience = look(clock).isTooMuch ? askEvery : freshFor
    return monotonicMillis(clock) - askedAt >= Duration.toMillis(patience)
  }
  const turn = Semaphore.makeUnsafe(1)
  const refreshed = turn.withPermits(1)(
    Clock.clockWith((clock) => (isOld(clock) ? ask : Effect.void))
  )
  const isSound = Effect.map(skew, ({ isTooMuch }) => !isTooMuch)
  return {
    now: Clock.clockWith((clock) => Effect.succeed(DateTime.makeUnsafe(millisBy(clock)))),
    millisBy,
    ask,
    skew,
    isSound: Clock.clockWith((clock) =>
      isOld(clock) ? Effect.andThen(refreshed, isSound) : isSound
    )
  }
})

const monotonicMillis = (clock: Clock.Clock): number =>
  Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000

const sample = (told: Effect.Effect<DateTime.Utc, StorageError>) =>
  Clock.clockWith((clock) =>
    Effect.suspend(() => {
      const asked = monotonicMillis(clock)
      return Effect.map(told, (instant) => ({
        asked,
        told: DateTime.toEpochMillis(instant),
        answered: monotonicMillis(clock)
      }))
    })
  )
