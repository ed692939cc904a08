import type { DateTime } from "effect"
import { Schema } from "effect"
import type { LedgerTxId } from "../kernel/Ids.ts"
import { AccountId, PspCredentialId, PspReturnId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { available, equity, pspClearing, suspense } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, debit, post, spend } from "../ledger/LedgerTx.ts"
import type { PspReceivedReturn } from "../ports/Psp.ts"
import { Resolution } from "../reviews/Resolution.ts"
import * as Kind from "../units/Kind.ts"

/**
 * - `open`: its money is missing in suspense, and a person has to say whose it is to bear;
 * - `charged`: the wallet that the payment was credited to has borne it;
 * - `absorbed`: the operator has.
 */
export const pspReturnStatuses = ["open", "charged", "absorbed"] as const

/** How a person ends one. */
export const pspReturnOutcomes = ["charged", "absorbed"] as const
export type PspReturnOutcome = (typeof pspReturnOutcomes)[number]

/**
 * Money of a payment that its PSP gave back by itself, as PSPs do for the MED (BACEN, Regulamento do Pix). It has left the
 * account at the PSP, whatever we think of it.
 */
export class PspReturn extends Schema.Class<PspReturn>("@pagora/core/psp-reports/PspReturn")({
  id: PspReturnId,
  account: AccountId,
  wallet: WalletId,
  /** The reference of the sub-account whose wallet it is; absent for the main account. */
  subAccount: Schema.optionalKey(Schema.String),
  status: Schema.Literals(pspReturnStatuses),
  amount: CentavosString,
  /** The charge or the deposit whose payment went back. */
  source: Uuid,
  pspCredentialId: PspCredentialId,
  /** The end-to-end id of that payment. */
  endToEndId: Schema.String,
  /** What the PSP calls the return. */
  reference: Schema.String,
  /** The id of the return on the PIX network. */
  returnId: Schema.optionalKey(Schema.String),
  settledAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
  resolution: Schema.optionalKey(Resolution)
}) {}

export const PspReturnKind: Kind.Kind<PspReturn> = Kind.make({
  name: "psp_return",
  table: "operation",
  schema: PspReturn,
  bornField: "createdAt",
  columns: (money) => ({
    id: money.id,
    account: money.account,
    wallet: money.wallet,
    status: money.status,
    amount: money.amount
  })
})

/** Whose payment went back. */
export interface Receiver extends Pick<
  PspReturn,
  "account" | "wallet" | "source" | "pspCredentialId" | "endToEndId"
> {
  readonly subAccount?: string
  /** What was paid, and for what. */
  readonly amount: Centavos
  readonly sourceType: "charge" | "deposit"
}

export const newPspReturn = (
  id: PspReturnId,
  { sourceType: _, ...receiver }: Receiver,
  { amount, reference, returnId, settledAt }: PspReceivedReturn,
  now: DateTime.Utc
): PspReturn => {
  return new PspReturn({
    ...receiver,
    id,
    status: "open",
    amount,
    reference,
    ...present({ returnId, settledAt }),
    createdAt: now,
    updatedAt: now
  })
}

/** The wallet of its sub-account is closed, and nothing comes to it any more: its owner answers for it with the main one. */
export const ofMainWallet = ({ subAccount: _, ...money }: PspReturn): PspReturn =>
  new PspReturn({ ...money, wallet: money.account })

/** A person has said who bears it. */
export const resolve = (
  money: PspReturn,
  status: PspReturnOutcome,
  resolution: Resolution
): PspReturn => new PspReturn({ ...money, status, resolution, updatedAt: resolution.at })

/** A return of a PSP is booked once, however often it shows it. */
export const pspReturnKey = ({
  endToEndId,
  pspCredentialId,
  reference
}: Pick<PspReturn, "endToEndId" | "pspCredentialId" | "reference">) => ({
  space: "psp_return",
  key: `${pspCredentialId}/${endToEndId}/${reference}`
})

const book = (
  money: PspReturn,
  entry: Pick<LedgerTx, "id" | "kind" | "postings"> & Partial<Pick<LedgerTx, "document">>
): LedgerTx =>
  post({
    document: null,
    ...entry,
    account: money.account,
    wallet: money.wallet,
    source: money.id,
    leg: 0,
    amount: money.amount
  })

/** It has left the account at the PSP: suspense lacks it until a person has said who bears it. */
export const left = (money: PspReturn, id: LedgerTxId): LedgerTx =>
  book(money, {
    id,
    kind: "deposit_return",
    postings: [
      debit(suspense(money.account), money.amount),
      credit(pspClearing(money.pspCredentialId), money.amount)
    ]
  })

/** Whoever bears it gives suspense what it lacks: a wallet what it may spend, or the operator's own account. */
export const borne = (money: PspReturn, id: LedgerTxId): LedgerTx =>
  money.status === "charged"
    ? book(money, {
        id,
        kind: "chargeback",
        document: JSON.stringify({ description: `Return ${money.reference} of the PSP` }),
        postings: [
          spend(available(money.wallet), money.amount),
          credit(suspense(money.account), money.amount)
        ]
      })
    : book(money, {
        id,
        kind: "release",
        postings: [
          debit(equity(money.account), money.amount),
          credit(suspense(money.account), money.amount)
        ]
      })
