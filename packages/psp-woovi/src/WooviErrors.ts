import * as Psp from "@pagora/core/psp"

/** By what Woovi says that it has no such thing: `Company not found` and the like mean our credential. */
export const saysThatNo =
  (name: string) =>
  ({ message }: Psp.ApiError): boolean =>
    new RegExp(`(${name}).*(not found|encontrad)`, "i").test(message)

/** It looked up too many keys for us: its bucket fills again by the minute (docs/payment/pix-key-token-bucket). */
const keyLimits = new Set(["ALIAS_LIMIT_ERROR", "TOO_MANY_REQUESTS"])

/** The phrase of a status is what a gateway says in an `error` of its own: behind it the order may have been carried out. */
const isPhrase = (message: string): boolean =>
  /^(bad request|not found|gone|unprocessable (entity|content))$/i.test(message)

/** A sentence, a code, or a list of faults; at times with a code beside it (`ErrorResponse` of the openapi). */
export const readError = (answer: Psp.Fields): Psp.ApiError => {
  const message = answer.words("error", "error.0", "error.0.message")
  if (isPhrase(message)) throw new Psp.Misfit({ place: "error" })
  const named = /^[A-Z][A-Z0-9_]+$/.exec(message)?.[0]
  const code = answer.textIf("errorCode") ?? named ?? unexplained.code
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
