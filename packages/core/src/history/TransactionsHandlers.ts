import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { handlersOf } from "../http/EndpointHandler.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import { NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { tenantApi } from "../http/TenantApi.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import {
  pageDefault,
  transactionResponse,
  TransactionResponse,
  TransactionsApi
} from "../transactions/TransactionsApi.ts"
import type { Transaction } from "../transactions/Transaction.ts"
import type { TransactionQuery } from "./Transactions.ts"
import { Transactions } from "./Transactions.ts"

const encode = Schema.encodeUnknownSync(Schema.toCodecJson(TransactionResponse))
const answers = new WeakMap<Transaction, HttpServerResponse.HttpServerResponse>()

/** The answer that a transaction is: of one that is as it was before, it is ready. */
const transactionAnswer = (transaction: Transaction): HttpServerResponse.HttpServerResponse => {
  const before = answers.get(transaction)
  if (before !== undefined) return before
  const now = HttpServerResponse.jsonUnsafe(encode(transactionResponse(transaction)))
  answers.set(transaction, now)
  return now
}

interface ListQuery extends Omit<TransactionQuery, "after" | "limit"> {
  readonly cursor?: string
  readonly limit?: number
}

export const TransactionsHandlers = handlersOf(
  tenantApi.add(TransactionsApi),
  "transactions",
  Effect.fnUntraced(function* (handlers) {
    const transactions = yield* Transactions

    const list = Effect.fnUntraced(function* ({ cursor, limit, ...query }: ListQuery) {
      const acting = yield* CurrentWallet
      const page = yield* orUnavailable(
        transactions.list(walletOf(acting), {
          ...query,
          ...present({ after: cursor as Uuid | undefined }),
          limit: limit ?? pageDefault
        })
      )
      return { data: page.transactions.map(transactionResponse), nextCursor: page.next ?? null }
    })

    return handlers
      .handle("list", ({ query }) => list(query))
      .handle("find", ({ params }) =>
        Effect.flatMap(CurrentWallet, (acting) =>
          Effect.map(transactions.find(walletOf(acting), params.id), transactionAnswer)
        ).pipe(
          Effect.catchTag("TransactionNotFound", ({ id }) =>
            refuse(NotFound, {
              message:
                "There is no transaction with this id, externalReference or Idempotency-Key.",
              code: "TRANSACTION_NOT_FOUND",
              details: { resource: "transaction", id }
            })
          ),
          orUnavailable
        )
      )
  })
)
