import type { CallSettings } from "./CallSettings.ts"
import type { ClientOptions } from "./ClientOptions.ts"
import { retriesDefault } from "./ClientOptions.ts"
import type { TryOutcome } from "./Retries.ts"
import { waitBeforeNext } from "./Retries.ts"
import { makeTokens, NoToken } from "./Tokens.ts"
import { present } from "../kernel/Present.ts"

/** An answer, read to its end: one whose end is lost is no answer (decision 0034). */
export interface RawAnswer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | undefined
}

/** A request, and how one try of it is made: with these headers beside its own. */
export interface Sendable<A extends RawAnswer> {
  readonly method: string
  readonly send: (headers: Readonly<Record<string, string>>) => Promise<A>
}

/** What a call needs of where it runs, the platform or a program in Effect: its clock, its chance, its way out. */
export interface Surroundings {
  /** One try of `POST /auth` with this body. */
  readonly authorize: (body: string) => Promise<RawAnswer>
  /** Whether a try that failed may have arrived, or was not heard of any more: then another try can help. */
  readonly isLost: (failure: unknown) => boolean
  readonly monotonicMillis: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  readonly sleep: (millis: number) => Promise<void>
  /** Aborted when the caller gives up: nothing is sent after that. */
  readonly signal: AbortSignal | undefined
}

/** Sends requests: with a token, an Idempotency-Key, and again where that is safe and can help. */
export type Connection = <A extends RawAnswer>(
  request: Sendable<A>,
  settings: CallSettings,
  around: Surroundings
) => Promise<A>

export const connect = (options: ClientOptions): Connection => {
  const { retries = retriesDefault, subAccount: usual } = options
  const tokens = makeTokens(options)

  const tryOnce = async <A extends RawAnswer>(
    request: Sendable<A>,
    headers: Readonly<Record<string, string>>,
    around: Surroundings
  ): Promise<A> => {
    const sendWith = (token: string) => {
      around.signal?.throwIfAborted()
      return request.send({ ...headers, authorization: `Bearer ${token}` })
    }
    const token = await tokens.current(around)
    const answer = await sendWith(token)
    if (answer.status !== 401) return answer
    // It was refused before anything was done, so that even a POST may be made again.
    return sendWith(await tokens.after(token, around))
  }

  return async (request, { idempotencyKey, subAccount = usual }, around) => {
    const isPost = request.method === "POST"
    const headers = {
      accept: "application/json",
      ...present({ "x-sub-account": subAccount }),
      // Made up once for all tries: that is what makes a repeat safe.
      ...(isPost ? { "idempotency-key": idempotencyKey ?? crypto.randomUUID() } : {})
    }
    const isRepeatable = isPost || request.method === "GET"
    for (let tries = 1; ; tries++) {
      const tried = await tryOnce(request, headers, around).then(
        (answer) => ({ answer, outcome: answered(answer) }),
        (failure: unknown) => ({ failure, outcome: failed(failure, around) })
      )
      const { outcome } = tried
      const wait =
        isRepeatable && tries <= retries && outcome !== undefined
          ? waitBeforeNext(outcome, tries, around.random())
          : undefined
      if (wait !== undefined) {
        await around.sleep(wait)
        continue
      }
      if ("failure" in tried) throw tried.failure
      return tried.answer
    }
  }
}

const answered = ({ retryAfter, status, text }: RawAnswer): TryOutcome => ({
  _tag: "Answered",
  status,
  code: codeIn(text),
  retryAfter
})

const codeIn = (text: string): string | undefined => {
  try {
    const { details } = JSON.parse(text) as { readonly details?: { readonly code?: unknown } }
    return typeof details?.code === "string" ? details.code : undefined
  } catch {
    return undefined
  }
}

/** Undefined for a failure that was there before anything was sent. */
const failed = (failure: unknown, { isLost }: Surroundings): TryOutcome | undefined => {
  if (failure instanceof NoToken)
    return { _tag: "Answered", status: failure.status, retryAfter: failure.retryAfter }
  return isLost(failure) ? { _tag: "Lost" } : undefined
}
