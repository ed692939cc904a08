import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Accounts } from "../accounts/Accounts.ts"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { referencePattern } from "../accounts/SubAccount.ts"
import { SubAccounts } from "../sub-accounts/SubAccounts.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { notActiveForOperator } from "../admission/NotActiveWire.ts"
import { paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { SubAccountChangePayload } from "./OperatorSubAccountsApi.ts"

export const OperatorSubAccountsHandlers = handlersOf(
  OperatorApi,
  "subAccounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const subAccounts = yield* SubAccounts

    const change = Effect.fnUntraced(function* (id: string, reference: string) {
      const account = yield* accountOfPath(accounts, id)
      if (!referencePattern.test(reference)) return yield* notFound("sub-account", reference)
      const request = yield* exactPayload(SubAccountChangePayload)
      return yield* subAccounts.change(account, reference, request).pipe(
        Effect.map(response),
        Effect.catchTags({
          SubAccountNotFound: () => notFound("sub-account", reference),
          NotActive: notActiveForOperator,
          SubAccountNotEmpty: () => refuse(Conflict, notEmpty(reference))
        }),
        orUnavailable
      )
    })

    return handlers
      .handle("list", ({ params, query }) =>
        Effect.flatMap(accountOfPath(accounts, params.id), ({ value: { id } }) =>
          paged(query, (page) => orUnavailable(subAccounts.page(id, page)), response)
        )
      )
      .handleRaw("change", ({ params }) => change(params.id, params.reference))
  })
)

const response = ({ account: _, ...subAccount }: SubAccount) => subAccount

const notEmpty = (reference: string) => ({
  message: `The sub-account ${reference} holds money, or something of it is held or blocked. Bring every balance to zero, then close it.`,
  code: "SUB_ACCOUNT_NOT_EMPTY",
  details: { resource: "sub-account", field: "balance", value: reference }
})
