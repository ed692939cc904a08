import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { walletOf } from "../accounts/ActingWallet.ts"
import { Api } from "../http/Api.ts"
import { CurrentWallet } from "../http/Authorization.ts"
import { NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { ours } from "../http/Ours.ts"
import { transactionResponse } from "./TransactionsApi.ts"
import { Transactions } from "./Transactions.ts"

export const TransactionsHandlers = HttpApiBuilder.group(
  Api,
  "transactions",
  Effect.fnUntraced(function* (handlers) {
    const transactions = yield* Transactions

    return handlers.handle("find", ({ params }) =>
      Effect.gen(function* () {
        const acting = yield* CurrentWallet
        const transaction = yield* transactions.find(walletOf(acting), params.id).pipe(
          Effect.catchTag("TransactionNotFound", ({ id }) =>
            refuse(NotFound, {
              message:
                "There is no transaction with this id, externalReference or Idempotency-Key.",
              code: "TRANSACTION_NOT_FOUND",
              details: { resource: "transaction", id }
            })
          ),
          ours
        )
        return transactionResponse(transaction)
      })
    )
  })
)
