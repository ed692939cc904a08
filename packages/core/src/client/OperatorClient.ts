import type { AnswerOf, BodyOf, Send } from "../app/PromiseCall.ts"
import { promiseCalls } from "../app/PromiseCall.ts"
import type { OperatorApi } from "../operator/OperatorApi.ts"
import { PagoraError } from "../app/PagoraError.ts"
import { timeoutMillisDefault } from "./ClientOptions.ts"
import { operatorPlaces } from "./OperatorPlaces.ts"
import { PagoraApiError, PagoraConnectionError } from "./PagoraErrors.ts"

/** How to reach the operator API of a service. */
export interface OperatorClientOptions {
  /** Ends in `/operator/v1`, such as `https://pay.example.com/operator/v1`. */
  readonly operatorUrl: string
  readonly operatorKey: string
  /** Milliseconds that a call may take, its answer read. 30,000 unless told. */
  readonly timeoutMillis?: number
  /** What sends the requests; the platform's `fetch` unless told. */
  readonly fetch?: typeof fetch
}

/** Calls an endpoint of the operator API, by the names of its group and its own. */
export interface OperatorClient extends ReturnType<typeof promiseCalls<typeof OperatorApi>> {}

/** The JSON that an endpoint of the operator API answers. */
export type OperatorAnswer<Group extends string, Name extends string> = AnswerOf<
  typeof OperatorApi,
  Group,
  Name
>

/** The JSON that an endpoint of the operator API takes. */
export type OperatorBody<Group extends string, Name extends string> = BodyOf<
  typeof OperatorApi,
  Group,
  Name
>

/**
 * A client of the operator API for Promises: calls by the names of groups and endpoints, with the JSON of the wire in
 * and out. Every POST has an Idempotency-Key, so that it can be made again under the same one.
 *
 * A call fails with a `PagoraApiError`, or with a `PagoraConnectionError` where no answer came. It is made once: the
 * caller decides whether it is made again.
 *
 * ```ts
 * const operator = createOperatorClient({ operatorUrl, operatorKey })
 * const account = await operator("accounts", "get", { params: { id } })
 * ```
 */
export const createOperatorClient = (options: OperatorClientOptions): OperatorClient => {
  // The platform's own refusal would quote the key.
  if (!/^[\x21-\x7e]+$/u.test(options.operatorKey))
    throw new TypeError("operatorKey is empty, or has a character that no header can carry.")
  const calls = promiseCalls<typeof OperatorApi>(operatorPlaces, sendTo(options), {
    authorization: `Bearer ${options.operatorKey}`
  })
  return async (group, endpoint, call) => {
    for (const [name, value] of Object.entries(call.params ?? {})) {
      // A path would read these as another path, which could be another endpoint.
      if (/^\.{0,2}$/u.test(value)) throw new TypeError(`${name} is empty, or it is no id.`)
    }
    try {
      return await calls(group, endpoint, call)
    } catch (cause) {
      throw cause instanceof PagoraError ? refused(cause) : unreadable(cause)
    }
  }
}

const sendTo = ({
  fetch: send = fetch,
  operatorUrl,
  timeoutMillis = timeoutMillisDefault
}: OperatorClientOptions): Send => {
  const base = operatorUrl.replace(/\/+$/u, "")
  return async (request) => {
    const { pathname, search } = new URL(request.url)
    const { headers, method } = request
    if (method === "POST" && !headers.has("idempotency-key")) {
      headers.set("idempotency-key", crypto.randomUUID())
    }
    const body = await request.text()
    try {
      const response = await send(`${base}${pathname}${search}`, {
        method,
        headers,
        // A redirect is shown, not followed: it would carry the operator key along.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMillis),
        ...(body === "" ? {} : { body })
      })
      const text = await response.text()
      return new Response(text === "" ? null : text, { status: response.status })
    } catch (cause) {
      throw new PagoraConnectionError(
        cause instanceof Error && cause.name === "TimeoutError"
          ? `No answer within ${timeoutMillis} milliseconds`
          : "The connection failed",
        cause,
        headers.get("idempotency-key") ?? undefined
      )
    }
  }
}

const refused = ({ code, details, message }: PagoraError): PagoraApiError => {
  const { status, traceId, ...known } = details
  const isForeign = code === String(status)
  return new PagoraApiError({
    status: Number(status),
    code: isForeign ? "UNEXPECTED_ANSWER" : code,
    message: isForeign ? foreign(Number(status)) : message,
    details: known,
    ...(typeof traceId === "string" ? { traceId } : {})
  })
}

const foreign = (status: number): string =>
  `The answer with status ${status} is not one of this service. Check operatorUrl and what stands before it.`

/** A success without JSON comes from somebody else. */
const unreadable = (cause: unknown): unknown =>
  cause instanceof SyntaxError
    ? new PagoraApiError({ status: 200, code: "UNEXPECTED_ANSWER", message: foreign(200) })
    : cause
