import type { BankAccount, Person } from "./BankAccount.ts"
import { somebody } from "./BankAccount.ts"
import type { Centavos } from "./Centavos.ts"
import { checkedCentavos } from "./Centavos.ts"
import type { Charge } from "./Charge.ts"
import { isPayable } from "./Charges.ts"
import type { Incoming, Payment } from "./Payment.ts"
import type { World } from "./World.ts"
import { accountOfKey, elsewhere, WorldRefusal } from "./World.ts"

/** Who pays, how much and with which words. */
export interface Paying {
  readonly centavos?: Centavos
  readonly payer?: Partial<Person>
  readonly message?: string
  /** When it was made, where it was long on its way; now, unless told. */
  readonly at?: Date
}

export interface PayingCharge extends Paying {
  /** Pays a charge that is over or was paid already, as happens when two pay at once. */
  readonly late?: boolean
}

export const payCharge = (world: World, charge: Charge, paying: PayingCharge = {}): Payment => {
  if (paying.late !== true && !isPayable(world, charge)) {
    const message = `The charge ${charge.txid} is ${charge.status} or expired; \`late\` pays it all the same.`
    throw new WorldRefusal("charge_not_payable", message)
  }
  const { centavos = charge.terms.centavos } = paying
  const payer = { ...somebody, ...charge.terms.debtor, ...paying.payer }
  const payment = paid(world, charge.account, {
    txid: charge.txid,
    key: charge.terms.key,
    centavos,
    payer,
    ...(paying.message === undefined ? {} : { message: paying.message }),
    ...(paying.at === undefined ? {} : { at: paying.at })
  })
  charge.payments.push(payment)
  if (charge.status === "ATIVA") charge.status = "CONCLUIDA"
  world.tell({ type: "payment_received", payment })
  return payment
}

/** Somebody pays to the key itself, for no charge; `txid` is what a static code of the owner's may carry. */
export const payKey = (
  world: World,
  key: string,
  paying: Paying & { readonly centavos: Centavos; readonly txid?: string }
): Payment => {
  const account = accountOfKey(world, key)
  const { payer, ...told } = paying
  const payment = paid(world, account, { ...told, key, payer: { ...somebody, ...payer } })
  world.tell({ type: "payment_received", payment })
  return payment
}

const paid = (world: World, account: BankAccount, told: Incoming & Pick<Paying, "at">): Payment => {
  const refusals = world.gates.map((gate) => gate(account, told))
  const refused = refusals.find((reason) => reason !== undefined)
  if (refused !== undefined) throw new WorldRefusal("payment_refused", refused)
  const { at = world.clock.now() } = told
  const payment: Payment = {
    ...told,
    centavos: checkedCentavos(told.centavos),
    endToEndId: world.ids.network("E", elsewhere, at),
    account,
    at,
    returns: []
  }
  world.payments.set(payment.endToEndId, payment)
  account.balance += payment.centavos
  return payment
}

export const paymentNamed = (world: World, endToEndId: string): Payment => {
  const payment = world.payments.get(endToEndId)
  if (payment !== undefined) return payment
  throw new WorldRefusal("unknown_payment", `There is no payment ${endToEndId}.`)
}
