import * as Psp from "@pagora/core/psp"
import { Effect, Option, Schema } from "effect"

export interface WooviOptions extends Psp.ApiSettings {
  /** The AppID of an application of type API, as Woovi's panel shows it. */
  readonly appId: string
  readonly environment: "production" | "sandbox"
  /** Callbacks may be signed with any of these keys (PEM); with `wooviPublicKey` alone, unless told. */
  readonly publicKeys?: ReadonlyArray<string>
}

/** `servers` of the openapi. */
const urls = { production: "https://api.openpix.com.br", sandbox: "https://api.woovi-sandbox.com" }

export const makeApi = ({ appId, environment, url = urls[environment], ...how }: WooviOptions) => {
  const headers = () => Effect.succeed({ authorization: appId })
  return Psp.jsonApi({ ...how, url: new URL("/api/v1", url).href, headers, readError })
}

/** By what Woovi says that it has no such thing: `Company not found` and the like mean our credential. */
export const saysThatNo =
  (name: string) =>
  ({ message }: Psp.ApiError): boolean =>
    new RegExp(`(${name}).*(not found|encontrad)`, "i").test(message)

/** A sentence, a code, or a list of faults; at times with a code beside it (`ErrorResponse` of the openapi). */
const Fault = Schema.Union([Schema.String, Schema.Struct({ message: Schema.String })])
const Failure = Schema.Struct({
  error: Schema.Union([Schema.NonEmptyString, Schema.NonEmptyArray(Fault)]),
  errorCode: Schema.optionalKey(Schema.String)
})
const decodeFailure = Schema.decodeUnknownOption(Failure)

/** It looked up too many keys for us: its bucket fills again by the minute (docs/payment/pix-key-token-bucket). */
const keyLimits = new Set(["ALIAS_LIMIT_ERROR", "TOO_MANY_REQUESTS"])

const readError = (json: unknown): Psp.ApiError | undefined => {
  const failure = Option.getOrUndefined(decodeFailure(json))
  if (failure === undefined) return undefined
  const { error, errorCode } = failure
  const fault = typeof error === "string" ? error : error[0]
  const message = typeof fault === "string" ? fault : fault.message
  const code = errorCode ?? (/^[A-Z][A-Z0-9_]+$/.test(message) ? message : unexplained.code)
  return { code: reasonOf(code, message), message, isPause: keyLimits.has(code) }
}

export const unexplained = { code: "psp_rejected", message: "Woovi does not say why." }

/** Woovi's own codes (docs/payment/payment-failed-errors), by our word. */
const reasonByCode = Psp.reasonsBy({
  NOT_ENOUGH_BALANCE: "insufficient_psp_balance",
  INVALID_PIX_KEY: "invalid_pix_key",
  PIX_KEY_INFO_NOT_FOUND: "pix_key_not_found",
  ACCOUNT_TRANSACTION_BLOCKED_BY_MED: "account_blocked",
  ACCOUNT_NOT_FOUND: "invalid_account",
  ALIAS_LIMIT_ERROR: "limit_exceeded",
  ACCOUNT_LIMIT_ERROR: "limit_exceeded",
  REACH_TRANSFER_LIMIT: "limit_exceeded",
  ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER: "fraud_suspected"
})

/** That too little is there stands in the words alone, at times. */
export const reasonOf = (code: string, message: string): string =>
  /enough balance|saldo (o )?(in)?suficiente/i.test(message)
    ? "insufficient_psp_balance"
    : reasonByCode(code)
