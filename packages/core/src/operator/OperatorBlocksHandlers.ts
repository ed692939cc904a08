import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Accounts } from "../accounts/Accounts.ts"
import type { Block, BlockNotOpen, NotThatMuch } from "../blocks/Block.ts"
import { owed } from "../blocks/Block.ts"
import { Blocks } from "../blocks/Blocks.ts"
import { blockResponse } from "../blocks/BlocksApi.ts"
import { BadRequest, Conflict, NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { accountOf, notFound } from "../http/InAccount.ts"
import { paged } from "../http/KeysetPage.ts"
import { ours } from "../http/Ours.ts"
import { payload } from "../http/Payload.ts"
import type { Centavos } from "../kernel/Money.ts"
import { toBrlNumber, toBrlString } from "../kernel/Money.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { NewBlockPayload, ResolutionPayload } from "./OperatorBlocksApi.ts"

export const OperatorBlocksHandlers = HttpApiBuilder.group(
  OperatorApi,
  "blocks",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const blocks = yield* Blocks

    const create = Effect.fnUntraced(function* (id: string) {
      const account = yield* accountOf(accounts, id)
      const { transactionId, ...request } = yield* payload(NewBlockPayload)
      return yield* blocks.create(account.value.id, transactionId.toLowerCase(), request).pipe(
        Effect.map(response),
        Effect.catchTag("NotAPayment", () => notAPayment(transactionId)),
        Effect.catchTag("NotThatMuch", notThatMuch),
        ours
      )
    })

    const moved = (move: ReturnType<typeof blocks.defend>) =>
      move.pipe(
        Effect.map(response),
        Effect.catchTag("BlockNotFound", ({ id }) => notFound("balance block", id)),
        Effect.catchTag("BlockNotOpen", notOpen),
        ours
      )

    return handlers
      .handleRaw("create", ({ params }) => create(params.id))
      .handle("list", ({ params, query }) =>
        Effect.flatMap(accountOf(accounts, params.id), ({ value: { id } }) =>
          paged(query, (page) => ours(blocks.page(id, page)), response)
        )
      )
      .handleRaw("defend", ({ params }) => moved(blocks.defend(params.id)))
      .handleRaw("resolve", ({ params }) =>
        Effect.flatMap(payload(ResolutionPayload), (resolution) =>
          moved(blocks.resolve(params.id, resolution))
        )
      )
  })
)

const zero = 0n as Centavos

const response = (block: Block) => ({
  ...blockResponse(block),
  accountId: block.account,
  subAccount: block.subAccount ?? null,
  ...(block.defendedAt === undefined ? {} : { defendedAt: block.defendedAt }),
  returnedAmount: block.returned ?? zero,
  owedAmount: owed(block),
  uncollectedAmount: block.uncollected ?? zero
})

const notAPayment = (id: string) =>
  refuse(NotFound, {
    message: "This account has no completed payment with this transactionId.",
    code: "TRANSACTION_NOT_FOUND",
    details: { resource: "transaction", id }
  })

const notThatMuch = ({ left }: NotThatMuch) =>
  refuse(BadRequest, {
    message:
      left > 0n
        ? `amount: ${toBrlString(left as Centavos)} BRL of this payment can still be blocked.`
        : "Nothing of this payment is left to block: it was refunded or is blocked already.",
    code: "AMOUNT_NOT_BLOCKABLE",
    details: { available: toBrlNumber(left as Centavos) }
  })

const notOpen = ({ id, status }: BlockNotOpen) =>
  refuse(Conflict, {
    message: `Balance block ${id} is ${status} already.`,
    code: "BALANCE_BLOCK_NOT_OPEN",
    details: { resource: "balance block", field: "status", value: status }
  })
