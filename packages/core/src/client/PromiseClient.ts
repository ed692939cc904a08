import { Effect, Result } from "effect"
import type { HttpClientError } from "effect/http"
import { FetchHttpClient, HttpClientRequest } from "effect/http"
import type { CallSettings } from "./CallSettings.ts"
import { withSettings } from "./CallSettings.ts"
import type { ClientOptions } from "./ClientOptions.ts"
import { checkOptions } from "./ClientOptions.ts"
import type { Connection, ConnectionFailure } from "./Connection.ts"
import { connect } from "./Connection.ts"
import { PagoraApiError, PagoraConnectionError } from "./PagoraErrors.ts"
import { webhookCalls } from "./WebhookCalls.ts"
import type { Answer, Body, Query } from "./Wire.ts"

export interface PromiseClientOptions extends ClientOptions {
  /** What sends the requests; the platform's `fetch` unless told. */
  readonly fetch?: typeof fetch
}

export interface CallOptions extends CallSettings {
  /** Gives the call up. Of a POST it is then not known whether it was done. */
  readonly signal?: AbortSignal
}

/**
 * A client of the service for Promises. Requests and answers are the JSON of the wire: amounts are numbers in BRL
 * (10.5 is R$ 10,50), times RFC 3339 texts.
 *
 * It fetches its token and renews it in time. What got no answer, 429 or 5xx it tries again, a POST under the same
 * Idempotency-Key, so that it is done once. A call fails with a `PagoraApiError`, or with a
 * `PagoraConnectionError` where no answer came.
 */
export const createClient = ({ fetch: send, ...options }: PromiseClientOptions) => {
  checkOptions(options)
  const fetching = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    // A redirect is shown, not followed: a POST would become a GET on its way.
    const shown = Effect.provideService(effect, FetchHttpClient.RequestInit, { redirect: "manual" })
    return send === undefined ? shown : Effect.provideService(shown, FetchHttpClient.Fetch, send)
  }
  const connection = Effect.runSync(
    connect(options).pipe(Effect.provide(FetchHttpClient.layer)) as Effect.Effect<Connection>
  )

  const ask = <A>(request: HttpClientRequest.HttpClientRequest, call: CallOptions = {}) =>
    settle<A>(fetching, connection, { request, call })

  const get = <A>(path: string, query: object = {}, call?: CallOptions): Promise<A> =>
    ask(HttpClientRequest.get(path, { urlParams: { ...query } }), call)

  const post = <A>(path: string, body: unknown, call: CallOptions = {}): Promise<A> => {
    const bare = HttpClientRequest.post(path)
    const request = body === undefined ? bare : HttpClientRequest.bodyJsonUnsafe(bare, body)
    return ask(request, { ...call, idempotencyKey: call.idempotencyKey ?? crypto.randomUUID() })
  }

  const patch = <A>(path: string, body: unknown, call?: CallOptions): Promise<A> =>
    ask(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.patch(path), body), call)

  const remove = (path: string, call?: CallOptions): Promise<void> =>
    ask(HttpClientRequest.delete(path), call)

  return {
    accounts: {
      /** The account, or the sub-account, and its balance. */
      get: (call?: CallOptions) => get<Answer<"accounts", "get">>("/account", {}, call)
    },
    balanceBlocks: {
      list: (query?: Query<"balanceBlocks", "list">, call?: CallOptions) =>
        get<Answer<"balanceBlocks", "list">>("/balance-blocks", query, call)
    },
    charges: {
      create: (body: Body<"charges", "create">, call?: CallOptions) =>
        post<Answer<"charges", "create">>("/pix", body, call),
      cancel: (id: string, call?: CallOptions) =>
        post<Answer<"charges", "cancel">>(`/pix/${segment(id)}/cancel`, undefined, call)
    },
    projects: {
      create: (body: Body<"projects", "create">, call?: CallOptions) =>
        post<Answer<"projects", "create">>("/projects", body, call),
      list: (query?: Query<"projects", "list">, call?: CallOptions) =>
        get<Answer<"projects", "list">>("/projects", query, call)
    },
    refunds: {
      /** Asks for the full refund of a payment; how it ended comes as `refund_completed`. */
      request: (id: string, body: Body<"refunds", "request"> = {}, call?: CallOptions) =>
        post<Answer<"refunds", "request">>(`/transactions/${segment(id)}/refund`, body, call)
    },
    subAccounts: {
      create: (body: Body<"subAccounts", "create">, call?: CallOptions) =>
        post<Answer<"subAccounts", "create">>("/sub-accounts", body, call),
      list: (call?: CallOptions) => get<Answer<"subAccounts", "list">>("/sub-accounts", {}, call)
    },
    transactions: {
      list: (query?: Query<"transactions", "list">, call?: CallOptions) =>
        get<Answer<"transactions", "list">>("/transactions", query, call),
      /** By the id of the transaction, the externalReference or the Idempotency-Key, in this order. */
      find: (id: string, call?: CallOptions) =>
        get<Answer<"transactions", "find">>(`/transactions/${segment(id)}`, {}, call)
    },
    transfers: {
      create: (body: Body<"transfers", "create">, call?: CallOptions) =>
        post<Answer<"transfers", "create">>("/internal-transfers", body, call)
    },
    webhookEndpoints: webhookCalls({ get, patch, post, remove, segment }),
    withdrawals: {
      /** Sends money. Give it an idempotencyKey of your own: it outlives a crash of your process. */
      create: (body: Body<"withdrawals", "create">, call?: CallOptions) =>
        post<Answer<"withdrawals", "create">>("/withdrawals", body, call),
      find: (id: string, call?: CallOptions) =>
        get<Answer<"withdrawals", "find">>(`/withdrawals/${segment(id)}`, {}, call)
    }
  } as const
}

export type PagoraClient = ReturnType<typeof createClient>

/** An id as one segment of a path. What a path would read as something else could reach another endpoint. */
const segment = (id: string): string => {
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) {
    throw new TypeError("The id is empty, or it is no id.")
  }
  return encodeURIComponent(id)
}

interface Sent {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly call: CallOptions
}

const settle = async <A>(
  fetching: <B, E>(effect: Effect.Effect<B, E>) => Effect.Effect<B, E>,
  connection: Connection,
  { call: { signal, ...settings }, request }: Sent
): Promise<A> => {
  const sent = connection.execute(request).pipe(
    Effect.flatMap((response) =>
      Effect.map(response.text, (text) => ({ status: response.status, text }))
    ),
    withSettings(settings),
    fetching,
    Effect.result
  )
  const { idempotencyKey } = settings
  const running = Effect.runPromise(sent, signal === undefined ? {} : { signal })
  const result = await running.catch((cause: unknown): never => {
    if (signal?.aborted !== true) throw cause
    throw new PagoraConnectionError("The call was given up.", signal.reason, idempotencyKey)
  })
  if (Result.isFailure(result)) throw failed(result.failure, idempotencyKey)
  const { status, text } = result.success
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

const failed = (failure: ConnectionFailure, idempotencyKey: string | undefined): Error => {
  const key = idempotencyKey === undefined ? {} : { idempotencyKey }
  if (failure._tag === "HttpClientError")
    return new PagoraConnectionError(lost(failure), failure.cause ?? failure, idempotencyKey)
  const { message, status } = failure
  const code = failure._tag === "TokenUnavailable" ? failure.code : "AUTHENTICATION_REFUSED"
  return new PagoraApiError({ status, code, message, ...key })
}

const lost = ({ message, reason }: HttpClientError.HttpClientError): string =>
  reason._tag === "TransportError" && reason.description === undefined
    ? `The connection failed (${reason.methodAndUrl}). Does the service run, and is baseUrl its address?`
    : message

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
