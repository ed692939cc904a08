import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { accountStatuses } from "../accounts/Account.ts"
import { AccountResponse } from "../accounts-api/AccountsApi.ts"
import { subAccountStatuses } from "../accounts/SubAccount.ts"
import { pageOf, pageQuery } from "../http/KeysetPage.ts"
import { Instant, instantInQuery } from "../http/WireCodecs.ts"
import { SignedBrlNumber } from "../kernel/Money.ts"
import { placePattern } from "../ledger/Entry.ts"
import { walletBuckets } from "../ledger/LedgerAccount.ts"
import { ledgerKinds } from "../ledger/LedgerTx.ts"
import { transactionStatuses, transactionTypes } from "../transactions/Transaction.ts"
import { TransactionResponse } from "../transactions/TransactionsApi.ts"
import { errors, inAccount, reference } from "./OperatorEndpointApi.ts"

/** The wallet of a sub-account, or the main one, which has none. */
const subAccount = Schema.NullOr(Schema.String)

const WalletBalance = Schema.Struct({
  walletId: Schema.String,
  subAccount,
  status: Schema.Literals([...accountStatuses, ...subAccountStatuses]),
  ...AccountResponse.fields.balance.fields
})

/** What the main wallet holds, and a page of every wallet, the main one at its end (decision 0040). */
const Balances = Schema.Struct({
  ...AccountResponse.fields.balance.fields,
  ...pageOf(WalletBalance).fields
})

/** As the tenant sees it, and whose wallet it stands in. */
const OperatorTransaction = Schema.Struct({ ...TransactionResponse.fields, subAccount })

/** One posting to a bucket of a wallet. */
const EntryResponse = Schema.Struct({
  /** The ledger transaction, and the place in it. */
  id: Schema.String,
  ledgerTransactionId: Schema.String,
  kind: Schema.Literals(ledgerKinds),
  walletId: Schema.String,
  subAccount,
  bucket: Schema.Literals(walletBuckets),
  amount: SignedBrlNumber,
  /** What it was booked for: the id of a charge, withdrawal, refund and so on; of what stands for itself, its own. */
  sourceId: Schema.String,
  createdAt: Instant
})

const entryCursor = Schema.String.check(
  Schema.isPattern(placePattern, { message: "Send the nextCursor of the page before." })
)

const range = {
  subAccount: Schema.optionalKey(reference),
  from: Schema.optionalKey(instantInQuery),
  to: Schema.optionalKey(instantInQuery)
}

/** What an account holds, and how that came to be. */
export class OperatorHistoryApi extends HttpApiGroup.make("history").add(
  HttpApiEndpoint.get("balances", "/accounts/:id/balances", {
    params: inAccount,
    query: pageQuery,
    success: Balances,
    error: errors
  }),
  HttpApiEndpoint.get("transactions", "/accounts/:id/transactions", {
    params: inAccount,
    query: {
      ...pageQuery,
      ...range,
      type: Schema.optionalKey(Schema.Literals(transactionTypes)),
      status: Schema.optionalKey(Schema.Literals(transactionStatuses))
    },
    success: pageOf(OperatorTransaction),
    error: errors
  }),
  HttpApiEndpoint.get("entries", "/accounts/:id/entries", {
    params: inAccount,
    query: { ...pageQuery, ...range, cursor: Schema.optionalKey(entryCursor) },
    success: pageOf(EntryResponse),
    error: errors
  })
) {}
