import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { walletOf } from "../accounts/ActingWallet.ts"
import { Api } from "../http/Api.ts"
import { CurrentWallet } from "../http/Authorization.ts"
import { ours } from "../http/Ours.ts"
import { Blocks } from "./Blocks.ts"
import { blockResponse } from "./BlocksApi.ts"

export const BlocksHandlers = HttpApiBuilder.group(
  Api,
  "balanceBlocks",
  Effect.fnUntraced(function* (handlers) {
    const blocks = yield* Blocks

    return handlers.handle("list", ({ query }) =>
      Effect.gen(function* () {
        const wallet = walletOf(yield* CurrentWallet)
        const items = yield* ours(blocks.list(wallet, query.status))
        return { items: items.map(blockResponse), total: items.length }
      })
    )
  })
)
