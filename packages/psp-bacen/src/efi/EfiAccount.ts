import type { PspFinding } from "@pagora/core"
import { Money } from "@pagora/core"
import { Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { finding, whyNot } from "../setup/Findings.ts"
import { Amount, readAmount } from "../Words.ts"

const Balance = Schema.Struct({
  saldo: Amount,
  bloqueios: Schema.optionalKey(Schema.Struct({ judicial: Amount, med: Amount, total: Amount }))
})
const balanceOf = Schema.decodeUnknownResult(Balance)

/** What the account holds, and what of it is blocked by a court or by the MED (`GET /v2/gn/saldo?bloqueios=true`). */
export const checkEfiBalance = ({ http }: BankDesk): Effect.Effect<PspFinding> =>
  Effect.map(
    http.call({
      kind: "getBalance",
      scope: "pix",
      method: "GET",
      path: "/v2/gn/saldo",
      query: { bloqueios: "true" }
    }),
    (heard) => {
      const balance =
        heard._tag === "Answered" ? Result.getOrUndefined(balanceOf(heard.json)) : undefined
      if (balance === undefined)
        return finding("balance", "warning", `The balance cannot be read: ${whyNot(heard)}.`)
      const { bloqueios, saldo } = balance
      const shown = `R$ ${brl(saldo)} are there`
      return bloqueios === undefined || readAmount(bloqueios.total) === Money.zero
        ? finding("balance", "ok", `${shown}, and nothing is blocked.`)
        : finding(
            "balance",
            "warning",
            `${shown}; R$ ${brl(bloqueios.judicial)} are blocked by a court, R$ ${brl(bloqueios.med)} by the MED.`
          )
    }
  )

const brl = (amount: string | number) => Money.toBrlString(readAmount(amount))
