import { DateTime, Result } from "effect"
import type { Account } from "../accounts/Account.ts"
import { feeOn } from "../accounts/Fees.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import * as Document from "../kernel/Document.ts"
import type { DepositId, LedgerTxId, ReturnId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { min } from "../kernel/Money.ts"
import {
  available,
  feeRevenue,
  promotional,
  pspClearing,
  suspense
} from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, debit, post } from "../ledger/LedgerTx.ts"
import type { PspPayment } from "../ports/Psp.ts"
import type { Return } from "../returns/Return.ts"
import { open } from "../returns/Return.ts"
import type { DepositReason } from "./Charge.ts"
import { Charge, Deposit, isBooked, unpayable, withStray } from "./Charge.ts"

/** What a payment is decided on. */
export interface SettlementContext {
  readonly account: Account
  /** The sub-account that owns the charge, when one does. */
  readonly subAccount: SubAccount | undefined
  /** What the owner's promotional bucket holds: it pays fees first. */
  readonly promotional: Centavos
  readonly now: DateTime.Utc
  /** Ids for what the decision may make. */
  readonly ids: {
    readonly payment: LedgerTxId
    readonly fee: LedgerTxId
    readonly deposit: DepositId
    readonly return: ReturnId
  }
}

/**
 * What a payment that the PSP confirmed does to its charge.
 *
 * - `Completed`: credited, net of the fee of this moment;
 * - `Blocked`: the charge fails, because its payer is one the account does not take money from;
 * - `Stray`: the money is not what was asked for; it becomes a deposit of its own, on its way back.
 */
export type Settlement =
  | {
      readonly _tag: "Completed"
      readonly charge: Charge
      readonly ledger: ReadonlyArray<LedgerTx>
    }
  | {
      readonly _tag: "Blocked"
      readonly charge: Charge
      readonly reason: DepositReason
      readonly return: Return
      readonly ledger: ReadonlyArray<LedgerTx>
    }
  | {
      readonly _tag: "Stray"
      readonly charge: Charge
      readonly deposit: Deposit
      readonly return: Return
      readonly ledger: ReadonlyArray<LedgerTx>
    }

/** The payments of a PSP's charge that are not booked yet, oldest first. */
export const unbooked = (
  charge: Charge,
  payments: ReadonlyArray<PspPayment>
): ReadonlyArray<PspPayment> =>
  payments
    .filter((payment) => !isBooked(charge, payment.endToEndId))
    .toSorted((a, b) => DateTime.toEpochMillis(a.paidAt) - DateTime.toEpochMillis(b.paidAt))

/**
 * Decides one payment. Whatever the status of account and sub-account, money that has arrived is booked; where the
 * sub-account is closed, as a stray.
 */
export const settle = (
  charge: Charge,
  payment: PspPayment,
  context: SettlementContext
): Settlement => {
  const stray = strayReason(charge, payment, context)
  if (stray !== undefined) return bookStray(charge, payment, stray, context)
  const blocked = blockedReason(payment, context.account)
  return blocked === undefined
    ? complete(charge, payment, context)
    : block(charge, payment, blocked, context)
}

const strayReason = (
  charge: Charge,
  payment: PspPayment,
  { subAccount }: SettlementContext
): DepositReason | undefined => {
  if (charge.status === "completed" || (charge.status === "failed" && charge.e2eId !== undefined)) {
    return "charge_already_paid"
  }
  if (charge.status === "failed" || charge.status === "cancelled") return "charge_not_payable"
  // Whenever it was paid: nothing is credited to what is closed.
  if (subAccount?.status === "closed") return "charge_not_payable"
  if (payment.amount !== charge.amount) return "amount_mismatch"
  // Paid in time but told late still completes; the end itself is already late.
  return DateTime.isLessThan(payment.paidAt, charge.expiresAt) ? undefined : "charge_expired"
}

const blockedReason = (payment: PspPayment, account: Account): DepositReason | undefined => {
  if (!account.policy.blockCnpjPayers) return undefined
  const document = payment.payer?.document
  const parsed =
    document === undefined ? undefined : Result.getOrUndefined(Document.parse(document))
  if (parsed === undefined)
    return account.policy.onUnknownPayer === "return" ? "payer_unknown" : undefined
  return Document.kindOf(parsed) === "cnpj" ? "payer_cnpj_not_allowed" : undefined
}

const counterpart = (payment: PspPayment) => ({
  ...(payment.payer?.name === undefined ? {} : { counterpartName: payment.payer.name }),
  ...(payment.payer?.document === undefined ? {} : { counterpartDocument: payment.payer.document })
})

const complete = (charge: Charge, payment: PspPayment, context: SettlementContext): Settlement => {
  const { account, ids, now, subAccount } = context
  const fee = feeOn(subAccount?.fees.payment ?? account.fees.payment, charge.amount)
  const fromPromotional = min(fee, context.promotional)
  const fromAvailable = (fee - fromPromotional) as Centavos
  const common = {
    account: account.id,
    wallet: charge.wallet,
    source: charge.id,
    leg: 0,
    document: null
  }
  const ledger = [
    post({
      ...common,
      id: ids.payment,
      kind: "payment",
      amount: charge.amount,
      postings: [
        debit(pspClearing(charge.pspCredentialId), charge.amount),
        credit(available(charge.wallet), charge.amount)
      ]
    })
  ]
  if (fee > 0n) {
    ledger.push(
      post({
        ...common,
        id: ids.fee,
        kind: "fee",
        amount: fee,
        postings: [
          debit(promotional(charge.wallet), fromPromotional),
          debit(available(charge.wallet), fromAvailable),
          credit(feeRevenue(account.id), fee)
        ]
      })
    )
  }
  return {
    _tag: "Completed",
    ledger,
    charge: new Charge({
      ...unpayable(charge),
      ...counterpart(payment),
      status: "completed",
      paidAt: payment.paidAt,
      e2eId: payment.endToEndId,
      feeAmount: fee,
      updatedAt: now
    })
  }
}

/** Money at the PSP that belongs back to its payer. */
const toSuspense = (
  charge: Charge,
  payment: PspPayment,
  source: LedgerTx["source"],
  context: SettlementContext
): ReadonlyArray<LedgerTx> => [
  post({
    id: context.ids.payment,
    kind: "deposit",
    account: charge.account,
    wallet: charge.wallet,
    source,
    leg: 0,
    amount: payment.amount,
    document: null,
    postings: [
      debit(pspClearing(charge.pspCredentialId), payment.amount),
      credit(suspense(charge.account), payment.amount)
    ]
  })
]

/** Its way back begins in the commit that books it. */
const backToPayer = (
  charge: Charge,
  payment: PspPayment,
  source: Return["source"],
  context: SettlementContext
): Return =>
  open({
    id: context.ids.return,
    account: charge.account,
    wallet: charge.wallet,
    subAccount: charge.subAccount,
    purpose: "deposit",
    source,
    amount: payment.amount,
    pspCredentialId: charge.pspCredentialId,
    endToEndId: payment.endToEndId
  })

const block = (
  charge: Charge,
  payment: PspPayment,
  reason: DepositReason,
  context: SettlementContext
): Settlement => ({
  _tag: "Blocked",
  reason,
  ledger: toSuspense(charge, payment, charge.id, context),
  return: backToPayer(charge, payment, charge.id, context),
  charge: new Charge({
    ...unpayable(charge),
    ...counterpart(payment),
    status: "failed",
    paidAt: payment.paidAt,
    e2eId: payment.endToEndId,
    failureReason: "deposit_blocked",
    blockedReason: reason,
    returning: context.ids.return,
    updatedAt: context.now
  })
})

const bookStray = (
  charge: Charge,
  payment: PspPayment,
  reason: DepositReason,
  context: SettlementContext
): Settlement => ({
  _tag: "Stray",
  ledger: toSuspense(charge, payment, context.ids.deposit, context),
  return: backToPayer(charge, payment, context.ids.deposit, context),
  charge: withStray(charge, payment, context.now),
  deposit: new Deposit({
    ...counterpart(payment),
    id: context.ids.deposit,
    account: charge.account,
    wallet: charge.wallet,
    ...(charge.subAccount === undefined ? {} : { subAccount: charge.subAccount }),
    charge: charge.id,
    pspCredentialId: charge.pspCredentialId,
    amount: payment.amount,
    reason,
    returning: context.ids.return,
    paidAt: payment.paidAt,
    e2eId: payment.endToEndId,
    createdAt: context.now
  })
})
