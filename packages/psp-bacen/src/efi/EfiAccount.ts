import type { PspFinding, PspShape } from "@pagora/core"
import { Money } from "@pagora/core"
import { finding } from "@pagora/core/psp"
import { Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { readTold } from "../Settling.ts"
import { whyNot } from "../setup/Findings.ts"
import { Amount, readBalance } from "../Words.ts"

const Balance = Schema.Struct({
  saldo: Amount,
  bloqueios: Schema.optionalKey(Schema.Struct({ judicial: Amount, med: Amount, total: Amount }))
})
const balanceOf = Schema.decodeUnknownResult(Balance)

/** What the account holds, and what of it is blocked by a court or by the MED (`GET /v2/gn/saldo?bloqueios=true`). */
const askBalance = ({ http }: BankDesk) =>
  http.call({
    kind: "getBalance",
    scope: "pix",
    method: "GET",
    path: "/v2/gn/saldo",
    query: { bloqueios: "true" }
  })

/** That `saldo` has what is blocked in it is not written anywhere: where it has not, payouts may wait for as much more. */
export const makeEfiBalance =
  (desk: BankDesk): NonNullable<PspShape["balance"]> =>
  () =>
    Effect.map(askBalance(desk), (heard) =>
      readTold(heard, (json) => {
        const { bloqueios, saldo } = Result.getOrThrow(balanceOf(json))
        const blocked = bloqueios === undefined ? Money.zero : readBalance(bloqueios.total)
        return { available: Money.minus(readBalance(saldo), blocked), blocked }
      })
    )

export const checkEfiBalance = (desk: BankDesk): Effect.Effect<PspFinding> =>
  Effect.map(askBalance(desk), (heard) => {
    const balance =
      heard._tag === "Answered" ? Result.getOrUndefined(balanceOf(heard.json)) : undefined
    if (balance === undefined)
      return finding("balance", "warning", `The balance cannot be read: ${whyNot(heard)}.`)
    const { bloqueios, saldo } = balance
    const shown = `R$ ${brl(saldo)} are there`
    return bloqueios === undefined || readBalance(bloqueios.total) === Money.zero
      ? finding("balance", "ok", `${shown}, and nothing is blocked.`)
      : finding(
          "balance",
          "warning",
          `${shown}; R$ ${brl(bloqueios.judicial)} are blocked by a court, R$ ${brl(bloqueios.med)} by the MED.`
        )
  })

const brl = (amount: string | number) => Money.toBrlString(readBalance(amount))
