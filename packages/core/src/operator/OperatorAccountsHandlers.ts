import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Account } from "../accounts/Account.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { balanceResponse } from "../accounts/AccountsApi.ts"
import { BadRequest, Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { paged } from "../http/KeysetPage.ts"
import { ours } from "../http/Ours.ts"
import { payload } from "../http/Payload.ts"
import { epochMillisOf } from "../kernel/Ids.ts"
import { accountOf, notFound } from "../http/InAccount.ts"
import {
  AccountChangePayload,
  AdjustmentPayload,
  NewAccountPayload,
  OperatorApi
} from "./OperatorApi.ts"

export const OperatorAccountsHandlers = HttpApiBuilder.group(
  OperatorApi,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts

    const create = Effect.gen(function* () {
      const request = yield* payload(NewAccountPayload)
      return response(yield* ours(accounts.create(request)))
    })

    const change = Effect.fnUntraced(function* (id: string) {
      const account = yield* accountOf(accounts, id)
      const request = yield* payload(AccountChangePayload)
      const changed = accounts.change(account.value.id, request).pipe(
        Effect.catchTag("AccountNotFound", () => notFound("account", id)),
        ours
      )
      return response(yield* changed)
    })

    const adjust = Effect.fnUntraced(function* (id: string) {
      const account = yield* accountOf(accounts, id)
      const { bucket = "available", ...request } = yield* payload(AdjustmentPayload)
      const acting = yield* accounts.acting(account, request.subAccount).pipe(
        Effect.catchTag("SubAccountNotFound", ({ reference }) =>
          notFound("sub-account", reference)
        ),
        ours
      )
      const tx = yield* accounts.adjust(acting, { ...request, bucket }).pipe(
        Effect.catchTags({
          InsufficientFunds: () =>
            refuse(BadRequest, {
              message: `amount: the wallet does not hold that much ${bucket} balance.`,
              code: "INSUFFICIENT_BALANCE"
            }),
          SubAccountNotActive: ({ reference }) =>
            refuse(Conflict, {
              message: `The sub-account ${reference} is closed for ever.`,
              code: "SUB_ACCOUNT_CLOSED",
              details: { resource: "sub-account", field: "reference", value: reference }
            })
        }),
        ours
      )
      return {
        id: tx.id,
        amount: tx.amount,
        bucket,
        reason: request.reason,
        createdAt: DateTime.makeUnsafe(epochMillisOf(tx.id))
      }
    })

    return handlers
      .handle("list", ({ query: { status, ...query } }) =>
        paged(
          query,
          (page) => ours(accounts.page({ ...page, ...(status === undefined ? {} : { status }) })),
          response
        )
      )
      .handleRaw("create", () => create)
      .handle("get", ({ params }) =>
        Effect.map(accountOf(accounts, params.id), ({ value }) => response(value))
      )
      .handleRaw("change", ({ params }) => change(params.id))
      .handle("balances", ({ params }) =>
        Effect.flatMap(accountOf(accounts, params.id), ({ value }) =>
          Effect.map(ours(accounts.balance(value.id)), balanceResponse)
        )
      )
      .handleRaw("adjust", ({ params }) => adjust(params.id))
  })
)

const response = ({ routes: _, pspCredentialId: __, ...account }: Account) => account
