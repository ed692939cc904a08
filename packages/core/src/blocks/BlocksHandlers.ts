import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { Blocks } from "./Blocks.ts"
import { blockResponse, BlocksApi } from "./BlocksApi.ts"

export const BlocksHandlers = handlersOf(
  tenantApi.add(BlocksApi),
  "balanceBlocks",
  Effect.fnUntraced(function* (handlers) {
    const blocks = yield* Blocks

    return handlers.handle("list", ({ query }) =>
      Effect.gen(function* () {
        const wallet = walletOf(yield* CurrentWallet)
        const items = yield* orUnavailable(blocks.list(wallet, query.status))
        return { items: items.map(blockResponse), total: items.length }
      })
    )
  })
)
