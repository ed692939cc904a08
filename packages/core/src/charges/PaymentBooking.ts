import { DateTime, Result } from "effect"
import type { Account } from "../accounts/Account.ts"
import { feeOn } from "../accounts/Fees.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { principal } from "../accounts/SubAccount.ts"
import * as Document from "../kernel/Document.ts"
import type { DepositId, LedgerTxId, ReturnId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { min, minus } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
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
import { newReturn } from "../returns/Return.ts"
import type { DepositReason } from "./Charge.ts"
import { Charge, Deposit, isBooked, unpayable, withStray } from "./Charge.ts"
import type { AppliedLeg } from "./Split.ts"
import { distribute } from "./Split.ts"

/** What a payment is decided on. */
export interface BookingContext {
  readonly account: Account
  /** The sub-account that owns the charge, when one does. */
  readonly subAccount: SubAccount | undefined
  /** What the owner's promotional bucket holds: it pays fees first. */
  readonly promotional: Centavos
  /** The sub-accounts that the legs of its split go to. */
  readonly destinations: ReadonlyArray<SubAccount>
  readonly now: DateTime.Utc
  /** Ids for what the decision may make. */
  readonly ids: {
    readonly payment: LedgerTxId
    readonly fee: LedgerTxId
    readonly deposit: DepositId
    /** As many as the split has legs. */
    readonly legs: ReadonlyArray<LedgerTxId>
    readonly return: ReturnId
  }
}

/**
 * What a payment that the PSP confirmed does to its charge.
 *
 * - `Completed`: credited, net of the fee of this moment;
 * - `Blocked`: the charge fails, because its payer is one the account does not take money from;
 * - `Stray`: the money is not what was asked for; it becomes a deposit of its own, on its way back (decision 0010).
 */
export type PaymentBooking =
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
 * one that owns the charge is closed, as a stray.
 */
export const bookPayment = (
  charge: Charge,
  payment: PspPayment,
  context: BookingContext
): PaymentBooking => {
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
  { account, subAccount }: BookingContext
): DepositReason | undefined => {
  if (charge.status === "completed" || (charge.status === "failed" && charge.e2eId !== undefined)) {
    return "charge_already_paid"
  }
  if (charge.status === "failed" || charge.status === "cancelled") return "charge_not_payable"
  // Whenever it was paid: nothing is credited to what is closed.
  if (account.status === "closed" || subAccount?.status === "closed") return "charge_not_payable"
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

const counterpart = ({ payer }: PspPayment) =>
  present({ counterpartName: payer?.name, counterpartDocument: payer?.document })

const complete = (charge: Charge, payment: PspPayment, context: BookingContext): PaymentBooking => {
  const { account, ids, now, subAccount } = context
  const fee = feeOn(subAccount?.fees.payment ?? account.fees.payment, charge.amount)
  const fromPromotional = min(fee, context.promotional)
  const fromAvailable = minus(fee, fromPromotional)
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
  const split = splitOf(charge, minus(charge.amount, fee), context)
  return {
    _tag: "Completed",
    ledger: [...ledger, ...legsOf(charge, split ?? [], ids.legs)],
    charge: new Charge({
      ...unpayable(charge),
      ...counterpart(payment),
      ...present({ split }),
      status: "completed",
      paidAt: payment.paidAt,
      e2eId: payment.endToEndId,
      feeAmount: fee,
      updatedAt: now
    })
  }
}

const splitOf = (
  charge: Charge,
  net: Centavos,
  { destinations }: BookingContext
): ReadonlyArray<AppliedLeg> | undefined => {
  if (charge.split === undefined) return undefined
  const closed = destinations.filter(({ status }) => status === "closed").map(({ id }) => id)
  return distribute(charge.split, net, new Set(closed))
}

/**
 * Each leg that gets something is a transaction of its own. It goes on from what the same decision credits, so that no
 * claim on the owner's balance is in its way; a leg to the owner stays where it is.
 */
const legsOf = (
  charge: Charge,
  split: ReadonlyArray<AppliedLeg>,
  ids: ReadonlyArray<LedgerTxId>
): ReadonlyArray<LedgerTx> =>
  split.flatMap(({ applied, reference, wallet }, leg) => {
    const id = ids[leg]
    if (id === undefined) throw new Error(`Charge ${charge.id} has more legs than ids for them.`)
    if (applied === 0n || wallet === charge.wallet) return []
    const metadata = {
      from: charge.subAccount ?? principal,
      to: reference,
      paymentTransactionId: charge.id
    }
    return [
      post({
        id,
        kind: "internal_transfer",
        account: charge.account,
        wallet: charge.wallet,
        source: charge.id,
        leg,
        amount: applied,
        document: JSON.stringify({ metadata }),
        postings: [debit(available(charge.wallet), applied), credit(available(wallet), applied)]
      })
    ]
  })

/** Money at the PSP that is not credited, and waits in suspense for its return. */
export const toSuspense = (
  { account, amount, pspCredentialId, source, wallet }: Return,
  id: LedgerTxId
): LedgerTx =>
  post({
    id,
    kind: "deposit",
    account,
    wallet,
    source,
    leg: 0,
    amount,
    document: null,
    postings: [debit(pspClearing(pspCredentialId), amount), credit(suspense(account), amount)]
  })

/** It belongs back to its payer: its way there begins in the commit that books it. */
const backToPayer = (
  charge: Charge,
  payment: PspPayment,
  source: Return["source"],
  { ids, now }: BookingContext
) => {
  const { account, pspCredentialId, subAccount, wallet } = charge
  const money = newReturn({
    id: ids.return,
    account,
    wallet,
    subAccount,
    purpose: "deposit",
    source,
    amount: payment.amount,
    pspCredentialId,
    endToEndId: payment.endToEndId,
    now
  })
  return { return: money, ledger: [toSuspense(money, ids.payment)] }
}

const block = (
  charge: Charge,
  payment: PspPayment,
  reason: DepositReason,
  context: BookingContext
): PaymentBooking => ({
  _tag: "Blocked",
  reason,
  ...backToPayer(charge, payment, charge.id, context),
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
  context: BookingContext
): PaymentBooking => ({
  _tag: "Stray",
  ...backToPayer(charge, payment, context.ids.deposit, context),
  charge: withStray(charge, payment, context.now),
  deposit: new Deposit({
    ...counterpart(payment),
    id: context.ids.deposit,
    account: charge.account,
    wallet: charge.wallet,
    ...present({ subAccount: charge.subAccount }),
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
