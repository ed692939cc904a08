import type { Asked, Told } from "./Asked.ts"
import type { DoorAnswer } from "./Door.ts"
import { at, codeOf, textAt } from "./Json.ts"

/** Where the PSP is asked while the caller waits. One that is left alone for a while is said before all else. */
const asksPsp = ({ method, path }: Asked): boolean =>
  method === "POST" && (path === "/pix" || path.endsWith("/cancel"))

/** When it can help to come again is told in two places, or in neither; an hour is the most that anybody waits. */
const isToldAlike = ({ headers, json }: DoorAnswer): boolean => {
  const told = headers("retry-after")
  const seconds = at(json, "details", "retryAfterSeconds")
  if (told === undefined) return seconds === undefined
  return told === String(seconds) && Number(seconds) >= 1 && Number(seconds) <= 3_600
}

/** What is wrong with an answer by itself, a sentence each. `isCalm`: nothing that is outside can be an excuse. */
export const answerFaults = (
  asked: Asked,
  { answer }: Told,
  isCalm: boolean
): ReadonlyArray<string> => {
  if (answer === "lost") return []
  const { json, status, text } = answer
  const what = `${asked.name} ${asked.operation} (${asked.method} ${asked.path})`
  const told = `${what} was answered ${status} ${codeOf(json)}`
  if (status >= 500) {
    if (status === 503) {
      if (answer.headers("retry-after") === undefined) return [`${told} without Retry-After`]
      return isCalm ? [`${told} while nothing was wrong`] : []
    }
    // What the PSP did not answer is told as what it is; a charge that was given up for it stays so.
    const isPsp = status === 500 && codeOf(json) === "PSP_UNAVAILABLE" && asksPsp(asked)
    if (!isPsp) return [`${told}: ${text.slice(0, 200)}`]
    return isToldAlike(answer)
      ? []
      : [`${told} with two times to come again: ${text.slice(0, 200)}`]
  }
  if (status < 400) return status === 204 || json !== undefined ? [] : [`${told} without JSON`]
  // Of `POST /auth` errors have two fields only.
  if (asked.path === "/auth") return []
  const isEnvelope = at(json, "statusCode") === status && textAt(json, "timestamp") !== ""
  return isEnvelope ? [] : [`${told} without the envelope of errors: ${text.slice(0, 200)}`]
}
