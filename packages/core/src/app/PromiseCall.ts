import type { Schema } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PagoraError } from "./PagoraError.ts"
import { present } from "../kernel/Present.ts"

type GroupsOf<A> = A extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never
type GroupOf<A, G extends string> = HttpApiGroup.WithIdentifier<GroupsOf<A>, G>
type EndpointOf<A, G extends string, E extends string> = HttpApiEndpoint.WithIdentifier<
  HttpApiGroup.Endpoints<GroupOf<A, G>>,
  E
>

/** The wire form of a schema, below the JSON codec that the framework puts around it. */
type Encoded<S> =
  S extends Schema.toCodecJson<infer Inner>
    ? Inner["Encoded"]
    : S extends Schema.toCodecStringTree<infer Inner>
      ? Inner["Encoded"]
      : S extends Schema.Top
        ? S["Encoded"]
        : never

/** The body that an endpoint takes, as plain data. */
export type BodyOf<A, G extends string, E extends string> = Encoded<
  HttpApiEndpoint.Payload<EndpointOf<A, G, E>>
>

/** The query that an endpoint takes; what is a number may be given as one. */
export type QueryOf<A, G extends string, E extends string> = WithNumbers<
  Encoded<HttpApiEndpoint.Query<EndpointOf<A, G, E>>>
>
type WithNumbers<Q> = {
  [K in keyof Q]: string extends Exclude<Q[K], undefined> ? Q[K] | number : Q[K]
}

/** What an endpoint answers when all is well, as plain data. */
export type AnswerOf<A, G extends string, E extends string> = Encoded<
  HttpApiEndpoint.Success<EndpointOf<A, G, E>>
>

/** Where each endpoint of an API is, by the names of its group and its own: `GET /accounts/:id`. */
export type PlacesOf<A> = {
  readonly [G in HttpApiGroup.Identifier<GroupsOf<A>>]: {
    readonly [E in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<GroupOf<A, G>>>]: PlaceOf<
      EndpointOf<A, G, E>
    >
  }
}
type PlaceOf<E> = E extends { readonly method: infer Method; readonly path: infer Path }
  ? `${Method & string} ${Path & string}`
  : never

/** What can be said beside the data of a call. */
export interface CallOptions {
  /** The reference of the sub-account to act for. Default: the main account. */
  readonly subAccount?: string | undefined
  /** 8 to 255 printable characters: calls with the same key and data within 24 hours happen once. */
  readonly idempotencyKey?: string | undefined
}

interface Call {
  readonly account?: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: unknown
  readonly options?: CallOptions | undefined
}

/** Answers a request; `account` is whom the program acts for. */
export type Send = (request: Request, account: string | undefined) => Promise<Response>

/** Calls of an API by the names of its groups and endpoints, as plain data in and out (decision 0030). */
export const promiseCalls = <A extends HttpApi.Constraint>(
  places: PlacesOf<A>,
  send: Send,
  always: Readonly<Record<string, string>> = {}
) => {
  const groups: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = places
  return async <
    G extends HttpApiGroup.Identifier<GroupsOf<A>>,
    E extends HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<GroupOf<A, G>>>
  >(
    group: G,
    endpoint: E,
    call: Call
  ): Promise<AnswerOf<A, G, E>> => {
    const place = groups[group]?.[endpoint]
    if (place === undefined) throw new Error(`There is no endpoint ${group}.${endpoint}.`)
    const response = await send(requestOf(place, call, always), call.account)
    const text = await response.text()
    if (response.ok) return (text === "" ? undefined : JSON.parse(text)) as AnswerOf<A, G, E>
    throw errorOf(response.status, text)
  }
}

const requestOf = (
  place: string,
  { body, options = {}, params = {}, query = {} }: Call,
  always: Readonly<Record<string, string>>
): Request => {
  const unknown = Object.keys(options).find((name) => !optionNames.has(name))
  if (unknown !== undefined) throw unknownOption(unknown)
  const [method = "", path = ""] = place.split(" ")
  const filled = path.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, params[name]))
  const search = new URLSearchParams(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)])
  )
  const headers = new Headers(always)
  if (options.subAccount !== undefined) headers.set("x-sub-account", options.subAccount)
  if (options.idempotencyKey !== undefined) headers.set("idempotency-key", options.idempotencyKey)
  if (body !== undefined) headers.set("content-type", "application/json")
  return new Request(`http://pagora.internal${filled}${search.size === 0 ? "" : `?${search}`}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: jsonOf(body) })
  })
}

const optionNames: ReadonlySet<string> = new Set<keyof CallOptions>([
  "subAccount",
  "idempotencyKey"
])

/** A call for another wallet, or without its key, is not the one that was meant. */
const unknownOption = (field: string): PagoraError => {
  const message = "There is no such option. There is subAccount, idempotencyKey."
  return new PagoraError("VALIDATION_ERROR", `${field}: ${message}`, {
    issues: [{ field, message }]
  })
}

/** An argument as one segment of a path, which no URL reads as anything else: no argument changes the route. */
const segmentOf = (name: string, value: unknown): string => {
  if (typeof value !== "string" || !value.isWellFormed() || /^\.{0,2}$|\0/.test(value))
    throw new PagoraError(
      "VALIDATION_ERROR",
      `${name}: Give a text that is not empty, and names one thing.`,
      { issues: [{ field: name, message: "Give a text that is not empty, and names one thing." }] }
    )
  return encodeURIComponent(value)
}

const jsonOf = (body: unknown): string => {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    throw new PagoraError(
      "VALIDATION_ERROR",
      "The data of a call must be JSON: amounts are numbers in BRL, such as 25.9, not bigint.",
      {},
      { cause }
    )
  }
}

const errorOf = (status: number, text: string): PagoraError => {
  const envelope = parsed(text)
  const { code, ...details } = envelope.details ?? {}
  return new PagoraError(
    String(code ?? envelope.error ?? status),
    envelope.message ?? `The call failed with status ${status}.`,
    {
      status,
      ...details,
      ...present({ traceId: envelope.traceId })
    }
  )
}

interface Envelope {
  readonly error?: string
  readonly message?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly traceId?: string
}

const parsed = (text: string): Envelope => {
  try {
    return JSON.parse(text) as Envelope
  } catch {
    return {}
  }
}
