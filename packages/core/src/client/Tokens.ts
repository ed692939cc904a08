import type { RawAnswer, Surroundings } from "./Connection.ts"

/** `POST /auth` gave no token. */
export class NoToken extends Error {
  override readonly name = "NoToken"
  /** It says that the credential is wrong; else it says nothing of the credential. */
  readonly isRefused: boolean
  readonly status: number
  /**
   * As elsewhere: `AUTHENTICATION_REFUSED`, `RATE_LIMITED`, the name of the error, or `UNEXPECTED_ANSWER` for what is no
   * answer of this service.
   */
  readonly code: string
  readonly retryAfter: string | undefined

  constructor(code: string, message: string, { retryAfter, status }: RawAnswer) {
    super(message)
    this.isRefused = code === "AUTHENTICATION_REFUSED"
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** Bearer tokens, fetched when one is needed and shared by all calls. */
export interface Tokens {
  readonly current: (around: Surroundings) => Promise<string>
  /** Another token than this one, which the service does not take any more. */
  readonly after: (refused: string, around: Surroundings) => Promise<string>
}

/** Seconds before its end from which a token is not used any more: a request may take a while to arrive. */
const marginSeconds = 30

export const makeTokens = (credential: {
  readonly clientId: string
  readonly clientSecret: string
}): Tokens => {
  /** By the monotonic clock: that of the machine may be set meanwhile. */
  let cached: { readonly token: string; readonly freshUntil: number } | undefined
  let turn: Promise<unknown> = Promise.resolve()

  const body = JSON.stringify({
    client_id: credential.clientId,
    client_secret: credential.clientSecret
  })

  const fetched = async (around: Surroundings): Promise<string> => {
    const asked = around.monotonicMillis()
    const answer = await around.authorize(body)
    const { access_token: token, expires_in: seconds } = jsonOf(answer.text)
    if (answer.status !== 200 || typeof token !== "string" || !isFinite(seconds))
      throw refusal(answer)
    cached = { token, freshUntil: asked + Math.max(0, seconds - marginSeconds) * 1_000 }
    return token
  }

  /** One at a time: those who waited for it use what the first one fetched. */
  const tokenUnless = (isStale: (token: string) => boolean, around: Surroundings) => {
    const mine = turn.then(() => {
      around.signal?.throwIfAborted()
      return cached !== undefined &&
        around.monotonicMillis() < cached.freshUntil &&
        !isStale(cached.token)
        ? cached.token
        : fetched(around)
    })
    turn = mine.catch(() => undefined)
    return mine
  }

  return {
    current: (around) => tokenUnless(() => false, around),
    after: (refused, around) => tokenUnless((token) => token === refused, around)
  }
}

const isFinite = (value: unknown): value is number => Number.isFinite(value)

const jsonOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null
      ? (json as Readonly<Record<string, unknown>>)
      : {}
  } catch {
    return {}
  }
}

/** Statuses that say what is wrong with what was sent, which is the credential. */
const wrong = new Set([400, 401])

const refusal = (answer: RawAnswer): NoToken => {
  const { status, text } = answer
  const { error, message } = jsonOf(text)
  if (typeof error !== "string" || typeof message !== "string" || status < 400 || status === 404)
    return new NoToken(
      "UNEXPECTED_ANSWER",
      `The answer of POST /auth with status ${status} is not one of this service. Check baseUrl and what stands before it.`,
      answer
    )
  if (wrong.has(status)) return new NoToken("AUTHENTICATION_REFUSED", message, answer)
  // The errors of POST /auth have names and no codes.
  return new NoToken(status === 429 ? "RATE_LIMITED" : error.replaceAll(" ", ""), message, answer)
}
