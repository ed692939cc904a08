import type { PagoraApiError, PagoraConnectionError } from "@pagora/core/client"
import { printable } from "./Table.ts"

/** Where a call went. */
interface Called {
  readonly operatorUrl: string
  /** The Idempotency-Key of a POST. */
  readonly key?: string
}

type CallError = Pick<PagoraApiError, "name" | "message" | "status" | "code" | "traceId"> & {
  readonly details: PagoraApiError["details"]
}
type LostCall = Pick<PagoraConnectionError, "name" | "message" | "cause">

const codeOf = (cause: unknown): string | undefined => {
  if (typeof cause !== "object" || cause === null) return undefined
  const { cause: inner, code } = cause as { readonly code?: unknown; readonly cause?: unknown }
  return typeof code === "string" ? code : codeOf(inner)
}

const messageOf = (cause: unknown): string | undefined => {
  if (!(cause instanceof Error)) return undefined
  return messageOf(cause.cause) ?? cause.message
}

const elsewhere = "name another address with --operator-url or PAGORA_OPERATOR_URL"

/** No answer came: what is known, and what to do. */
export const lostCall = ({ cause, message }: LostCall, { key, operatorUrl }: Called): string => {
  const code = codeOf(cause)
  if (code === "ECONNREFUSED") {
    return `Nothing answers at ${operatorUrl}. Start the service there (\`pagora dev\`), or ${elsewhere}.`
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return `The host of ${operatorUrl} is not known. Check its spelling, or ${elsewhere}.`
  }
  const why = message.startsWith("No answer") ? message : (messageOf(cause) ?? message)
  const said = `The call to ${operatorUrl} failed: ${printable(why)}.`
  return key === undefined
    ? `${said} Run the same command again.`
    : `${said} It is not known whether it was done: run the same command again with --idempotency-key ${key}, and it is done once.`
}

/** The service refused: its own sentence, with what a person needs around it. */
export const refusedCall = (error: CallError, { operatorUrl }: Called): string => {
  const { code, details, message, status, traceId } = error
  if (status === 401) {
    return `The service at ${operatorUrl} refuses the operator key. Set PAGORA_OPERATOR_KEY to the key of that service, or give its file with --operator-key-file.`
  }
  const { id, resource, retryAfterSeconds } = details
  const isForeign = status === 404 && (resource === undefined || resource === "path")
  if (code === "UNEXPECTED_ANSWER" || isForeign) {
    return `What answers at ${operatorUrl} (with status ${status}) is no operator API of this version. Its address ends in /operator/v1: ${elsewhere}.`
  }
  const about = status === 404 ? `${String(resource)} ${String(id)}` : code
  const wait = status === 429 ? ` Try again in ${secondsOf(retryAfterSeconds ?? 60)}.` : ""
  const trace = status >= 500 && traceId !== undefined ? ` Its traceId is ${traceId}.` : ""
  return printable(`${message.replace(/\.$/u, "")} (${about}).${wait}${trace}`)
}

const secondsOf = (count: unknown): string =>
  count === 1 ? "1 second" : `${String(count)} seconds`
