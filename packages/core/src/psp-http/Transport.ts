import { Effect } from "effect"

/** A request as it goes out. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface HttpAnswer {
  readonly _tag: "Answered"
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

/**
 * What became of a request.
 *
 * - `NotSent`: the connection was never made, or the PSP did not take our certificate, so it has heard nothing;
 * - `Lost`: the PSP may have heard it, and we do not know its answer.
 */
export type Exchanged =
  | HttpAnswer
  | { readonly _tag: "NotSent"; readonly detail: string }
  | { readonly _tag: "Lost"; readonly detail: string }

/**
 * How requests come to the PSP, in the place of connections of our own: through a service that holds the certificate, or to a bank
 * inside of a test. `Lost` is the answer of whoever does not know whether the PSP has heard it.
 */
export type Transport = (request: HttpRequest) => Effect.Effect<Exchanged>

/** Errors of a connection that was never made. After any other one the PSP may have read the order. */
const neverMade = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])

/** Far more than a page of a list has. */
const answerBytesMax = 4_000_000

/** By the `fetch` of the platform. Only codes of errors are told: their words quote what they were given (decision 0047). */
export const fetchTransport: Transport = ({ body, headers, method, url }) =>
  Effect.tryPromise({
    try: async (signal): Promise<Exchanged> => {
      // A redirect would carry the order, and what proves who we are, to somebody else.
      const init = { method, headers, signal, redirect: "manual", ...(body && { body }) } as const
      const response = await fetch(url, init)
      const text = await textOf(response)
      const retryAfter = response.headers.get("retry-after") ?? undefined
      return { _tag: "Answered", status: response.status, retryAfter, text }
    },
    catch: (error): Exchanged => {
      const { cause } = error as { readonly cause?: { readonly code?: unknown } }
      const code = typeof cause?.code === "string" ? cause.code : "an error without a code"
      return { _tag: neverMade.has(code) ? "NotSent" : "Lost", detail: code }
    }
  }).pipe(Effect.catch(Effect.succeed))

/** The text of an answer that ends. */
const textOf = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > answerBytesMax) throw new Error("too long", { cause: { code: "ANSWER_TOO_LONG" } })
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
