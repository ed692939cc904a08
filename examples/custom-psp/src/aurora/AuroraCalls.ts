import { PspOutcome } from "@pagora/core"
import { DateTime, Effect } from "effect"
import { signRequest } from "./AuroraSignature.ts"

export interface AuroraOptions {
  /** Such as `https://api.aurora.example`. */
  readonly url: string
  readonly clientId: string
  /** Signs our requests. */
  readonly secret: string
  /** Signs the bank's notifications. */
  readonly notificationSecret: string
  readonly environment: "sandbox" | "production"
  /** How long an answer may take; 10 seconds unless told. Pagora itself gives up after 15. */
  readonly timeoutMillis?: number
}

export type Call = (
  method: "GET" | "PUT" | "DELETE",
  path: string,
  body?: unknown
) => Effect.Effect<PspOutcome<unknown>>

/** Signed calls of the bank's API. Every way in which a call can end is one of the four outcomes. */
export const makeCalls =
  (options: AuroraOptions): Call =>
  (method, path, json) =>
    Effect.gen(function* () {
      const time = DateTime.formatIso(yield* DateTime.now)
      const body = json === undefined ? "" : JSON.stringify(json)
      const headers = {
        "content-type": "application/json",
        "x-aurora-client": options.clientId,
        "x-aurora-time": time,
        "x-aurora-signature": signRequest(options.secret, { time, method, path, body })
      }
      const sent = json === undefined ? {} : { body }
      return yield* Effect.tryPromise({
        try: async (signal) => {
          // A redirect would carry the order to somebody else: it counts as an answer that nobody understands.
          const init = { method, headers, signal, redirect: "manual", ...sent } as const
          const response = await fetch(new URL(path, options.url), init)
          return outcomeOf(response.status, await response.text())
        },
        catch: failed
      }).pipe(
        Effect.catch(Effect.succeed),
        Effect.timeoutOrElse({
          duration: options.timeoutMillis ?? 10_000,
          orElse: () => Effect.succeed(unknown("no answer in time"))
        })
      )
    })

const unknown = (detail: string): PspOutcome<never> => ({ _tag: "Unknown", detail })

/** Statuses that the bank's manual promises to mean that it did nothing, where its own error is in the body. */
const rejecting = new Set([400, 404, 409, 422])
/** The same, before it looked at what was asked: nothing is wrong with the order, so it may be sent again. */
const turnedAway = new Set([401, 403, 429])

/**
 * A status counts only with the bank's own body beside it. A bare 404 may come from a proxy on the way, behind which the order
 * was carried out.
 */
const outcomeOf = (status: number, text: string): PspOutcome<unknown> => {
  const json = parsed(text)
  if (status === 200 || status === 201)
    return json === undefined ? unknown(`status ${status} without JSON`) : PspOutcome.done(json)
  const { code, message } = (json ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof code !== "string" || typeof message !== "string") return unknown(`status ${status}`)
  if (rejecting.has(status)) return { _tag: "Rejected", code, message }
  if (turnedAway.has(status)) return { _tag: "NotSent", detail: `status ${status}: ${message}` }
  return unknown(`status ${status}: ${message}`)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Errors of a connection that was never made. After any other one the bank may have read the order. */
const neverConnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT"
])

const failed = (error: unknown): PspOutcome<never> => {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  const code = String(cause?.code)
  return neverConnected.has(code) ? { _tag: "NotSent", detail: code } : unknown(code)
}
