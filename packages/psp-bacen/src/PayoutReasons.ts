import type { PspRejection } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { networkReasons } from "@pagora/core/psp"

const tooLittle = "insufficient_psp_balance"

/** What banks write in words of their own: the first that fits. */
const phrases: ReadonlyArray<readonly [RegExp, string]> = [
  [/saldo/i, tooLittle],
  [/limite/i, "limit_exceeded"],
  [/chave.*(n[aã]o.*(encontrad|localizad|exist|cadastrad))/i, "pix_key_not_found"],
  [/chave.*inv[aá]lid/i, "invalid_pix_key"],
  [
    /(cpf|cnpj|documento|titular).*(diverg|difer|n[aã]o.*(confere|corresponde|pertence))/i,
    "holder_mismatch"
  ]
]

/** A refusal of a payout, with a code that its owner is told. */
export const payoutRejection = (code: string, message: string): PspRejection => ({
  code:
    networkReasons[code.toUpperCase()] ??
    phrases.find(([phrase]) => phrase.test(`${code.replaceAll("_", " ")} ${message}`))?.[1] ??
    (code === "" ? "psp_rejected" : code),
  message: message === "" ? "The bank did not say why." : message
})

/** How long a payout waits for money at the bank before it is asked again. */
const moneyWithin = "1 minute"

/**
 * What a bank refuses and has not done. That our account there holds too little is no fault of the owner of a withdrawal: it
 * waits until there is more.
 */
export const refusedPayout = (code: string, message: string): PspOutcome<never> => {
  const rejection = payoutRejection(code, message)
  return rejection.code === tooLittle
    ? PspOutcome.needsMoney(rejection.message, moneyWithin)
    : { _tag: "Rejected", ...rejection }
}
