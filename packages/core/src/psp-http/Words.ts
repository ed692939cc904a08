import { Result } from "effect"
import * as Document from "../kernel/Document.ts"
import * as EndToEndId from "../kernel/EndToEndId.ts"
import type { Centavos } from "../kernel/Money.ts"
import * as Money from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import { present } from "../kernel/Present.ts"
import type { Payer } from "../ports/Psp.ts"

/** References stand in paths, and are the names by which a PSP knows a repeat. */
export const isReference = (text: string | undefined): text is string =>
  Result.isSuccess(TxId.parse(text ?? ""))

export const isEndToEndId = (text: string | undefined): text is string =>
  Result.isSuccess(EndToEndId.parse(text ?? ""))

/** The id of a return on the PIX network (`rtrId`). */
export const isReturnId = (text: string | undefined): text is string =>
  Result.isSuccess(EndToEndId.parseReturn(text ?? ""))

/** The amount can be paid by the Pix API. */
export const isPayable = (amount: Centavos): boolean =>
  amount > 0n && amount <= Money.bacenAmountMax

/** Why a payout failed, by the codes of the SPI (`motivo` of a `pacs.002`), in the words that owners of withdrawals read. */
export const networkReasons: Readonly<Record<string, string>> = {
  AB09: "rejected_by_recipient_psp",
  AC03: "invalid_account",
  AC06: "account_blocked",
  AC07: "account_closed",
  AC14: "invalid_account",
  AG03: "rejected_by_recipient_psp",
  AM02: "limit_exceeded",
  AM04: "insufficient_psp_balance",
  BE01: "holder_mismatch",
  CH11: "holder_mismatch",
  DS04: "rejected_by_recipient_psp",
  DUPL: "duplicate",
  FRAD: "fraud_suspected",
  RR04: "compliance"
}

/**
 * A PSP's own codes in those words, and the network's, which some PSPs pass on. A code that is in neither of them is passed on as
 * it is.
 */
export const reasonsBy = (
  ownCodes: Readonly<Record<string, string>>
): ((code: string) => string) => {
  const reasons = new Map(Object.entries({ ...networkReasons, ...ownCodes }))
  return (code) => reasons.get(code) ?? code
}

/** Who somebody is, as far as a PSP tells it. A masked document is none. */
export const payerOf = (name = "", document = ""): Payer =>
  present({
    name: name === "" ? undefined : name,
    document: Result.getOrUndefined(Document.parse(document))
  })
