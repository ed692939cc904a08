import { toBrlNumber } from "../kernel/Money.ts"
import { paymentMethod } from "../kernel/PaymentMethod.ts"
import type { PspShape } from "../ports/Psp.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { present } from "../kernel/Present.ts"
import { ownerOf, instant } from "../webhooks/NewEvent.ts"
import type { Withdrawal } from "./Withdrawal.ts"

type Environment = PspShape["environment"]

/** What each of the three says. The amounts are always those that were accepted. */
const common = (withdrawal: Withdrawal, environment: Environment) => ({
  withdrawalId: withdrawal.id,
  transactionId: withdrawal.id,
  environment,
  amount: toBrlNumber(withdrawal.amount),
  feeAmount: toBrlNumber(withdrawal.feeAmount),
  netAmount: toBrlNumber(withdrawal.netAmount),
  currency: "BRL",
  paymentMethod,
  pixKey: withdrawal.pixKey,
  pixKeyType: withdrawal.pixKeyType,
  holderName: withdrawal.holderName,
  holderDocument: withdrawal.holderDocument,
  externalReference: withdrawal.externalReference,
  projectId: withdrawal.projectId,
  pspReference: withdrawal.pspReference,
  e2eId: withdrawal.e2eId,
  counterpartName: withdrawal.counterpartName,
  counterpartDocument: withdrawal.counterpartDocument
})

export const withdrawalCompleted = (
  withdrawal: Withdrawal,
  environment: Environment
): NewEvent => ({
  ...ownerOf(withdrawal),
  type: "withdrawal_completed",
  eventId: withdrawal.id,
  data: present({
    ...common(withdrawal, environment),
    status: "completed",
    completedAt: instant(withdrawal.processedAt)
  })
})

export const withdrawalFailed = (withdrawal: Withdrawal, environment: Environment): NewEvent => ({
  ...ownerOf(withdrawal),
  type: "withdrawal_failed",
  eventId: withdrawal.id,
  data: present({
    ...common(withdrawal, environment),
    status: "failed",
    failureReason: withdrawal.failureReason,
    failureMessage: withdrawal.failureMessage,
    failedAt: instant(withdrawal.processedAt)
  })
})

/** Its id is its own: the bare one was the completion's. */
export const withdrawalReversed = (withdrawal: Withdrawal, environment: Environment): NewEvent => ({
  ...ownerOf(withdrawal),
  type: "withdrawal_reversed",
  eventId: `withdrawal_reversed_${withdrawal.id}`,
  data: present({
    ...common(withdrawal, environment),
    status: "reversed",
    failureReason: withdrawal.reversal?.code,
    reversedAt: instant(withdrawal.reversal?.at),
    reversedAmount: toBrlNumber(withdrawal.amount),
    returnId: withdrawal.reversal?.returnId
  })
})
