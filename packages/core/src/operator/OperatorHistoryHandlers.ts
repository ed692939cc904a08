import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { balanceResponse } from "../accounts-api/AccountsApi.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { principal } from "../accounts/SubAccount.ts"
import { SubAccounts } from "../sub-accounts/SubAccounts.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { pageDefault, paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import type { Uuid, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { Entry } from "../ledger/Entry.ts"
import { placeOf, placeText } from "../ledger/Entry.ts"
import type { TransactionQuery } from "../history/Transactions.ts"
import { Transactions } from "../history/Transactions.ts"
import { transactionResponse } from "../transactions/TransactionsApi.ts"
import type { WalletBalance } from "./Balances.ts"
import { Balances } from "./Balances.ts"
import type { EntryQuery } from "./Entries.ts"
import { Entries } from "./Entries.ts"
import { OperatorApi } from "./OperatorApi.ts"

/** The query of a list, as the wire has it. */
type Listed<Query> = Omit<Query, "after" | "limit" | "wallet"> & {
  readonly cursor?: string
  readonly limit?: number
  readonly subAccount?: string
}

/** The account of the path, and its wallet that the query names. */
const scopeIn = (accounts: Accounts["Service"]) =>
  Effect.fnUntraced(function* (id: string, reference: string | undefined) {
    const account = yield* accountOfPath(accounts, id)
    if (reference === undefined) return { account: account.value.id, wallet: undefined }
    const acting = yield* accounts.acting(account, reference).pipe(
      Effect.catchTag("SubAccountNotFound", () => notFound("sub-account", reference)),
      orUnavailable
    )
    return { account: account.value.id, wallet: walletOf(acting) }
  })

export const OperatorHistoryHandlers = handlersOf(
  OperatorApi,
  "history",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const balances = yield* Balances
    const subAccounts = yield* SubAccounts
    const transactions = yield* Transactions
    const entries = yield* Entries

    const scopeOf = scopeIn(accounts)

    const listTransactions = Effect.fnUntraced(function* (
      id: string,
      { cursor, limit = pageDefault, subAccount, ...query }: Listed<TransactionQuery>
    ) {
      const { account, wallet } = yield* scopeOf(id, subAccount)
      const { lines, next } = yield* orUnavailable(
        transactions.history(wallet === undefined ? { account } : { wallet }, {
          ...query,
          ...present({ after: cursor as Uuid | undefined }),
          limit
        })
      )
      const wallets = lines.flatMap((line) => line.wallet ?? [])
      const references = yield* orUnavailable(subAccounts.references(others(account, wallets)))
      return {
        data: lines.map(({ transaction, wallet }) => ({
          ...transactionResponse(transaction),
          subAccount: (wallet && references.get(wallet)) ?? null
        })),
        nextCursor: next ?? null
      }
    })

    const listEntries = Effect.fnUntraced(function* (
      id: string,
      { cursor, limit = pageDefault, subAccount, ...query }: Listed<EntryQuery>
    ) {
      const { account, wallet } = yield* scopeOf(id, subAccount)
      const page = yield* orUnavailable(
        entries.list(account, {
          ...query,
          ...present({ wallet, after: cursor === undefined ? undefined : placeOf(cursor) }),
          limit
        })
      )
      const wallets = page.entries.map((entry) => entry.wallet)
      const references = yield* orUnavailable(subAccounts.references(others(account, wallets)))
      return {
        data: page.entries.map((entry) => entryResponse(entry, references)),
        nextCursor: page.next === undefined ? null : placeText(page.next)
      }
    })

    return handlers
      .handle("balances", ({ params, query }) =>
        Effect.gen(function* () {
          const { value } = yield* accountOfPath(accounts, params.id)
          const main = yield* orUnavailable(accounts.balance(value.id))
          const page = yield* paged(
            query,
            (read) => orUnavailable(balances.page(value, read)),
            shownBalance
          )
          return { ...balanceResponse(main), ...page }
        })
      )
      .handle("transactions", ({ params, query }) => listTransactions(params.id, query))
      .handle("entries", ({ params, query }) => listEntries(params.id, query))
  })
)

/** Those that are not the main wallet, each once. */
const others = (account: Uuid, wallets: ReadonlyArray<WalletId>): ReadonlyArray<WalletId> =>
  [...new Set(wallets)].filter((wallet) => wallet !== account)

const shownBalance = ({ id, reference, status, wallet }: WalletBalance) => ({
  walletId: id,
  subAccount: reference === principal ? null : reference,
  status,
  ...balanceResponse(wallet)
})

const entryResponse = (entry: Entry, references: ReadonlyMap<WalletId, string>) => ({
  id: placeText(entry),
  ledgerTransactionId: entry.tx,
  kind: entry.kind,
  walletId: entry.wallet,
  subAccount: references.get(entry.wallet) ?? null,
  bucket: entry.bucket,
  amount: entry.amount,
  sourceId: entry.source,
  createdAt: instantOf(entry.tx)
})
