/** A look at another clock: what it told between two readings of the monotonic clock here. Milliseconds. */
export interface ClockSample {
  readonly asked: number
  readonly told: number
  readonly answered: number
}

/** What is known of another clock: by how much it is ahead of the monotonic clock here. Milliseconds. */
export interface ClockEstimate {
  readonly offset: number
  /** By how much that could be wrong when it was learned: half the round trip. */
  readonly bound: number
  /** When it was learned, by the monotonic clock. */
  readonly at: number
}

/** The other clock tells whole milliseconds. */
const resolution = 1

/** How fast two clocks part at most: NTP slews each by up to 500 millionths. */
const driftMax = 0.001

/** How wrong an estimate can be by now. */
export const doubtOf = ({ at, bound }: ClockEstimate, now: number): number =>
  bound + driftMax * Math.max(0, now - at)

/**
 * What is known after another look: the sharper of the two. A look that what was known does not explain means that the
 * other clock was set, and counts alone.
 */
export const learn = (
  known: ClockEstimate | undefined,
  { answered, asked, told }: ClockSample
): { readonly estimate: ClockEstimate; readonly wasSet: boolean } => {
  const estimate = {
    offset: told - (asked + answered) / 2,
    bound: (answered - asked) / 2 + resolution,
    at: answered
  }
  if (known === undefined) return { estimate, wasSet: false }
  const doubt = doubtOf(known, answered)
  if (Math.abs(estimate.offset - known.offset) > estimate.bound + doubt)
    return { estimate, wasSet: true }
  return { estimate: estimate.bound <= doubt ? estimate : known, wasSet: false }
}
