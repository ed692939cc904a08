/** What a try came to, as far as trying again goes. */
export type TryOutcome =
  | { readonly _tag: "Lost" }
  | {
      readonly _tag: "Answered"
      readonly status: number
      readonly code?: string | undefined
      readonly retryAfter?: string | undefined
    }

/** Milliseconds. A longer Retry-After is the caller's to wait for. */
const retryAfterMax = 30_000
const firstWait = 250
const longestWait = 8_000

/**
 * Milliseconds to wait before the next try; undefined where another try cannot help. Only for requests that may
 * be repeated: a GET, or a POST with an Idempotency-Key.
 *
 * @param tries How many there were, 1 after the first.
 * @param random From 0 up to 1, so that many clients do not come back at once.
 */
export const waitBeforeNext = (
  outcome: TryOutcome,
  tries: number,
  random: number
): number | undefined => {
  const backoff = Math.min(longestWait, firstWait * 2 ** (tries - 1)) * (0.5 + random / 2)
  if (outcome._tag === "Lost") return backoff
  if (!canPass(outcome)) return undefined
  const told = secondsOf(outcome.retryAfter)
  if (told === undefined) return backoff
  return told * 1000 > retryAfterMax ? undefined : Math.max(told * 1000, backoff)
}

/** A key that is in use is what a repeat of a lost request meets while the first is still worked on. */
const canPass = ({ code, status }: TryOutcome & { readonly _tag: "Answered" }): boolean =>
  status === 429 || status >= 500 || (status === 409 && code === "IDEMPOTENCY_KEY_IN_USE")

const secondsOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined
