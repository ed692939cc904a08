import type { PspOutcome } from "@pagora/core"
import type { HttpAnswer } from "@pagora/core/psp"
import { parseJson } from "@pagora/core/psp"
import { Duration } from "effect"
import type { BankError } from "./BankError.ts"
import { readBankError } from "./BankError.ts"

/**
 * What a bank's answer says of what we asked, before it is held against what its look-up says.
 *
 * - `Answered`: it did it, or answers: 200, 201 and 204 alike, for banks answer one where the file has the other;
 * - `Refused`: it says in its own words that it does not. `isMissing`: that it does not have what was named;
 * - `Denied`: it does not take our token, and has done nothing.
 */
export type Heard =
  | { readonly _tag: "Answered"; readonly json: unknown }
  | {
      readonly _tag: "Refused"
      readonly status: number
      readonly code: string
      readonly message: string
      readonly isMissing: boolean
    }
  | { readonly _tag: "Denied"; readonly detail: string }
  | NotDefinite

/** What leaves it open, or says that nothing was asked. */
export type NotDefinite = Extract<
  PspOutcome<never>,
  { readonly _tag: "NotNow" | "NotSent" | "Unknown" }
>

/** Statuses that mean, with the bank's own words beside them, that it has not done what it was asked. */
const refusing = new Set([400, 404, 409, 410, 422])

export interface Hearing {
  /** How long the bank is left alone after a 429 that says nothing of its own. */
  readonly pauseSeconds: number
  /** Since 1970: banks may tell a date. */
  readonly nowMillis: number
}

/** A status counts only with the bank's own words beside it: a bare 404 may come from a proxy, behind which the order was carried out. */
export const hear = (answer: HttpAnswer, hearing: Hearing): Heard => {
  const { status, text } = answer
  if (status >= 200 && status <= 204) {
    const json = text.trim() === "" ? {} : parseJson(text)
    return json === undefined
      ? unknown(`status ${status} without JSON`)
      : { _tag: "Answered", json }
  }
  // Whoever stands before the API says this too, and before anything is done.
  if (status === 429)
    return { _tag: "NotNow", detail: "status 429", after: pauseOf(answer.retryAfter, hearing) }
  // The token is looked at before the order is, often without a word (RFC 6750): nothing was done, for a second token as little.
  if (status === 401) return { _tag: "Denied", detail: "status 401" }
  const error = readBankError(parseJson(text))
  if (error === undefined) return unknown(`status ${status}`)
  // Sicredi tells of a scope that was not granted by a 400; others by a 403.
  if (status === 403 || isOfScope(error)) return notSent(`status ${status}: ${error.code}`)
  if (!refusing.has(status)) return unknown(`status ${status}: ${error.code}`)
  if (status === 404 && !isOfBank(error)) return unknown("status 404 of something before the bank")
  const { code, message } = error
  return { _tag: "Refused", status, code, message, isMissing: status === 404 }
}

/**
 * Whether it is the bank that does not have what was named. What stands before it says `Not Found` of a path, in these shapes too, while
 * what was ordered behind it may have been done.
 */
const isOfBank = ({ code, shape }: BankError): boolean =>
  shape !== "gateway" && shape !== "oauth" && !/^(?:about:?)?(?:blank|not[ _-]?found)$/i.test(code)

const isOfScope = ({ code, message }: { readonly code: string; readonly message: string }) =>
  /insufficient_scope|invalid_scope|\bescopo\b|\bscope\b/i.test(`${code} ${message}`)

const unknown = (detail: string): NotDefinite => ({ _tag: "Unknown", detail })
const notSent = (detail: string): NotDefinite => ({ _tag: "NotSent", detail })

/** No bank is left alone for longer, whatever it asks for: what is under way there is looked at each hour. */
const pauseMax = Duration.hours(1)

/** Seconds, or a date (RFC 9110, `Retry-After`), which ends in GMT. One that is not ahead by our clock says nothing. */
const pauseOf = (
  retryAfter: string | undefined,
  { nowMillis, pauseSeconds }: Hearing
): Duration.Duration => {
  const text = retryAfter?.trim() ?? ""
  const ahead = text.endsWith(" GMT") ? Date.parse(text) - nowMillis : Number.NaN
  const asked = /^\d{1,9}$/.test(text)
    ? Duration.seconds(Number(text))
    : ahead > 0
      ? Duration.millis(ahead)
      : Duration.seconds(pauseSeconds)
  return Duration.min(asked, pauseMax)
}
