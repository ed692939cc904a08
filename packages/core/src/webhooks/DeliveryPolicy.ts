import { Duration } from "effect"

/** How often a delivery is tried (spec, Delivery behaviour). */
export const attemptsMax = 5

const firstDelayMillis = 2_000
const delayMaxMillis = 30_000
const jitter = 0.2
/** The receiver says that nobody is there and nobody will be. */
const gone = 410

/** What came of a try, as far as it decides what is next. */
export type Outcome =
  | { readonly _tag: "Answered"; readonly status: number }
  | { readonly _tag: "Failed" }
  | { readonly _tag: "Blocked" }

export type Verdict =
  | { readonly _tag: "Delivered" }
  | { readonly _tag: "Retry"; readonly after: Duration.Duration }
  /** It stays as it is, and can be sent again on request. */
  | { readonly _tag: "Exhausted" }
  /** As exhausted, and nothing more is to be sent to this endpoint. */
  | { readonly _tag: "Gone" }

/**
 * What follows from the outcome of a try. Only a 2xx confirms (spec, Delivery behaviour); the waits are 2, 4, 8
 * and 16 seconds, each longer by up to a fifth so that receivers who come back are not met by all at once. None is
 * shorter: the first wait that the specification tells is 2 seconds. `random` is in [0, 1).
 */
export const judge = (
  outcome: Outcome,
  options: { readonly attempt: number; readonly random: number }
): Verdict => {
  const isAnswered = outcome._tag === "Answered"
  if (isAnswered && outcome.status >= 200 && outcome.status < 300) return { _tag: "Delivered" }
  if (isAnswered && outcome.status === gone) return { _tag: "Gone" }
  if (outcome._tag === "Blocked" || options.attempt >= attemptsMax) return { _tag: "Exhausted" }
  const delay = firstDelayMillis * 2 ** (options.attempt - 1)
  const spread = 1 + jitter * options.random
  return {
    _tag: "Retry",
    after: Duration.millis(Math.min(delayMaxMillis, Math.round(delay * spread)))
  }
}
