import type { BankAccount } from "./BankAccount.ts"
import type { Charge, ChargeTerms } from "./Charge.ts"
import { expiresAt } from "./Charge.ts"
import type { World } from "./World.ts"
import { WorldRefusal } from "./World.ts"

export const findCharge = (world: World, account: BankAccount, txid: string): Charge | undefined =>
  world.charges.find((charge) => charge.account === account && charge.txid === txid)

/** The charge of whichever account. */
export const chargeNamed = (world: World, txid: string): Charge => {
  const charge = world.charges.find((each) => each.txid === txid)
  if (charge !== undefined) return charge
  throw new WorldRefusal("unknown_charge", `There is no charge ${txid}.`)
}

export const createCharge = (
  world: World,
  account: BankAccount,
  txid: string,
  terms: ChargeTerms
): Charge => {
  const charge: Charge = {
    txid,
    account,
    locationId: world.charges.length + 1,
    createdAt: world.clock.now(),
    terms,
    revision: 0,
    status: "ATIVA",
    payments: []
  }
  world.charges.push(charge)
  return charge
}

export const changeCharge = (charge: Charge, terms: ChargeTerms): void => {
  charge.terms = terms
  charge.revision += 1
}

/** What its owner removes is a new revision, what the bank removes is not. */
export const removeCharge = (charge: Charge, by: "owner" | "bank"): void => {
  charge.status = by === "owner" ? "REMOVIDA_PELO_USUARIO_RECEBEDOR" : "REMOVIDA_PELO_PSP"
  if (by === "owner") charge.revision += 1
}

/** Its time is over now: it stays active, and nobody can pay it (BACEN Pix API, `calendario.expiracao`). */
export const expireCharge = (world: World, charge: Charge): void => {
  charge.endedAt = world.clock.now()
}

export const isPayable = (world: World, charge: Charge): boolean =>
  charge.status === "ATIVA" && world.clock.now() < expiresAt(charge)
