import type { SendOutcome } from "../ports/WebhookTransport.ts"

/** How an endpoint takes what is sent to it: how many sends it gets at once, and since when it is known (decision 0074). */
export interface Pace {
  readonly slots: number
  readonly lastMillis: number
}

export const paces = {
  /** Slots of an endpoint that nobody knows yet, and of one that was not sent anything for `keptMillis`. */
  first: 4,
  min: 1,
  max: 32,
  /** An answer that takes longer is slow. */
  slowMillis: 2_000,
  keptMillis: 60_000,
  /** Endpoints that are remembered. */
  known: 1_000
} as const

/** Statuses by which a receiver says that it gets too much. */
const tooMuch: ReadonlySet<number> = new Set([429, 503])

/** Whether an end tells of a receiver that keeps up, or of one that does not; undefined: neither. */
const verdictOf = (outcome: SendOutcome): "quick" | "slow" | undefined => {
  if (outcome._tag === "Blocked") return undefined
  if (outcome.durationMillis >= paces.slowMillis) return "slow"
  if (outcome._tag === "Failed") return undefined
  if (tooMuch.has(outcome.status)) return "slow"
  return outcome.status < 300 ? "quick" : undefined
}

/** The pace after a send: one slot more for each round of quick answers, half of them after a slow one. */
export const paceAfter = (pace: Pace, outcome: SendOutcome, nowMillis: number): Pace => {
  const verdict = verdictOf(outcome)
  const slots =
    verdict === "quick"
      ? Math.min(paces.max, pace.slots + 1 / pace.slots)
      : verdict === "slow"
        ? Math.max(paces.min, pace.slots / 2)
        : pace.slots
  return { slots, lastMillis: nowMillis }
}

export const isSlow = ({ slots }: Pace): boolean => slots <= paces.min
