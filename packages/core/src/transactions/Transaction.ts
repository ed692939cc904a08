import type { DateTime } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"

/** The kinds of transaction that the API knows (spec, Transaction). */
export const transactionTypes = [
  "payment",
  "fee",
  "refund",
  "chargeback",
  "withdrawal",
  "adjustment",
  "referral_commission",
  "internal_transfer"
] as const
export type TransactionType = (typeof transactionTypes)[number]

export const transactionStatuses = ["pending", "completed", "failed", "cancelled"] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** Spec, blockedDeposit. */
export interface BlockedDeposit {
  readonly reason: string
  readonly refund: {
    readonly status: "pending" | "confirmed" | "failed"
    readonly e2eId: string | null
    readonly settledAt: string | null
  } | null
}

/** One line of a wallet's history as its owner sees it, whatever it is stored as. */
export interface Transaction {
  readonly id: Uuid
  readonly status: TransactionStatus
  readonly type: TransactionType
  readonly amount: Centavos
  readonly createdAt: DateTime.Utc
  readonly description?: string
  readonly externalReference?: string
  readonly customerId?: string
  readonly projectId?: string
  /** JSON text. */
  readonly metadata?: string
  readonly pixCopyPaste?: string
  readonly expiresAt?: DateTime.Utc
  readonly paidAt?: DateTime.Utc
  readonly e2eId?: string
  readonly counterpartName?: string
  readonly counterpartDocument?: string
  readonly failureReason?: string
  readonly blockedDeposit?: BlockedDeposit
  /** Of a payment that is given back in parts: what is, and what is left. */
  readonly refundedAmount?: Centavos
  readonly refundableAmount?: Centavos
  readonly updatedAt?: DateTime.Utc
}
