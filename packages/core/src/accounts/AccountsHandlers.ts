import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../http/Api.ts"
import { CurrentWallet } from "../http/Authorization.ts"
import { ours } from "../http/Ours.ts"
import { Accounts } from "./Accounts.ts"
import { balanceResponse } from "./AccountsApi.ts"
import { walletOf } from "./ActingWallet.ts"

export const AccountsHandlers = HttpApiBuilder.group(
  Api,
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts

    const get = Effect.gen(function* () {
      const acting = yield* CurrentWallet
      const account = acting.account.value
      const owner = acting.subAccount?.value ?? account
      const wallet = yield* ours(accounts.balance(walletOf(acting)))
      return {
        account: {
          id: owner.id,
          status: owner.status,
          companyName: account.name,
          ...(account.document === undefined ? {} : { document: account.document }),
          createdAt: owner.createdAt
        },
        balance: balanceResponse(wallet)
      }
    })
    return handlers.handle("get", () => get)
  })
)
