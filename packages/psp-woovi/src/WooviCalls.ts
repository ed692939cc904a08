import { PspOutcome } from "@pagora/core"
import { Duration, Effect, Result, Schema, SchemaIssue } from "effect"
import { isReference } from "./WooviWire.ts"

export interface WooviOptions {
  /** The AppID of an application of type API, as Woovi's panel shows it. */
  readonly appId: string
  readonly environment: "production" | "sandbox"
  /** Where its API is; that of the environment, unless told. */
  readonly url?: string
  /** Callbacks may be signed with any of these keys (PEM); with `wooviPublicKey` alone, unless told. */
  readonly publicKeys?: ReadonlyArray<string>
  /** How long an answer may take, in milliseconds; 7,000 unless told. Pagora gives up a call after 15 seconds. */
  readonly timeoutMillis?: number
}

/** Every outcome that is no answer. */
export type NotDone = Exclude<PspOutcome<never>, { readonly _tag: "Done" }>
/** What Woovi answers. Whatever else comes of a request fails, so that only answers are gone on with. */
export type Asked<A> = Effect.Effect<A, NotDone>

export const fail = (outcome: PspOutcome<never>): Asked<never> => Effect.fail(outcome as NotDone)
export const outcomeOf = <A>(asked: Asked<A>): Effect.Effect<PspOutcome<A>> =>
  Effect.match(asked, {
    onFailure: (outcome): PspOutcome<A> => outcome,
    onSuccess: PspOutcome.done
  })

/** `servers` of the openapi. */
const urls = { production: "https://api.openpix.com.br", sandbox: "https://api.woovi-sandbox.com" }

/** An order: a refusal of it is Woovi's own word that it was not done. */
export type Order = ReturnType<typeof makeOrder>
export const makeOrder =
  ({ appId, environment, timeoutMillis = 7_000, url = urls[environment] }: WooviOptions) =>
  <S extends Schema.ConstraintDecoder<unknown>>(
    answer: S,
    method: "GET" | "POST" | "PATCH",
    path: string,
    json?: unknown
  ): Asked<S["Type"]> =>
    Effect.tryPromise({
      try: async (signal) => {
        const headers = { authorization: appId, "content-type": "application/json" }
        const body = json === undefined ? {} : { body: JSON.stringify(json) }
        // A redirect would carry the order, and the AppID, to somebody else.
        const init = { method, headers, signal, redirect: "manual", ...body } as const
        const response = await fetch(new URL(`/api/v1${path}`, url), init)
        const { headers: told, status } = response
        return { status, retryAfter: told.get("retry-after"), text: await textOf(response) }
      },
      catch: unreached
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMillis,
        orElse: () => fail(PspOutcome.unknown("no answer in time"))
      }),
      Effect.flatMap(({ retryAfter, status, text }) => {
        if (status !== 200 && status !== 201) return fail(refusalOf(status, text, retryAfter))
        const decoded = Schema.decodeUnknownResult(Schema.fromJsonString(answer))(text)
        return Result.isSuccess(decoded)
          ? Effect.succeed(decoded.success)
          : fail(misfit(decoded.failure.issue))
      })
    )

/** Far more than a page of a list has. */
const answerMax = 4_000_000

/** The text of an answer that ends. */
const textOf = async ({ body }: Response): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > answerMax) throw new Error("too long", { cause: { code: "ANSWER_TOO_LONG" } })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** By what Woovi says that it has no such thing: `Company not found` and the like mean our credential. */
const missing = {
  charge: /(charge|cobran).*(not found|encontrad)/i,
  payment: /(payment|pagamento|movement).*(not found|encontrad)/i,
  transaction: /(transaction|transaç).*(not found|encontrad)/i,
  refund: /(refund|reembolso).*(not found|encontrad)/i,
  dispute: /(dispute|disputa).*(not found|encontrad)/i
}

/** A question: undefined where Woovi has no such thing. That it refuses a question otherwise says nothing of what was done. */
export type Ask = ReturnType<typeof makeAsk>
export const makeAsk =
  (order: Order) =>
  <S extends Schema.ConstraintDecoder<unknown>>(
    kind: keyof typeof missing,
    answer: S,
    path: string
  ): Asked<S["Type"] | undefined> =>
    Effect.catchTag(order(answer, "GET", path), "Rejected", ({ message }) =>
      missing[kind].test(message) ? Effect.undefined : fail(PspOutcome.unknown(message))
    )

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
/** Where in an answer it is that does not fit, such as `transactions.3.time`; not what stands there. */
const misfit = (issue: SchemaIssue.Issue): PspOutcome<never> => {
  const path = issuesOf(issue).issues[0]?.path?.map(String) ?? []
  const place = path.length === 0 ? "" : ` at ${path.join(".")}`
  return PspOutcome.unknown(`an answer that does not fit Woovi's openapi${place}`)
}
/** An answer about something else says nothing of what was done. */
export const another = PspOutcome.unknown("an answer about something else")

export const badOrder = PspOutcome.rejected(
  "invalid_order",
  "No such reference, amount or time can be sent."
)

/** The amount as it stands in JSON, of an order that can be one. */
export const writeCents = (reference: string, amount: bigint): Asked<number> =>
  isReference(reference) && amount > 0n && amount <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Effect.succeed(Number(amount))
    : fail(badOrder)

/** Errors of a connection that was never made. After any other one Woovi may have read the order. */
const neverMade = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

const unreached = (error: unknown): NotDone => {
  const code = String((error as { readonly cause?: { readonly code?: unknown } }).cause?.code)
  return (neverMade.has(code) ? PspOutcome.notSent(code) : PspOutcome.unknown(code)) as NotDone
}

/** A sentence, a code, or a list of faults; at times with a code beside it (`ErrorResponse` of the openapi). */
const Fault = Schema.Union([Schema.String, Schema.Struct({ message: Schema.String })])
const Failure = Schema.Struct({
  error: Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Fault)]),
  errorCode: Schema.optional(Schema.String)
})
const readFailure = Schema.decodeUnknownOption(Schema.fromJsonString(Failure))

/** It looked up too many keys for us: its bucket fills again by the minute (docs/payment/pix-key-token-bucket). */
const keyLimits = new Set(["ALIAS_LIMIT_ERROR", "TOO_MANY_REQUESTS"])

/** How long it wants to be left alone, an hour at most; five minutes where it does not say so in seconds. */
const pauseOf = (retryAfter: string | null): Duration.Duration =>
  /^\d{1,9}$/.test(retryAfter ?? "")
    ? Duration.min(Duration.seconds(Number(retryAfter)), Duration.hours(1))
    : Duration.minutes(5)

/** Only with its own error in the body is a status a refusal, for others may stand before it. */
const refusalOf = (status: number, text: string, retryAfter: string | null): PspOutcome<never> => {
  const pause = pauseOf(retryAfter)
  if (status === 429) return PspOutcome.notNow("too many requests", pause)
  const failure = readFailure(text)
  if (failure._tag === "None") return PspOutcome.unknown(`status ${status}`)
  const { error, errorCode } = failure.value
  const fault = typeof error === "string" ? error : error[0]
  const message = typeof fault === "string" ? fault : fault.message
  const code = errorCode ?? (/^[A-Z][A-Z0-9_]+$/.test(message) ? message : "psp_rejected")
  // The AppID is refused before the order is looked at.
  if (status === 401 || status === 403 || (status < 500 && keyLimits.has(code)))
    return PspOutcome.notNow(`status ${status}: ${message}`, pause)
  return [400, 404, 409, 422].includes(status)
    ? PspOutcome.rejected(code, message)
    : PspOutcome.unknown(`status ${status}`)
}
