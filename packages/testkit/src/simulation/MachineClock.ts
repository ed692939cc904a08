import { Clock, Duration, Effect } from "effect"

/** How the clock of a machine goes. */
export interface ClockSetting {
  /** Milliseconds that it is ahead of true time; negative where it is behind. */
  readonly offset: number
  /** How much faster than true time it goes: 0.0001 is a second in about three hours. */
  readonly drift: number
}

/**
 * Milliseconds by which a clock of the service differs from true time at the most, and what an id says with it: what a start
 * allows, and what one that goes wrong by a thousandth comes to in a night in which its machine stands still.
 */
export const clockErrorMax = 60_000

/** The clock of one machine of a world. Someone may set it; what is measured without a date goes on steadily. */
export class MachineClock implements Clock.Clock {
  private readonly now: () => number
  private readonly at: (millis: number, what: () => void) => void
  private readonly start: number
  private drift: number
  private offset: number
  /** True time when its speed last changed, and how long it had gone by then. */
  private since: number
  private before = 0

  /**
   * @param now True time.
   * @param at Does something at an instant of true time.
   */
  constructor(
    now: () => number,
    at: (millis: number, what: () => void) => void,
    { drift, offset }: ClockSetting
  ) {
    this.now = now
    this.at = at
    this.drift = drift
    this.offset = offset
    this.since = now()
    this.start = now()
  }

  /** Somebody sets it: ahead by so much, or back. */
  set(byMillis: number): void {
    this.offset += byMillis
  }

  /** Somebody sets it right, and from now on it is. */
  correct(): void {
    this.before = this.elapsed()
    this.since = this.now()
    this.drift = 0
    this.offset = this.since - this.start - this.before
  }

  private elapsed(): number {
    return this.before + (this.now() - this.since) * (1 + this.drift)
  }

  currentTimeMillisUnsafe(): number {
    return Math.floor(this.start + this.elapsed() + this.offset)
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return BigInt(Math.round(this.elapsed() * 1_000_000))
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  /** Outside of every process. */
  sleep(duration: Duration.Duration): Effect.Effect<void> {
    return this.sleepBy(duration, (wake) => wake())
  }

  /** The same clock for a process, whose sleepers are woken by what it does itself. */
  of(post: (wake: () => void) => void): Clock.Clock {
    const own: Clock.Clock = Object.create(this)
    return Object.assign(own, {
      sleep: (duration: Duration.Duration) => this.sleepBy(duration, post)
    })
  }

  private sleepBy(
    duration: Duration.Duration,
    post: (wake: () => void) => void
  ): Effect.Effect<void> {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.yieldNow
    if (!Number.isFinite(millis)) return Effect.never
    return Effect.callback<void>((resume) => {
      let isOver = false
      // Timers of Node go by whole milliseconds, too.
      const slept = Math.max(1, Math.ceil(millis / (1 + this.drift)))
      this.at(this.now() + slept, () => {
        if (!isOver) post(() => resume(Effect.void))
      })
      return Effect.sync(() => {
        isOver = true
      })
    })
  }
}
