import type { DateTime } from "effect"
import { Deposit } from "../charges/Charge.ts"
import { toSuspense } from "../charges/PaymentBooking.ts"
import type {
  ChargeId,
  DepositId,
  LedgerTxId,
  PspCredentialId,
  ReturnId,
  WalletId
} from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import type { PspReceived } from "../ports/Psp.ts"
import type { Return } from "../returns/Return.ts"
import { awaitPerson, newReturn } from "../returns/Return.ts"
import { accountAt } from "./PspReport.ts"

/** Money that arrived for no charge, or for one that does not show it: a deposit in suspense, and its return, which waits for a person to order it. */
export interface Unidentified {
  readonly deposit: Deposit
  readonly money: Return
  readonly ledger: LedgerTx
}

/**
 * Books a payment that nobody asked for. It may be the operator's own money, so it does not go back by itself: a person
 * has it returned, or takes it over.
 */
export const unidentified = (
  psp: PspCredentialId,
  { amount, charge, endToEndId, paidAt, payer }: PspReceived & { readonly charge?: ChargeId },
  ids: {
    readonly deposit: DepositId
    readonly money: ReturnId
    readonly ledger: LedgerTxId
  },
  now: DateTime.Utc
): Unidentified => {
  const account = accountAt(psp)
  const wallet: WalletId = account
  const money = newReturn({
    id: ids.money,
    account,
    wallet,
    purpose: "deposit",
    source: ids.deposit,
    amount,
    pspCredentialId: psp,
    endToEndId,
    now
  })
  return {
    deposit: new Deposit({
      id: ids.deposit,
      account,
      wallet,
      pspCredentialId: psp,
      amount,
      reason: "unidentified",
      returning: ids.money,
      paidAt,
      e2eId: endToEndId,
      ...present({ charge, counterpartName: payer?.name, counterpartDocument: payer?.document }),
      createdAt: now
    }),
    money: awaitPerson(money, "unidentified", now),
    ledger: toSuspense(money, ids.ledger)
  }
}
