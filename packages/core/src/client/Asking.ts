import type { CallSettings } from "./CallSettings.ts"
import type { ClientOptions } from "./ClientOptions.ts"
import { timeoutMillisDefault } from "./ClientOptions.ts"
import type { RawAnswer, Surroundings } from "./Connection.ts"
import { connect } from "./Connection.ts"
import { exchange, sleep } from "./Exchange.ts"
import { PagoraApiError, PagoraConnectionError } from "./PagoraErrors.ts"
import { NoToken } from "./Tokens.ts"

export interface PromiseClientOptions extends ClientOptions {
  /** What sends the requests; the platform's `fetch` unless told. */
  readonly fetch?: typeof fetch
}

export interface CallOptions extends CallSettings {
  /** Gives the call up. Of a POST it is then not known whether it was done. */
  readonly signal?: AbortSignal
}

/** A request, its path below the base URL. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
}

/** Makes calls, and answers their JSON or fails with an error of the client. */
export const asking = ({ fetch: send, ...options }: PromiseClientOptions) => {
  const connection = connect(options)
  const base = options.baseUrl.replace(/\/$/, "")
  const { timeoutMillis = timeoutMillisDefault } = options

  return async <A>({ body, method, path }: Asked, call: CallOptions = {}): Promise<A> => {
    const { idempotencyKey, signal } = call
    const exchanging = { fetch: send ?? fetch, timeoutMillis, signal, idempotencyKey }
    const sendTo = (to: string, bare: Pick<Asked, "body" | "method">, headers: object) =>
      exchange(
        `${base}${to}`,
        bare.body === undefined
          ? { method: bare.method, headers: { ...headers } }
          : {
              method: bare.method,
              headers: { ...headers, "content-type": "application/json" },
              body: new TextEncoder().encode(bare.body)
            },
        exchanging
      )
    const around: Surroundings = {
      ...platform,
      authorize: (credential) => sendTo("/auth", { method: "POST", body: credential }, {}),
      sleep: (millis) => sleep(millis, signal),
      signal
    }
    const sendable = {
      method,
      send: (headers: object) => sendTo(path, { method, body }, headers)
    }
    const answer = await heard(connection(sendable, call, around), signal).catch(
      (failure: unknown) => {
        throw errorOf(failure, call)
      }
    )
    return settled(answer, idempotencyKey)
  }
}

const platform = {
  isLost: (failure: unknown) => failure instanceof PagoraConnectionError,
  monotonicMillis: () => performance.now(),
  random: () => Math.random()
}

/** The same, but no longer than the caller waits. */
const heard = <A>(answer: Promise<A>, signal: AbortSignal | undefined): Promise<A> =>
  signal === undefined
    ? answer
    : new Promise((resolve, reject) => {
        const giveUp = () => reject(signal.reason)
        if (signal.aborted) giveUp()
        else signal.addEventListener("abort", giveUp, { once: true })
        answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp))
      })

const settled = <A>({ status, text }: RawAnswer, idempotencyKey: string | undefined): A => {
  // No content is all that there is to say.
  if (status === 204) return undefined as A
  const body = jsonOf(text)
  if (status >= 200 && status < 300 && body !== undefined) return body as A
  throw refused(status, body, idempotencyKey)
}

const jsonOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null
      ? (json as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}

const errorOf = (failure: unknown, { idempotencyKey, signal }: CallOptions): unknown => {
  if (signal?.aborted === true)
    return new PagoraConnectionError("The call was given up.", signal.reason, idempotencyKey)
  if (!(failure instanceof NoToken)) return failure
  const { code, message, status } = failure
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  return new PagoraApiError({ status, code, message, ...key })
}

const refused = (
  status: number,
  body: Readonly<Record<string, unknown>> | undefined,
  idempotencyKey: string | undefined
): PagoraApiError => {
  const { details, error, message, traceId } = body ?? {}
  const known =
    typeof details === "object" && details !== null
      ? (details as Readonly<Record<string, unknown>>)
      : {}
  const code = known["code"] ?? error
  return new PagoraApiError({
    status,
    code: typeof code === "string" ? code : "UNEXPECTED_ANSWER",
    message:
      typeof message === "string"
        ? message
        : `The answer with status ${status} is not one of this service. Check baseUrl and what stands before it.`,
    details: known,
    ...(typeof traceId === "string" ? { traceId } : {}),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey })
  })
}
