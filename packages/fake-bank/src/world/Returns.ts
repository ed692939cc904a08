import { spendable } from "./BankAccount.ts"
import type { Centavos } from "./Centavos.ts"
import { checkedCentavos } from "./Centavos.ts"
import type { Payment, PaymentReturn, ReturnNature } from "./Payment.ts"
import { returnable } from "./Payment.ts"
import type { World } from "./World.ts"
import { WorldRefusal } from "./World.ts"

/** A payment can go back for so long after it was made (BACEN Pix API 2.9.0, `PixDevolucaoInvalida`). */
const returnWindowMillis = 90 * 86_400_000

export interface NewReturn {
  readonly id: string
  readonly centavos: Centavos
  readonly nature?: ReturnNature
  readonly description?: string
}

/** Begins a return. Its money is away at once, and comes back should the return not go. */
export const beginReturn = (world: World, payment: Payment, asked: NewReturn): PaymentReturn => {
  const { description, id, nature = "ORIGINAL" } = asked
  const centavos = checkedCentavos(asked.centavos)
  if (payment.returns.some((back) => back.id === id)) {
    throw new WorldRefusal("return_id_taken", `The payment has a return ${id} already.`)
  }
  if (centavos > returnable(payment)) {
    throw new WorldRefusal("too_much_returned", "More would go back than came in.")
  }
  const now = world.clock.now()
  if (now.getTime() - payment.at.getTime() > returnWindowMillis) {
    throw new WorldRefusal("return_window_closed", "The payment is older than 90 days.")
  }
  // The bank takes back what a court or a report of fraud keeps for that very purpose.
  const isOwners = nature === "ORIGINAL" || nature === "RETIRADA"
  if (isOwners && centavos > spendable(payment.account)) {
    throw new WorldRefusal("insufficient_funds", "The account has too little money.")
  }
  const back: PaymentReturn = {
    id,
    returnId: world.ids.network("D", world.ispb, now),
    centavos,
    nature,
    requestedAt: now,
    status: "EM_PROCESSAMENTO",
    ...(description === undefined ? {} : { description })
  }
  payment.returns.push(back)
  payment.account.balance -= centavos
  world.tell({ type: "return_begun", payment, back })
  return back
}

export const settleReturn = (
  world: World,
  payment: Payment,
  back: PaymentReturn,
  outcome: "DEVOLVIDO" | "NAO_REALIZADO",
  reason = "Conta do pagador encerrada"
): void => {
  if (back.status !== "EM_PROCESSAMENTO") {
    throw new WorldRefusal("return_not_open", `The return ${back.id} is ${back.status} already.`)
  }
  back.status = outcome
  back.settledAt = world.clock.now()
  if (outcome === "NAO_REALIZADO") {
    back.reason = reason
    payment.account.balance += back.centavos
  }
  world.tell({ type: "return_changed", payment, back })
}

/** The return with this id, below whichever payment, or below the one that is named. */
export const returnNamed = (
  world: World,
  id: string,
  endToEndId?: string
): { readonly payment: Payment; readonly back: PaymentReturn } => {
  for (const payment of world.payments.values()) {
    const back = payment.returns.find((each) => each.id === id)
    const isMeant = endToEndId === undefined || payment.endToEndId === endToEndId
    if (back !== undefined && isMeant) return { payment, back }
  }
  throw new WorldRefusal("unknown_return", `There is no return ${id}.`)
}
