import { Duration, Effect, Result } from "effect"
import { PspOutcome } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"
import { failed } from "./Asked.ts"
import type { Fields } from "./Fields.ts"
import { fieldsOf, Misfit } from "./Fields.ts"
import { parseJson } from "./Json.ts"
import type { Exchanged, HttpAnswer, HttpRequest, Transport } from "./Transport.ts"
import { fetchTransport } from "./Transport.ts"

/** An error in the PSP's own words. */
export interface ApiError {
  /** For programs. */
  readonly code: string
  /** For people. */
  readonly message: string
  /** Nothing is wrong with what was asked: the PSP takes it later. */
  readonly isPause?: boolean
}

export interface ApiRequest {
  readonly method: HttpRequest["method"]
  /** Below `url`. What is named in it is encoded by whoever makes it. */
  readonly path: string
  /** As it is sent; empty where there is none. */
  readonly body: string
}

/** What whoever configures a PSP may say of how it is asked. */
export interface ApiSettings {
  /** Where its API is; where its author knows it, unless told. */
  readonly url?: string
  /** How long an answer may take; 7,000 unless told, so that a look-up may follow before Pagora gives up after 15 seconds. */
  readonly timeoutMillis?: number
  /** How requests come to it; by `fetch`, unless told. */
  readonly transport?: Transport
}

export interface JsonApiOptions extends ApiSettings {
  /** What all paths stand below. */
  readonly url: string
  /** By which the PSP knows us: a key, a token, or a signature of the request. Where there are none, nothing is sent. */
  readonly headers: Headers | ((request: ApiRequest) => Asked<Headers>)
  /** Throws, or is undefined, where it is not the PSP that speaks, but somebody before it. */
  readonly readError: Reader<ApiError | undefined>
}

type Headers = Readonly<Record<string, string>>

/** Reads an answer, and throws where it does not fit. */
type Reader<A> = (answer: Fields) => A

/** A PSP's API of JSON over HTTP. Each call says how its answer is read. */
export interface JsonApi {
  /** A refusal of an order is the PSP's own word that it was not done. */
  readonly order: <A>(
    read: Reader<A>,
    method: HttpRequest["method"],
    path: string,
    json?: unknown
  ) => Asked<A>
  /** A question about what is there. That it is refused says nothing of what was done. */
  readonly ask: <A>(read: Reader<A>, path: string) => Asked<A>
  /** A question by a name; undefined where the PSP says that it has no such thing. */
  readonly find: <A>(
    read: Reader<A>,
    path: string,
    isMissing: (error: ApiError) => boolean
  ) => Asked<A | undefined>
}

export const jsonApi = (options: JsonApiOptions): JsonApi => {
  const { headers, readError, timeoutMillis = 7_000, transport = fetchTransport, url } = options
  const headersOf = typeof headers === "function" ? headers : () => Effect.succeed(headers)

  const exchange = (request: ApiRequest): Asked<Exchanged> =>
    Effect.flatMap(headersOf(request), (known) =>
      transport({
        method: request.method,
        url: `${url.replace(/\/$/, "")}${request.path}`,
        headers: { "content-type": "application/json", ...known },
        body: request.body === "" ? undefined : request.body
      })
    ).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => Effect.succeed<Exchanged>({ _tag: "Lost", detail: "no answer in time" })
      })
    )

  const order: JsonApi["order"] = (read, method, path, json) =>
    Effect.gen(function* () {
      const body = json === undefined ? "" : JSON.stringify(json)
      const exchanged = yield* exchange({ method, path, body })
      if (exchanged._tag === "NotSent") return yield* failed(PspOutcome.notSent(exchanged.detail))
      if (exchanged._tag === "Lost") return yield* failed(PspOutcome.unknown(exchanged.detail))
      const { status, text } = exchanged
      if (status < 200 || status > 204) return yield* failed(refusalOf(exchanged, readError))
      const answer = parseJson(text)
      // By HTTP itself a 204 has no body. That fits where nothing of it is read, and is no empty list where one is.
      if (answer === undefined && status !== 204) return yield* failed(misfit)
      return yield* reading(answer, read)
    })

  return {
    order,
    ask: (read, path) =>
      Effect.catchTag(order(read, "GET", path), "Rejected", ({ message }) =>
        failed(PspOutcome.unknown(message))
      ),
    find: (read, path, isMissing) =>
      Effect.catchTag(order(read, "GET", path), "Rejected", (error) =>
        isMissing(error) ? Effect.undefined : failed(PspOutcome.unknown(error.message))
      )
  }
}

const reading = <A>(json: unknown, read: Reader<A>): Asked<A> =>
  Effect.try({
    try: () => read(fieldsOf(json)),
    catch: (error) => (error instanceof Misfit ? ` at ${error.place}` : "")
  }).pipe(Effect.catch((place) => failed(PspOutcome.unknown(`${misfit.detail}${place}`))))

const misfit = { _tag: "Unknown", detail: "an answer that does not fit the PSP's manual" } as const

/** How long it wants to be left alone, an hour at most; five minutes where it does not say so in seconds. */
const pauseOf = (retryAfter = ""): Duration.Duration =>
  /^\d{1,9}$/.test(retryAfter)
    ? Duration.min(Duration.seconds(Number(retryAfter)), Duration.hours(1))
    : Duration.minutes(5)

/**
 * Statuses that mean, with the PSP's own words beside them, that it has not done what it was asked. Not 409: what is in the way of
 * an order may be the order itself, sent twice on its way, and not found yet.
 */
const refusing = new Set([400, 404, 410, 422])

/**
 * A status counts only with the PSP's own words beside it: a bare 404 may come from a proxy, behind which the order was carried
 * out. Too many requests are told by whoever stands before it, too, and before anything is done.
 */
const refusalOf = (
  { retryAfter, status, text }: HttpAnswer,
  readError: JsonApiOptions["readError"]
): PspOutcome<never> => {
  const pause = pauseOf(retryAfter)
  if (status === 429) return PspOutcome.notNow("too many requests", pause)
  const error = Result.getOrUndefined(Result.try(() => readError(fieldsOf(parseJson(text)))))
  if (error === undefined) return PspOutcome.unknown(`status ${status}`)
  const { code, isPause, message } = error
  // Who we are is looked at before the order is.
  if (status === 401 || status === 403 || (isPause === true && status < 500))
    return PspOutcome.notNow(`status ${status}: ${message}`, pause)
  return refusing.has(status)
    ? PspOutcome.rejected(code, message)
    : PspOutcome.unknown(`status ${status}`)
}
