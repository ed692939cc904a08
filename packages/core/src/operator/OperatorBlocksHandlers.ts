import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Accounts } from "../accounts/Accounts.ts"
import type {
  Block,
  BlockNotOpen,
  Defence,
  LessThanGone,
  NotThatMuch,
  ReturnUndecided
} from "../blocks/Block.ts"
import { BlockKind, gone, owed } from "../blocks/Block.ts"
import type { NotAnswerable } from "../blocks/Defence.ts"
import { Blocks } from "../blocks/Blocks.ts"
import { blockResponse } from "../blocks/BlocksApi.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { BadRequest, Conflict, NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { toBrlNumber, toBrlString, zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import {
  AnswerPayload,
  NewBlockPayload,
  OperatorBlock,
  ResolutionPayload
} from "./OperatorBlocksApi.ts"

export const OperatorBlocksHandlers = handlersOf(
  OperatorApi,
  "blocks",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const blocks = yield* Blocks
    const keys = yield* IdempotencyKeys

    /** Does it once for an Idempotency-Key, and answers with the block. */
    const once = <E, R>(
      status: 200 | 201,
      run: (key: IdempotencyKey | undefined) => Effect.Effect<Block, E, R>
    ) =>
      Effect.flatMap(idempotentForOperator(keys, { run, read: BlockKind.fromSnapshot }), (answer) =>
        replayable(OperatorBlock, answer, response(answer.value), status)
      )

    const create = Effect.fnUntraced(function* (id: string, key: IdempotencyKey | undefined) {
      const account = yield* accountOfPath(accounts, id)
      const { transactionId, ...request } = yield* exactPayload(NewBlockPayload)
      return yield* blocks.create(account.value.id, transactionId.toLowerCase(), request, key).pipe(
        Effect.catchTag("NotAPayment", () => notAPayment(transactionId)),
        Effect.catchTag("NotThatMuch", notThatMuch),
        orUnavailable
      )
    })

    const moved = (move: ReturnType<typeof blocks.resolve>) =>
      move.pipe(
        Effect.catchTag("BlockNotFound", ({ id }) => notFound("balance block", id)),
        Effect.catchTag("BlockNotOpen", notOpen),
        Effect.catchTag("NotThatMuch", notThatMuchBlocked),
        Effect.catchTag("LessThanGone", lessThanGone),
        Effect.catchTag("ReturnUndecided", returnUndecided),
        orUnavailable
      )

    const resolve = Effect.fnUntraced(function* (id: string, key: IdempotencyKey | undefined) {
      const resolution = yield* exactPayload(ResolutionPayload)
      if (resolution.outcome === "rejected" && resolution.amount !== undefined)
        return yield* refuse(BadRequest, {
          message:
            "amount: Send it with outcome approved only: a rejected block gives nothing back.",
          code: "VALIDATION_ERROR"
        })
      return yield* moved(blocks.resolve(id, resolution, key))
    })

    const answer = Effect.fnUntraced(function* (id: string, key: IdempotencyKey | undefined) {
      const words = yield* exactPayload(AnswerPayload)
      return yield* blocks.answer(id, words, key).pipe(
        Effect.catchTag("BlockNotFound", () => notFound("balance block", id)),
        Effect.catchTag("NotAnswerable", unanswerable),
        orUnavailable
      )
    })

    return handlers
      .handleRaw("create", ({ params }) => once(201, (key) => create(params.id, key)))
      .handle("list", ({ params, query }) =>
        Effect.flatMap(accountOfPath(accounts, params.id), ({ value: { id } }) =>
          paged(
            query,
            (page) =>
              orUnavailable(
                blocks.page(id, {
                  ...page,
                  ...present({ status: query.status })
                })
              ),
            response
          )
        )
      )
      .handleRaw("defend", ({ params: { id } }) =>
        once(200, (key) => moved(blocks.defend(id, key)))
      )
      .handleRaw("answer", ({ params: { id } }) => once(200, (key) => answer(id, key)))
      .handleRaw("resolve", ({ params: { id } }) => once(200, (key) => resolve(id, key)))
  })
)

const response = (block: Block) => ({
  ...blockResponse(block),
  accountId: block.account,
  subAccount: block.subAccount ?? null,
  ...present({
    defendedAt: block.defendedAt,
    answerUntil: block.answerUntil,
    answer: block.defence && answerOf(block.defence)
  }),
  returnedAmount: gone(block),
  owedAmount: owed(block),
  uncollectedAmount: block.uncollected ?? zero
})

const answerOf = ({ answer, refusal, requestedAt, status }: Defence) => ({
  answer,
  status,
  requestedAt,
  ...refusal
})

const unanswerableFor: Readonly<Record<NotAnswerable["reason"], string>> = {
  no_infraction: "No report of fraud has opened this block: there is nothing to answer.",
  not_offered: "The PSP cannot be told an answer from here: give it where the PSP takes it.",
  under_way: "The report was answered before.",
  too_late: "The report is decided, or the time to answer it is over."
}

const unanswerable = ({ id, reason }: NotAnswerable) =>
  refuse(Conflict, {
    message: unanswerableFor[reason],
    code: "INFRACTION_NOT_ANSWERABLE",
    details: { resource: "balance block", id, field: "answer", value: reason }
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
        ? `amount: ${toBrlString(left)} BRL of this payment can still be blocked.`
        : "Nothing of this payment is left to block: it was refunded or is blocked already.",
    code: "AMOUNT_NOT_BLOCKABLE",
    details: { available: toBrlNumber(left) }
  })

const notThatMuchBlocked = ({ left }: NotThatMuch) =>
  refuse(BadRequest, {
    message: `amount: The block is over ${toBrlString(left)} BRL.`,
    code: "AMOUNT_NOT_BLOCKED",
    details: { available: toBrlNumber(left) }
  })

const lessThanGone = ({ gone }: LessThanGone) =>
  refuse(BadRequest, {
    message: `amount: ${toBrlString(gone)} BRL of the block are with the payer already: send so much at least, or reject it.`,
    code: "AMOUNT_NOT_BLOCKED",
    details: { available: toBrlNumber(gone) }
  })

const returnUndecided = ({ pspReturn }: ReturnUndecided) =>
  refuse(Conflict, {
    message: `The PSP has given money of this payment back by itself: to approve the block could pay it twice. Resolve the return ${pspReturn} of the PSP first; that lowers the block by as much.`,
    code: "PSP_RETURN_OPEN",
    details: { resource: "pspReturn", id: pspReturn }
  })

const notOpen = ({ id, status }: BlockNotOpen) =>
  refuse(Conflict, {
    message: `Balance block ${id} is ${status} already.`,
    code: "BALANCE_BLOCK_NOT_OPEN",
    details: { resource: "balance block", field: "status", value: status }
  })
