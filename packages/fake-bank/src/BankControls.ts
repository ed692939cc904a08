import type { Webhook } from "./bacen/WebhookRoutes.ts"
import type { BankControls, WorldControls } from "./FakeBank.ts"
import type { BankAccount } from "./world/BankAccount.ts"
import { chargeNamed, expireCharge, removeCharge } from "./world/Charges.ts"
import {
  decideInfraction,
  defendInfraction,
  infractionNamed,
  reportInfraction
} from "./world/Infractions.ts"
import { returnable } from "./world/Payment.ts"
import { payCharge, payKey, paymentNamed } from "./world/Payments.ts"
import { approvePayout, beginPayout, payoutNamed, settlePayout } from "./world/Payouts.ts"
import { beginReturn, returnNamed, settleReturn } from "./world/Returns.ts"
import type { World } from "./world/World.ts"

export interface BankControlsParts {
  readonly world: World
  readonly account: BankAccount
  readonly pixKey: string
  readonly webhooks: Map<string, Webhook>
  readonly endTokens: () => void
}

export const makeControls = (parts: BankControlsParts): BankControls => {
  const { account, endTokens, pixKey, webhooks, world } = parts
  return {
    ...worldControls(world, account, pixKey),
    openAccount: ({ document = "99888777000166", key, name = "Outra Loja", webhookUrl }) => {
      const blocked = { judicial: 0, med: 0 }
      const id = String(world.accounts.length + 1)
      const account: BankAccount = { id, name, document, keys: [key], balance: 0, blocked }
      world.accounts.push(account)
      const createdAt = world.clock.now()
      if (webhookUrl !== undefined) webhooks.set(key, { key, url: webhookUrl, createdAt })
      return account
    },
    endTokens
  }
}

/** The hands that need to know of no protocol. */
export const worldControls = (
  world: World,
  account: BankAccount,
  pixKey: string
): WorldControls => ({
  ...paymentControls(world, pixKey),
  payout: (name) => payoutNamed(world, name),
  sendPayout: (payout) => beginPayout(world, account, payout),
  approvePayout: (name) => {
    const payout = payoutNamed(world, name)
    approvePayout(world, payout)
    return payout
  },
  settlePayout: (name, outcome, failure) => {
    const payout = payoutNamed(world, name)
    settlePayout(world, payout, outcome, failure)
    return payout
  },
  reportInfraction: (endToEndId, about) =>
    reportInfraction(world, paymentNamed(world, endToEndId), about),
  defendInfraction: (id, defence) => {
    const infraction = infractionNamed(world, id)
    defendInfraction(world, infraction, defence)
    return infraction
  },
  decideInfraction: (id, status) => {
    const infraction = infractionNamed(world, id)
    decideInfraction(world, infraction, status)
    return infraction
  },
  nameOwner: (key, owner) => void world.owners.set(key, owner)
})

const paymentControls = (world: World, pixKey: string) =>
  ({
    charge: (txid) => chargeNamed(world, txid),
    pay: (txid, paying) => payCharge(world, chargeNamed(world, txid), paying),
    payKey: ({ key = pixKey, ...paying }) => payKey(world, key, paying),
    expire: (txid) => {
      const charge = chargeNamed(world, txid)
      expireCharge(world, charge)
      return charge
    },
    remove: (txid) => {
      const charge = chargeNamed(world, txid)
      removeCharge(charge, "bank")
      return charge
    },
    settleReturn: (id, outcome, about = {}) => {
      const { back, payment } = returnNamed(world, id, about.endToEndId)
      settleReturn(world, payment, back, outcome, about.reason)
      return back
    },
    returnPayment: (endToEndId, { centavos, nature = "MED_FRAUDE" } = {}) => {
      const payment = paymentNamed(world, endToEndId)
      const asked = { id: world.ids.text(32), centavos: centavos ?? returnable(payment), nature }
      const back = beginReturn(world, payment, asked)
      settleReturn(world, payment, back, "DEVOLVIDO")
      return back
    }
  }) satisfies Partial<WorldControls>
