import { PspOutcome } from "@pagora/core"
import { Effect } from "effect"
import type { Heard } from "./http/Heard.ts"

export type Outcome<A> = Effect.Effect<PspOutcome<A>>

/** A question by a reference, answered. */
export const readFound = <A>(
  heard: Heard,
  read: (json: unknown) => A | undefined
): PspOutcome<A | undefined> => {
  switch (heard._tag) {
    case "Answered":
      return reading(heard.json, read) ?? misfit
    case "Refused":
      return heard.isMissing ? PspOutcome.done(undefined) : unknown(`refused: ${heard.code}`)
    case "Denied":
      return { _tag: "NotSent", detail: heard.detail }
    default:
      return heard
  }
}

/** A question about the account itself, which is always there. */
export const readTold = <A>(heard: Heard, read: (json: unknown) => A): PspOutcome<A> => {
  const told = readFound(heard, read)
  if (told._tag !== "Done") return told
  return told.value === undefined ? misfit : PspOutcome.done(told.value)
}

/** An order, and the question by which its answer is checked. */
export interface Order<A> {
  readonly heard: Effect.Effect<Heard>
  /** Undefined, or a throw, where the answer does not fit or is about something else. */
  readonly read: (json: unknown) => A | undefined
  readonly find: Outcome<A | undefined>
  /** Whether what is found is what was ordered. */
  readonly isOrdered: (found: A) => boolean
}

/**
 * What became of an order. No refusal is believed before the look-up says that nothing is there: a repeat of what was done may be
 * refused as a duplicate, or for what the first try has used up. What the bank answers in a form that does not fit is looked up, too.
 */
export const settled = <A>(order: Order<A>): Outcome<A> =>
  Effect.gen(function* () {
    const heard = yield* order.heard
    if (heard._tag === "Denied") return { _tag: "NotSent", detail: heard.detail }
    if (heard._tag !== "Answered" && heard._tag !== "Refused") return heard
    if (heard._tag === "Answered") {
      const answered = reading(heard.json, order.read)
      if (answered !== undefined) return answered
    }
    const found = yield* order.find
    // Where it takes no questions for a while, whoever waits for this is told how long.
    if (found._tag !== "Done")
      return PspOutcome.unknown(
        "an answer that could not be checked",
        found._tag === "NotNow" ? found.after : undefined
      )
    if (found.value !== undefined)
      return order.isOrdered(found.value)
        ? PspOutcome.done(found.value)
        : unknown("the bank has something else under the reference")
    return heard._tag === "Refused" && heard.status !== 409
      ? PspOutcome.rejected(heard.code, heard.message)
      : unknown("an answer that the look-up does not bear out")
  })

const reading = <A>(json: unknown, read: (json: unknown) => A | undefined) => {
  try {
    const value = read(json)
    return value === undefined ? undefined : PspOutcome.done(value)
  } catch {
    return undefined
  }
}

export const unknown = (detail: string): PspOutcome<never> => ({ _tag: "Unknown", detail })

const misfit = unknown("an answer that does not fit the Pix API")
