/** How often things of one kind may be done in a minute, and until when they are left alone. Times are of the monotonic clock. */
export interface Pace {
  /** So many milliseconds are to be waited; zero where it may be done now, which then counts. */
  readonly take: (kind: string, nowMillis: number) => number
  /** Nothing of this kind until then. */
  readonly rest: (kind: string, untilMillis: number) => void
}

const minute = 60_000

export const makePace = (perMinute: number | undefined): Pace => {
  const taken = new Map<string, ReadonlyArray<number>>()
  const resting = new Map<string, number>()

  return {
    take: (kind, nowMillis) => {
      const rested = (resting.get(kind) ?? 0) - nowMillis
      if (rested > 0) return rested
      if (perMinute === undefined) return 0
      const lately = (taken.get(kind) ?? []).filter((at) => at > nowMillis - minute)
      const [first = nowMillis] = lately
      if (lately.length >= perMinute) return first + minute - nowMillis
      taken.set(kind, [...lately, nowMillis])
      return 0
    },
    rest: (kind, untilMillis) => {
      resting.set(kind, Math.max(untilMillis, resting.get(kind) ?? 0))
    }
  }
}
