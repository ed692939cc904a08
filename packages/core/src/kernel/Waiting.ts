import { DateTime, Duration } from "effect"

export interface WaitBounds {
  readonly minimum: Duration.Duration
  readonly maximum: Duration.Duration
}

/** How long to wait before somebody who does not tell is asked again. */
const askAgain: WaitBounds = { minimum: Duration.seconds(2), maximum: Duration.minutes(5) }

/** When to ask again: after half of the time that has passed since, so that waits grow with it. */
export const waitingSince = (
  since: DateTime.Utc,
  now: DateTime.Utc,
  bounds: WaitBounds = askAgain
): DateTime.Utc => {
  const passed = DateTime.toEpochMillis(now) - DateTime.toEpochMillis(since)
  return DateTime.addDuration(now, Duration.clamp(Duration.millis(Math.max(0, passed / 2)), bounds))
}

/** What a PSP answers can be so much older than what it told before. */
export const answersLag = Duration.hours(1)
