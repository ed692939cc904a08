import { Schema } from "effect"
import type { LedgerTxId, Uuid } from "../kernel/Ids.ts"
import { AccountId, TransferId, WalletId } from "../kernel/Ids.ts"
import { CentavosString } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { available } from "../ledger/LedgerAccount.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { credit, post, spend } from "../ledger/LedgerTx.ts"
import * as Kind from "../units/Kind.ts"

/**
 * Money that an account's owner moved from one of its wallets to another: at once, whole, without a fee and not over
 * PIX. It has one id, which is its ledger transaction's too: both wallets have it under this id.
 */
export class Transfer extends Schema.Class<Transfer>("@pagora/core/transfers/Transfer")({
  id: TransferId,
  account: AccountId,
  /** The wallet that it leaves. */
  wallet: WalletId,
  destination: WalletId,
  status: Schema.Literal("completed"),
  /** References of the sub-accounts, `principal` for the main account. */
  from: Schema.String,
  to: Schema.String,
  amount: CentavosString,
  description: Schema.optionalKey(Schema.String),
  /** The caller's own, in the wallet that it leaves. */
  externalReference: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString
}) {}

export const TransferKind: Kind.Kind<Transfer> = Kind.make({
  name: "transfer",
  table: "operation",
  schema: Transfer,
  refField: "externalReference",
  bornField: "createdAt",
  columns: (transfer) => ({
    id: transfer.id,
    account: transfer.account,
    wallet: transfer.wallet,
    status: transfer.status,
    amount: transfer.amount,
    ref: transfer.externalReference
  })
})

/** Its booking. What balance blocks claim of the wallet stays there. */
export const bookingOf = (transfer: Transfer): LedgerTx => {
  const { account, amount, description, destination, from, id, to, wallet } = transfer
  return post({
    id: id as Uuid as LedgerTxId,
    kind: "internal_transfer",
    account,
    wallet,
    source: id,
    leg: 0,
    amount,
    document: JSON.stringify({
      ...present({ description }),
      metadata: { from, to }
    }),
    postings: [spend(available(wallet), amount), credit(available(destination), amount)]
  })
}
