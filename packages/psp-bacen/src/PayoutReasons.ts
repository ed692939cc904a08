import type { PspRejection } from "@pagora/core"

/** Why a payout failed, by the codes of the SPI (`motivo` of a `pacs.002`), in the words that owners of withdrawals read. */
const reasons: Readonly<Record<string, string>> = {
  AB09: "rejected_by_recipient_psp",
  AC03: "invalid_account",
  AC06: "account_blocked",
  AC07: "account_closed",
  AC14: "invalid_account",
  AG03: "rejected_by_recipient_psp",
  AM02: "limit_exceeded",
  AM04: "insufficient_psp_balance",
  BE01: "holder_mismatch",
  DS04: "rejected_by_recipient_psp",
  DUPL: "duplicate",
  FRAD: "fraud_suspected",
  RR04: "compliance"
}

/** What banks write in words of their own: the first that fits. */
const phrases: ReadonlyArray<readonly [RegExp, string]> = [
  [/saldo/i, "insufficient_psp_balance"],
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
    reasons[code.toUpperCase()] ??
    phrases.find(([phrase]) => phrase.test(`${code.replaceAll("_", " ")} ${message}`))?.[1] ??
    (code === "" ? "psp_rejected" : code),
  message: message === "" ? "The bank did not say why." : message
})
