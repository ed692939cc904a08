import type { RawAnswer } from "./Connection.ts"
import { PagoraConnectionError } from "./PagoraErrors.ts"

/** How requests go out. */
export interface ExchangeOptions {
  readonly fetch: typeof fetch
  /** Milliseconds until the end of the answer. */
  readonly timeoutMillis: number
  /** Gives the exchange up. */
  readonly signal: AbortSignal | undefined
  /** What the caller needs for making the same call again. */
  readonly idempotencyKey: string | undefined
}

/**
 * One request and its answer, read to its end. It fails with a `PagoraConnectionError`, or with the signal's reason as
 * soon as that is aborted: a `fetch` that does not listen is not waited for.
 */
export const exchange = async (
  url: string,
  request: RequestInit,
  { fetch: send, idempotencyKey, signal, timeoutMillis }: ExchangeOptions
): Promise<RawAnswer> => {
  const ending = new AbortController()
  const ended = new Promise<never>((_, reject) => {
    ending.signal.addEventListener("abort", () => reject(ending.signal.reason), { once: true })
  })
  const giveUp = () => ending.abort(signal?.reason)
  const late = () => ending.abort(new DOMException("The time was over.", "TimeoutError"))
  const timer = setTimeout(late, timeoutMillis)
  signal?.addEventListener("abort", giveUp, { once: true })
  const exchanged = async (): Promise<RawAnswer> => {
    // A redirect is shown, not followed: a POST would become a GET on its way.
    const init = { ...request, redirect: "manual", signal: ending.signal } as const
    const response = await send(url, init)
    const text = await response.text()
    const retryAfter = response.headers.get("retry-after") ?? undefined
    return { status: response.status, text, retryAfter }
  }
  try {
    return await Promise.race([exchanged(), ended])
  } catch (cause) {
    if (signal?.aborted === true) throw cause
    const what = `${request.method} ${url}`
    const message =
      cause === ending.signal.reason
        ? `No answer within ${timeoutMillis} milliseconds (${what}).`
        : `The connection failed (${what}). Does the service run, and is baseUrl its address?`
    throw new PagoraConnectionError(message, cause, idempotencyKey)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", giveUp)
  }
}

/** Waits, no longer than until the signal is aborted. */
export const sleep = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const giveUp = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", giveUp)
      resolve()
    }, millis)
    signal?.addEventListener("abort", giveUp, { once: true })
  })
