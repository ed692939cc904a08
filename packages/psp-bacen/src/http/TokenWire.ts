import type { Exchanged, HttpRequest } from "@pagora/core/psp"
import { parseJson } from "@pagora/core/psp"
import { Redacted, Result, Schema } from "effect"
import type { BankProfile } from "../profiles/BankProfile.ts"
import { readBankError } from "./BankError.ts"
import type { Hearing } from "./Heard.ts"
import { hear } from "./Heard.ts"
import type { Credentials, NoToken, Token } from "./Tokens.ts"

/** The request for a token, as the bank wants it (RFC 6749 §4.4, and what banks make of it). */
export const tokenRequest = (
  bank: {
    readonly profile: BankProfile
    readonly url: string
    readonly credentials: Credentials
  },
  scopes: string
): HttpRequest => {
  const { clientId, clientSecret } = bank.credentials
  const { body, client, grant } = bank.profile.token
  const secret = clientSecret === undefined ? "" : Redacted.value(clientSecret)
  const fields = {
    ...(grant === "body" ? { grant_type: "client_credentials" } : {}),
    ...(client === "basic" ? {} : { client_id: clientId }),
    ...(client === "form" ? { client_secret: secret } : {}),
    ...(scopes === "" ? {} : { scope: scopes })
  }
  const basic = `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`
  return {
    method: "POST",
    url: grant === "query" ? `${bank.url}?grant_type=client_credentials` : bank.url,
    headers: {
      accept: "application/json",
      "content-type": body === "json" ? "application/json" : "application/x-www-form-urlencoded",
      ...(client === "basic" ? { authorization: basic } : {})
    },
    body: body === "json" ? JSON.stringify(fields) : new URLSearchParams(fields).toString()
  }
}

const Answer = Schema.Struct({
  access_token: Schema.NonEmptyString,
  expires_in: Schema.optionalKey(Schema.Union([Schema.Number, Schema.String])),
  scope: Schema.optionalKey(Schema.String),
  client_id: Schema.optionalKey(Schema.String)
})

const answerOf = Schema.decodeUnknownResult(Answer)

/** A token is renewed so long before its end. */
const earlySeconds = 60
/** Where the bank does not say how long it is good for. */
const lifeSeconds = 300
/** One that names no scope of those that were asked for may be the answer to somebody else: it is not held on to. */
const strangeSeconds = 60

export const readToken = (
  exchanged: Exchanged,
  asked: Hearing & {
    readonly clientId: string
    /** As they were asked for, with spaces between. */
    readonly scopes: string
    /** Milliseconds of the monotonic clock. */
    readonly now: number
  }
): Token | NoToken => {
  if (exchanged._tag === "NotSent")
    return noToken(`${tokenReasons.unreached} (${exchanged.detail})`)
  if (exchanged._tag === "Lost") return noToken(`${tokenReasons.silent} (${exchanged.detail})`)
  const heard = hear(exchanged, asked)
  if (heard._tag === "NotNow") return heard
  if (heard._tag !== "Answered") return noToken(`${saidNo(exchanged)} (${reasonOf(exchanged)})`)
  const answer = Result.getOrUndefined(answerOf(heard.json))
  if (answer === undefined) return noToken("an answer without a token")
  const { access_token, client_id, expires_in, scope } = answer
  // A token of somebody else would show us his account (seen at Santander).
  if (client_id !== undefined && client_id !== asked.clientId)
    return noToken("a token of another client")
  const told = Number(expires_in)
  const most = isStrange(asked.scopes, scope) ? strangeSeconds : Number.POSITIVE_INFINITY
  const seconds = Math.min(told > 0 ? told : lifeSeconds, most)
  return {
    _tag: "Token",
    value: Redacted.make(access_token),
    untilMillis: asked.now + 1000 * Math.max(seconds - earlySeconds, seconds / 2),
    granted: scope
  }
}

/** A bank may grant less than was asked for, but hardly nothing of it. */
const isStrange = (asked: string, granted: string | undefined): boolean => {
  const given = (granted ?? "").split(/[\s,]+/).filter((scope) => scope !== "")
  return asked !== "" && given.length > 0 && !asked.split(" ").some((one) => given.includes(one))
}

const noToken = (detail: string): NoToken => ({ _tag: "NotSent", detail: `no token: ${detail}` })

/** Why there is no token: each is another thing to look at. */
export const tokenReasons = {
  unreached: "the bank was not reached",
  silent: "the bank did not answer",
  refused: "the bank refuses the credentials",
  notNow: "the bank gives none now"
} as const

/** By these statuses a bank does not take what we have shown (RFC 6749, 5.2); by others it is its own trouble. */
const saidNo = ({ status }: Extract<Exchanged, { readonly _tag: "Answered" }>): string =>
  [400, 401, 403].includes(status) ? tokenReasons.refused : tokenReasons.notNow

/** The status, and the bank's word for it where it is one: `invalid_client`. */
const reasonOf = (answer: Extract<Exchanged, { readonly _tag: "Answered" }>): string => {
  const code = readBankError(parseJson(answer.text))?.code ?? ""
  return /^[a-z_]{1,40}$/.test(code)
    ? `status ${answer.status}, ${code}`
    : `status ${answer.status}`
}
