import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { balanceResponse, AccountsApi } from "./AccountsApi.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { present } from "../kernel/Present.ts"

export const AccountsHandlers = handlersOf(
  tenantApi.add(AccountsApi),
  "accounts",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts

    const get = Effect.gen(function* () {
      const acting = yield* CurrentWallet
      const account = acting.account.value
      const owner = acting.subAccount?.value ?? account
      const wallet = yield* orUnavailable(accounts.balance(walletOf(acting)))
      return {
        account: {
          id: owner.id,
          status: owner.status,
          companyName: account.name,
          ...present({ document: account.document }),
          createdAt: owner.createdAt
        },
        balance: balanceResponse(wallet)
      }
    })
    return handlers.handle("get", () => get)
  })
)
