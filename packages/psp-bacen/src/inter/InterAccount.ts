import type { PspFinding, PspShape } from "@pagora/core"
import { Money } from "@pagora/core"
import { finding } from "@pagora/core/psp"
import { Effect, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { readTold } from "../Settling.ts"
import { whyNot } from "../setup/Findings.ts"
import { Amount, readBalance } from "../Words.ts"

const Balance = Schema.Struct({
  disponivel: Amount,
  bloqueadoCheque: Schema.optionalKey(Amount),
  bloqueadoJudicialmente: Schema.optionalKey(Amount),
  bloqueadoAdministrativo: Schema.optionalKey(Amount)
})
const decodeBalance = Schema.decodeUnknownSync(Balance)

const askBalance = ({ http }: BankDesk) =>
  http.call({ kind: "getBalance", scope: "balance", method: "GET", path: "/banking/v2/saldo" })

/** What the account holds (`GET /banking/v2/saldo`, scope `extrato.read`). Its overdraft is none of our money. */
export const makeInterBalance =
  (desk: BankDesk): NonNullable<PspShape["balance"]> =>
  () =>
    Effect.map(askBalance(desk), (heard) => readTold(heard, readInter))

const readInter = (json: unknown) => {
  const { bloqueadoAdministrativo, bloqueadoCheque, bloqueadoJudicialmente, disponivel } =
    decodeBalance(json)
  const blocked = [bloqueadoCheque, bloqueadoJudicialmente, bloqueadoAdministrativo]
  return {
    available: readBalance(disponivel),
    blocked: Money.sum(blocked.map((amount) => readBalance(amount ?? 0)))
  }
}

/** Not each application may read it: then payouts go out, and Inter refuses what it cannot pay. */
export const checkInterBalance = (desk: BankDesk): Effect.Effect<PspFinding> =>
  Effect.map(askBalance(desk), (heard) => {
    const told = readTold(heard, readInter)
    if (told._tag !== "Done")
      return finding(
        "balance",
        "warning",
        `The balance cannot be read: ${whyNot(heard)}. Give the application the scope extrato.read; without it payouts are sent whatever the account holds.`
      )
    const { available, blocked } = told.value
    const shown = `R$ ${Money.toBrlString(available)} can be sent`
    return blocked === Money.zero
      ? finding("balance", "ok", `${shown}, and nothing is blocked.`)
      : finding("balance", "warning", `${shown}; R$ ${Money.toBrlString(blocked)} are blocked.`)
  })
