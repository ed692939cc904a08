import type { Charge } from "../charges/Charge.ts"
import type { Environment } from "../ports/Psp.ts"
import { toBrlNumber } from "../kernel/Money.ts"
import { paymentMethod } from "../kernel/PaymentMethod.ts"
import type { Return } from "../returns/Return.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { present } from "../kernel/Present.ts"
import { ownerOf, instant } from "../webhooks/NewEvent.ts"

/**
 * Spec, refund_completed: `netAmount` is what the payer receives, the full amount; the fee is debited beside it. The
 * caller's own words are those of the payment that went back.
 */
export const refundCompleted = (
  refund: Return,
  charge: Charge,
  environment: Environment
): NewEvent => ({
  ...ownerOf(refund),
  type: "refund_completed",
  eventId: refund.id,
  data: present({
    transactionId: refund.id,
    originalTransactionId: charge.id,
    environment,
    amount: toBrlNumber(refund.amount),
    feeAmount: refund.feeAmount === undefined ? 0 : toBrlNumber(refund.feeAmount),
    netAmount: toBrlNumber(refund.amount),
    currency: "BRL",
    paymentMethod,
    status: "completed",
    reason: refund.reason,
    completedAt: instant(refund.updatedAt),
    externalReference: charge.externalReference,
    e2eId: charge.e2eId,
    returnId: refund.returnId,
    counterpartName: charge.counterpartName,
    counterpartDocument: charge.counterpartDocument,
    metadata: charge.metadata === undefined ? undefined : JSON.parse(charge.metadata)
  })
})
