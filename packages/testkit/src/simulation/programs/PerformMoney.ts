import { brl } from "./Json.ts"
import { nthOf } from "./Memory.ts"
import type { KnownCharge, KnownShop } from "./Memory.ts"
import { pspName, referenceOf } from "./Names.ts"
import type { OperationOf } from "./Operation.ts"
import { ofOperator, ofShop, subAccountOf } from "./Stage.ts"
import type { Performers } from "./Stage.ts"
import { present } from "../../Present.ts"

const person = { name: "Ana", document: "52998224725" } as const
const company = "11222333000181"

/** One key of each type, in the form of the DICT. */
const pixKeys = {
  cpf: person.document,
  cnpj: company,
  email: "ana@example.com",
  phone: "+5511987654321",
  random: "a1b2c3d4-0000-4000-8000-000000000001"
} as const

const partOf = (amount: number, percent: number): number =>
  Math.max(1, Math.floor((amount * percent) / 100))

const bearing = (hasReference: boolean, id: number) =>
  hasReference ? { externalReference: referenceOf(id) } : {}

const projectOf = (shop: KnownShop, wallet: string, nth: number | undefined) => {
  if (nth === undefined) return {}
  const project = nthOf(
    shop.projects.filter((known) => known.wallet === wallet),
    nth
  )
  return project === undefined ? {} : { projectId: project.id }
}

const splitOf = ({ amount, split = [] }: OperationOf<"charge">) =>
  split.length === 0
    ? {}
    : {
        split: split.map(({ percent, to }) => ({
          subAccount: to,
          amount: brl(partOf(amount, percent))
        }))
      }

const chargeOf = (operation: OperationOf<"charge">, shop: KnownShop) => {
  const { amount, expiresIn, hasReference, id, metadata, payer, project, wallet } = operation
  return {
    amount: brl(amount),
    description: referenceOf(id),
    ...present({ expiresIn }),
    ...bearing(hasReference, id),
    ...(payer === true ? { customer: person } : {}),
    ...(metadata === true ? { metadata: { order: id, text: "São João" } } : {}),
    ...projectOf(shop, wallet, project),
    ...splitOf(operation)
  }
}

const withdrawalOf = (operation: OperationOf<"withdraw">, shop: KnownShop, amount: number) => {
  const { by, hasReference, holder, id, keyType, project, wallet } = operation
  return {
    pixKey: pixKeys[keyType],
    pixKeyType: keyType,
    [by]: brl(amount),
    ...bearing(hasReference, id),
    ...(holder === true
      ? {
          holderName: person.name,
          holderDocument: person.document,
          holderDocumentType: "cpf"
        }
      : {}),
    ...projectOf(shop, wallet, project)
  }
}

/** Somebody went to pay it, and nobody has heard that it came to nothing. */
const mayBePaid = ({ isVisited, status }: KnownCharge): boolean =>
  status === "completed" || (status === "pending" && isVisited)

type Kinds =
  | "charge"
  | "cancel"
  | "withdraw"
  | "refund"
  | "transfer"
  | "block"
  | "defend"
  | "resolve"
  | "adjust"
  | "commission"

/** What moves money by a request. */
export const money: Performers<Kinds> = {
  charge: (operation, { send }, shop) => {
    const { amount, id } = operation
    const body = chargeOf(operation, shop)
    const reference = referenceOf(id)
    send(ofShop(operation, shop, { method: "POST", path: "/pix", body, amount, reference }))
  },

  cancel: (operation, { send, world }, shop) => {
    const { charge: nth, isFresh } = operation
    const pending = shop.charges.filter(({ status }) => status === "pending")
    const charge = nthOf(isFresh ? pending : shop.charges, nth)
    if (charge === undefined) return
    world.reached(`charge: ${charge.status} × cancel`)
    const path = `/pix/${charge.id}/cancel`
    const { id: subject, wallet } = charge
    send(ofShop(operation, shop, { method: "POST", path, wallet, subject }))
  },

  withdraw: (operation, { send }, shop) => {
    const { hasReference, id, percent, wallet } = operation
    const amount = operation.amount ?? partOf(shop.available.get(wallet) ?? 0, percent)
    send(
      ofShop(operation, shop, {
        method: "POST",
        path: "/withdrawals",
        body: withdrawalOf(operation, shop, amount),
        amount,
        ...(hasReference ? { reference: referenceOf(id) } : {})
      })
    )
  },

  refund: (operation, { send, world }, shop) => {
    const { charge: nth, id, isPaid, percent } = operation
    const charge = nthOf(isPaid ? shop.charges.filter(mayBePaid) : shop.charges, nth)
    if (charge === undefined) return
    world.reached(`charge: ${charge.status} × refund`)
    const { id: subject, wallet } = charge
    // Without an amount it is the whole charge at the most.
    const amount = percent === undefined ? charge.amount : partOf(charge.amount, percent)
    const path = `/transactions/${subject}/refund`
    const reference = referenceOf(id)
    const body = { reason: reference, ...(percent === undefined ? {} : { amount: brl(amount) }) }
    const told = { method: "POST", path, body, wallet, subject, amount, reference } as const
    send(ofShop(operation, shop, told))
  },

  transfer: (operation, { send }, shop) => {
    const { hasReference, id, percent, to, wallet } = operation
    const amount = partOf(shop.available.get(wallet) ?? 0, percent)
    const body = { to, amount: brl(amount), ...bearing(hasReference, id) }
    send(
      ofShop(operation, shop, {
        method: "POST",
        path: "/internal-transfers",
        body,
        amount,
        subject: to,
        ...(hasReference ? { reference: referenceOf(id) } : {})
      })
    )
  },

  block: (operation, { send, world }, shop) => {
    const { blockType, charge: nth, id, isPaid, percent } = operation
    const charge = nthOf(isPaid ? shop.charges.filter(mayBePaid) : shop.charges, nth)
    if (charge === undefined) return
    world.reached(`charge: ${charge.status} × block`)
    const amount = percent === undefined ? charge.amount : partOf(charge.amount, percent)
    const { id: subject, wallet } = charge
    const reference = referenceOf(id)
    const body = {
      transactionId: subject,
      blockType,
      reason: reference,
      ...(percent === undefined ? {} : { amount: brl(amount) })
    }
    const path = `/accounts/${shop.id}/balance-blocks`
    send(ofOperator(operation, { method: "POST", path, body, wallet, subject, amount, reference }))
  },

  defend: (operation, { send, world }, shop) => {
    const block = nthOf(shop.blocks, operation.block)
    if (block === undefined) return
    world.reached(`block: ${block.status} × defend`)
    const { id: subject, wallet } = block
    const path = `/balance-blocks/${subject}/defend`
    send(ofOperator(operation, { method: "POST", path, wallet, subject }))
  },

  resolve: (operation, { send, world }, shop) => {
    const { block: nth, outcome, percent } = operation
    const block = nthOf(shop.blocks, nth)
    if (block === undefined) return
    world.reached(`block: ${block.status} × ${outcome}`)
    const { id: subject, wallet } = block
    const path = `/balance-blocks/${subject}/resolve`
    const isPart = outcome === "approved" && percent !== undefined
    const body = { outcome, ...(isPart ? { amount: brl(partOf(block.amount, percent)) } : {}) }
    send(ofOperator(operation, { method: "POST", path, body, wallet, subject }))
  },

  adjust: (operation, { send }, shop) => {
    const { amount, bucket, id, wallet } = operation
    const reference = referenceOf(id)
    const body = { amount: brl(amount), bucket, reason: reference, ...subAccountOf(wallet) }
    const path = `/accounts/${shop.id}/adjustments`
    send(ofOperator(operation, { method: "POST", path, body, amount, reference }))
  },

  commission: (operation, { send }, shop) => {
    const { amount, source, wallet } = operation
    const charge = source === undefined ? undefined : nthOf(shop.charges, source)
    const body = {
      amount: brl(amount),
      ...present({ sourceTransactionId: charge?.id }),
      ...subAccountOf(wallet)
    }
    const path = `/accounts/${shop.id}/referral-commissions`
    send(ofOperator(operation, { method: "POST", path, body, amount }))
  }
}

/** So long after its time a charge is paid late. */
const late = 5_000
/** Nobody waits longer to be late. */
const lateMax = 600_000

/** What payers and banks do. */
export const hands: Performers<"pay" | "settlePayout" | "settleRefund"> = {
  pay: ({ charge: nth, how, isFresh }, { payers, world }, shop) => {
    const fresh = shop.charges.filter((known) => known.status === "pending" && !known.isVisited)
    const charge = nthOf(isFresh ? fresh : shop.charges, nth)
    if (charge === undefined) return
    charge.isVisited = true
    const pay = () => {
      world.reached(`charge: ${charge.status} × paid ${how}`)
      payers.pay(pspName(charge.id), {
        ...(how === "twice" ? { times: 2 } : {}),
        ...(how === "wrong" ? { amount: charge.amount + 1 } : {}),
        ...(how === "company" ? { document: company } : {})
      })
    }
    const wait = charge.expiresAt - world.now() + late
    if (how === "late" && wait > 0 && wait < lateMax) world.after(wait, pay)
    else pay()
  },

  settlePayout: ({ outcome, withdrawal: nth }, { payers, world }, shop) => {
    const withdrawal = nthOf(shop.withdrawals, nth)
    if (withdrawal === undefined) return
    world.reached(`withdrawal: ${withdrawal.status} × ${outcome}`)
    payers.settlePayout(pspName(withdrawal.id), outcome)
  },

  settleRefund: ({ outcome, refund: nth }, { payers, world }, shop) => {
    const refund = nthOf(shop.refunds, nth)
    if (refund === undefined) return
    world.reached(`refund: ${refund.status} × ${outcome}`)
    payers.settleRefund(pspName(refund.id), outcome)
  }
}
