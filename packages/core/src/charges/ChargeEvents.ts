import type { DateTime } from "effect"
import { toBrlNumber, zero } from "../kernel/Money.ts"
import { paymentMethod } from "../kernel/PaymentMethod.ts"
import type { Environment } from "../ports/Psp.ts"
import type { Return } from "../returns/Return.ts"
import type { BlockedDeposit } from "../transactions/Transaction.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { present } from "../kernel/Present.ts"
import { ownerOf, instant } from "../webhooks/NewEvent.ts"
import type { Charge, Deposit } from "./Charge.ts"
import { netOf } from "./Charge.ts"

const metadataOf = (charge: Charge): unknown =>
  charge.metadata === undefined ? undefined : JSON.parse(charge.metadata)

const common = ({ amount, id }: Charge | Deposit, environment: Environment) => ({
  transactionId: id,
  environment,
  amount: toBrlNumber(amount)
})

/** What is told alike of all that brought its owner nothing. */
const nothingPaid = { feeAmount: 0, netAmount: 0, currency: "BRL", paymentMethod } as const

/** Spec, data of payment_completed. */
export const paymentCompleted = (charge: Charge, environment: Environment): NewEvent => ({
  ...ownerOf(charge),
  type: "payment_completed",
  eventId: charge.id,
  data: present({
    ...common(charge, environment),
    feeAmount: charge.feeAmount === undefined ? 0 : toBrlNumber(charge.feeAmount),
    netAmount: toBrlNumber(netOf(charge)),
    split: charge.split?.map(({ applied, reference }) => ({
      subAccount: reference,
      amount: toBrlNumber(applied ?? zero)
    })),
    currency: "BRL",
    paymentMethod,
    status: "completed",
    completedAt: instant(charge.updatedAt),
    externalReference: charge.externalReference,
    e2eId: charge.e2eId,
    counterpartName: charge.counterpartName,
    counterpartDocument: charge.counterpartDocument,
    metadata: metadataOf(charge)
  })
})

/** Spec, data of payment_expired. */
export const paymentExpired = (charge: Charge, environment: Environment): NewEvent => ({
  ...ownerOf(charge),
  type: "payment_expired",
  eventId: `payment_expired_${charge.id}`,
  data: present({
    ...common(charge, environment),
    ...nothingPaid,
    status: "expired",
    expiredAt: instant(charge.updatedAt),
    externalReference: charge.externalReference,
    metadata: metadataOf(charge)
  })
})

const progress = {
  requested: "pending",
  processing: "pending",
  confirmed: "confirmed",
  failed: "failed",
  replaced: "failed"
} as const

/** Nothing of one that was refused too often is under way: it has failed, until a person tries it anew. */
const progressOf = ({ review, status }: Return): (typeof progress)[Return["status"]] =>
  review?.reason === "refused" ? "failed" : progress[status]

/** The state of the way back of money that was not credited (spec, blockedDeposit). */
export const blockedDeposit = (reason: string, returning: Return | undefined): BlockedDeposit => ({
  reason,
  refund:
    returning === undefined
      ? null
      : {
          status: progressOf(returning),
          e2eId: returning.returnId ?? null,
          settledAt: instant(returning.settledAt) ?? null
        }
})

/** Spec, payment_failed; fields beyond it follow payment_completed. */
export const paymentFailed = (
  failed: Charge | Deposit,
  blocked: BlockedDeposit,
  at: DateTime.Utc,
  environment: Environment
): NewEvent => ({
  ...ownerOf(failed),
  type: "payment_failed",
  eventId: failed.id,
  data: present({
    ...common(failed, environment),
    ...nothingPaid,
    status: "failed",
    failureReason: "deposit_blocked",
    failedAt: instant(at),
    externalReference: "externalReference" in failed ? failed.externalReference : undefined,
    e2eId: failed.e2eId,
    counterpartName: failed.counterpartName,
    counterpartDocument: failed.counterpartDocument,
    metadata: "metadata" in failed ? metadataOf(failed) : undefined,
    blockedDeposit: blocked
  })
})
