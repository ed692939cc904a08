import type { Return } from "../returns/Return.ts"
import type { Transaction } from "../transactions/Transaction.ts"
import { present } from "../kernel/Present.ts"
import type { Charge, Deposit } from "./Charge.ts"
import { blockedDeposit } from "./ChargeEvents.ts"
import { leftOf } from "./ChargeRefunds.ts"

/** What the states of a charge read as. */
export const chargeStatusesShown = {
  creating: "pending",
  pending: "pending",
  completed: "completed",
  expired: "cancelled",
  cancelled: "cancelled",
  failed: "failed"
} as const

/** The code and its end show while it can be paid (spec, Transaction); an expired charge reads `cancelled`. */
export const ofCharge = (charge: Charge, returning?: Return): Transaction => {
  const isPayable = charge.status === "pending"
  const isInParts = charge.refundedInParts !== undefined
  return {
    id: charge.id,
    status: chargeStatusesShown[charge.status],
    type: "payment",
    amount: charge.amount,
    createdAt: charge.createdAt,
    ...present({
      description: charge.description,
      externalReference: charge.externalReference,
      customerId: charge.customerId,
      projectId: charge.projectId,
      metadata: charge.metadata,
      pixCopyPaste: isPayable ? charge.pixCopyPaste : undefined,
      expiresAt: isPayable ? charge.expiresAt : undefined,
      paidAt: charge.paidAt,
      e2eId: charge.e2eId,
      counterpartName: charge.counterpartName,
      counterpartDocument: charge.counterpartDocument,
      failureReason: charge.failureReason,
      blockedDeposit:
        charge.blockedReason === undefined
          ? undefined
          : blockedDeposit(charge.blockedReason, returning),
      refundedAmount: charge.refundedInParts,
      refundableAmount: isInParts ? leftOf(charge, undefined) : undefined,
      updatedAt: returning?.updatedAt ?? charge.updatedAt
    })
  }
}

export const ofDeposit = (deposit: Deposit, returning?: Return): Transaction => ({
  id: deposit.id,
  status: "failed",
  type: "payment",
  amount: deposit.amount,
  createdAt: deposit.createdAt,
  paidAt: deposit.paidAt,
  e2eId: deposit.e2eId,
  failureReason: "deposit_blocked",
  blockedDeposit: blockedDeposit(deposit.reason, returning),
  updatedAt: returning?.updatedAt ?? deposit.createdAt,
  ...present({
    counterpartName: deposit.counterpartName,
    counterpartDocument: deposit.counterpartDocument
  })
})
