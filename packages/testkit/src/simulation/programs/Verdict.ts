import type { Ask } from "./Asked.ts"
import type { Answered } from "./Door.ts"
import { codeOf } from "./Json.ts"

/**
 * What a client makes of one answer.
 *
 * - `done`: acknowledged;
 * - `refused`: this try did nothing, and the next would do no better;
 * - `again`: this try did nothing, and can be made again as if it had never been made;
 * - `expired`: the same, with another token;
 * - `unsure`: it may be done or not.
 */
export type Verdict = "done" | "refused" | "again" | "expired" | "unsure"

const notDone: ReadonlySet<string> = new Set(["STORAGE_UNAVAILABLE", "IDEMPOTENCY_KEY_IN_USE"])

export const verdictOf = (ask: Ask, answer: Answered): Verdict => {
  if (answer === "lost") return "unsure"
  const { json, status } = answer
  if (status < 300) return "done"
  if (notDone.has(codeOf(json)) || status === 429) return "again"
  if (status === 401 && ask.as === "tenant" && ask.authorization === undefined) return "expired"
  return status >= 500 ? "unsure" : "refused"
}

/** How coverage and the trace name an answer. */
export const classOf = (answer: Answered): string => {
  if (answer === "lost") return "lost"
  const { json, status } = answer
  const code = codeOf(json)
  return status < 300 || code === "" ? String(status) : code
}
