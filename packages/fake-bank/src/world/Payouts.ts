import type { BankAccount } from "./BankAccount.ts"
import { spendable } from "./BankAccount.ts"
import type { Centavos } from "./Centavos.ts"
import { checkedCentavos } from "./Centavos.ts"
import type { Payout, PayoutFailure } from "./Payout.ts"
import { accountClosed } from "./Payout.ts"
import type { World } from "./World.ts"
import { elsewhere, ownerOf, WorldRefusal } from "./World.ts"

export interface NewPayout {
  /** The bank's own id; made where the protocol has none of its own making. */
  readonly id?: string
  readonly reference: string
  readonly centavos: Centavos
  readonly recipientKey: string
  readonly payingKey?: string
  readonly message?: string
  readonly needsApproval?: boolean
}

/** Takes a payout. Its money is away as soon as nobody has to approve it, and comes back should it fail. */
export const beginPayout = (world: World, account: BankAccount, asked: NewPayout): Payout => {
  const { needsApproval = false, ...told } = asked
  const centavos = checkedCentavos(asked.centavos)
  if (!needsApproval) expectMoney(account, centavos)
  const now = world.clock.now()
  const payout: Payout = {
    ...told,
    id: asked.id ?? world.ids.uuid(),
    account,
    centavos,
    recipient: ownerOf(world, asked.recipientKey),
    requestedAt: now,
    endToEndId: world.ids.network("E", world.ispb, now),
    status: needsApproval ? "awaiting_approval" : "processing",
    returns: []
  }
  world.payouts.push(payout)
  if (!needsApproval) account.balance -= centavos
  world.tell({ type: "payout_begun", payout })
  return payout
}

/** A person of the company says yes to it. */
export const approvePayout = (world: World, payout: Payout): void => {
  const { account, centavos } = payout
  expectStatus(payout, ["awaiting_approval"])
  expectMoney(account, centavos)
  account.balance -= centavos
  payout.status = "processing"
  world.tell({ type: "payout_changed", payout })
}

/** How it ends: it arrives, it fails, or it comes back after it had arrived. */
export const settlePayout = (
  world: World,
  payout: Payout,
  outcome: "completed" | "failed" | "reversed",
  failure: PayoutFailure = accountClosed
): void => {
  if (outcome === "reversed") return returnPayout(world, payout, notYetBack(payout), failure)
  const isOpen = outcome === "failed" ? ["awaiting_approval", "processing"] : ["processing"]
  expectStatus(payout, isOpen)
  const isAway = payout.status === "processing"
  payout.status = outcome
  if (outcome === "completed") payout.settledAt = world.clock.now()
  else {
    payout.failure = failure
    if (isAway) payout.account.balance += payout.centavos
  }
  world.tell({ type: "payout_changed", payout })
}

/** A part of it comes back after it had arrived. */
export const returnPayout = (
  world: World,
  payout: Payout,
  centavos: Centavos,
  failure: PayoutFailure = accountClosed
): void => {
  expectStatus(payout, ["completed"])
  if (checkedCentavos(centavos) > notYetBack(payout)) {
    throw new WorldRefusal("too_much_returned", "More would come back than was sent.")
  }
  const at = world.clock.now()
  payout.returns.push({ returnId: world.ids.network("D", elsewhere, at), centavos, at })
  payout.account.balance += centavos
  if (notYetBack(payout) === 0) {
    payout.status = "reversed"
    payout.failure = failure
  }
  world.tell({ type: "payout_changed", payout })
}

const notYetBack = ({ centavos, returns }: Payout): Centavos =>
  returns.reduce((left, back) => left - back.centavos, centavos)

const expectMoney = (account: BankAccount, centavos: Centavos) => {
  if (centavos <= spendable(account)) return
  throw new WorldRefusal("insufficient_funds", "The account has too little money.")
}

const expectStatus = (payout: Payout, statuses: ReadonlyArray<string>) => {
  if (statuses.includes(payout.status)) return
  throw new WorldRefusal("payout_not_open", `The payout ${payout.reference} is ${payout.status}.`)
}

/** By the sender's reference or the bank's own id, of whichever account. */
export const payoutNamed = (world: World, name: string): Payout => {
  const payout = world.payouts.find(({ id, reference }) => id === name || reference === name)
  if (payout !== undefined) return payout
  throw new WorldRefusal("unknown_payout", `There is no payout ${name}.`)
}
