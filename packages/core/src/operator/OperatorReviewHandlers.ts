import { Effect, Result } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { Charge } from "../charges/Charge.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { Conflict, refuse } from "../http/ErrorEnvelope.ts"
import { idempotentForOperator } from "../admission/Idempotent.ts"
import { accountOfPath, notFound } from "../admission/AccountOfPath.ts"
import { paged } from "../http/KeysetPage.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { exactPayload } from "../http/Payload.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { toBrlString } from "../kernel/Money.ts"
import * as TxId from "../kernel/TxId.ts"
import { present } from "../kernel/Present.ts"
import type { IdempotencyKey } from "../units/Idempotency.ts"
import type { Return } from "../returns/Return.ts"
import { ReturnKind } from "../returns/Return.ts"
import type { ReturnOfAnotherAmount, ReturnSide } from "../returns/ReturnReviews.ts"
import { ReturnReviews } from "../returns/ReturnReviews.ts"
import type { SuspenseEntry } from "./SuspenseEntries.ts"
import { SuspenseEntries } from "./SuspenseEntries.ts"
import type { Review } from "./Reviews.ts"
import { Reviews } from "./Reviews.ts"
import { OperatorApi } from "./OperatorApi.ts"
import { OutcomePayload, ReturnResponse, WordsPayload } from "./OperatorReviewApi.ts"
import { underWay } from "./UnderWay.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"
import { isShort } from "../withdrawals/Withdrawal.ts"

interface AccountQuery {
  readonly account?: string
  readonly cursor?: string
  readonly limit?: number
}

export const OperatorReviewHandlers = handlersOf(
  OperatorApi,
  "reviews",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const entries = yield* SuspenseEntries
    const reviews = yield* Reviews
    const decisions = yield* makeDecisions

    const filterOf = Effect.fnUntraced(function* (id: string | undefined) {
      return id === undefined ? {} : { account: (yield* accountOfPath(accounts, id)).value.id }
    })

    const list = Effect.fnUntraced(function* ({ account, ...query }: AccountQuery) {
      const filter = yield* filterOf(account)
      return yield* paged(query, (page) => orUnavailable(reviews.page(filter, page)), reviewFields)
    })

    const suspense = Effect.fnUntraced(function* ({
      account,
      needsReview,
      ...query
    }: AccountQuery & { readonly needsReview?: "true" | "false" }) {
      const filter = { ...(yield* filterOf(account)), needsReview: needsReview === "true" }
      return yield* paged(
        query,
        (page) => orUnavailable(entries.page(filter, page)),
        suspenseFields
      )
    })

    return handlers
      .handle("list", ({ query }) => list(query))
      .handle("suspense", ({ query }) => suspense(query))
      .handle("findReturn", ({ params }) => decisions.find(params.id))
      .handleRaw("retryReturn", ({ params }) => decisions.retry(params.id))
      .handleRaw("resolveReturn", ({ params }) => decisions.resolve("suspense", params.id))
      .handleRaw("resolveRefund", ({ params }) => decisions.resolve("refund", params.id))
  })
)

/** A return is named by its id or by its reference at the PSP, which is what a refund's receipt has shown. */
const idOf = (name: string): Uuid | undefined => {
  const id = name.toLowerCase()
  return isUuid(id) ? id : Result.getOrUndefined(Result.flatMap(TxId.parse(id), TxId.toUuid))
}

const makeDecisions = Effect.gen(function* () {
  const returns = yield* ReturnReviews
  const keys = yield* IdempotencyKeys

  const find = Effect.fnUntraced(function* (name: string) {
    const id = idOf(name)
    if (id === undefined) return yield* notFound("return", name)
    const found = returns.find(id).pipe(
      Effect.catchTag("ReturnNotFound", () => notFound("return", name)),
      orUnavailable
    )
    return returnFields(yield* found)
  })

  /** Does it once for an Idempotency-Key, and answers with the return. */
  const once = <E, R>(
    status: 200 | 201,
    run: (key: IdempotencyKey | undefined) => Effect.Effect<Return, E, R>
  ) =>
    Effect.flatMap(idempotentForOperator(keys, { run, read: ReturnKind.fromSnapshot }), (answer) =>
      replayable(ReturnResponse, answer, returnFields(answer.value), status)
    )

  const retried = Effect.fnUntraced(function* (name: string, key: IdempotencyKey | undefined) {
    const id = idOf(name)
    if (id === undefined) return yield* notFound("return", name)
    const words = yield* exactPayload(WordsPayload)
    return yield* returns.retry(id, words, key).pipe(
      Effect.catchTags({
        ReturnNotFound: () => notFound("return", name),
        ReturnNotInReview: ({ status }) => refuse(Conflict, notInReview("return", status)),
        ReturnNotRefused: ({ reference }) => refuse(Conflict, notRefused(reference)),
        ReturnGivenBack: ({ pspReturn }) => refuse(Conflict, givenBack(pspReturn))
      }),
      orUnavailable
    )
  })

  const resolved = Effect.fnUntraced(function* (
    side: ReturnSide,
    name: string,
    key: IdempotencyKey | undefined
  ) {
    const resource = side === "refund" ? "refund" : "return"
    const id = idOf(name)
    if (id === undefined) return yield* notFound(resource, name)
    const decision = yield* exactPayload(OutcomePayload)
    return yield* returns.resolve(side, id, decision, key).pipe(
      Effect.catchTags({
        ReturnNotFound: () => notFound(resource, name),
        ReturnNotInReview: ({ status }) => refuse(Conflict, notInReview(resource, status)),
        ReturnUnderWay: (refused) =>
          refuse(Conflict, underWay(resource, "RETURN_UNDER_WAY", refused)),
        ReturnOfAnotherAmount: (done) => refuse(Conflict, anotherAmount(resource, done))
      }),
      orUnavailable
    )
  })
  return {
    find,
    retry: (name: string) => once(201, (key) => retried(name, key)),
    resolve: (side: ReturnSide, name: string) => once(200, (key) => resolved(side, name, key))
  }
})

const notInReview = (resource: string, status: string) => ({
  message: `This ${resource} is ${status} and waits for nobody. GET /reviews lists what is yours to decide.`,
  code: "RETURN_NOT_IN_REVIEW",
  details: { resource, field: "status", value: status }
})

const notRefused = (reference: string) => ({
  message: `The PSP has not definitely refused this return: a second try beside it could pay twice. Look for ${reference} at the PSP, and resolve the return as you find it.`,
  code: "RETURN_NOT_REFUSED",
  details: { resource: "return", field: "review.reason", value: reference }
})

const givenBack = (pspReturn: string) => ({
  message: `The PSP has given money of this payment back by itself (return ${pspReturn}): a second try could pay it twice. Resolve that return, which takes this one back; where it is resolved already, resolve this one as failed.`,
  code: "RETURN_GIVEN_BACK",
  details: { resource: "pspReturn", id: pspReturn }
})

const anotherAmount = (
  resource: string,
  { amount, by }: Pick<ReturnOfAnotherAmount, "amount" | "by">
) => ({
  message: `What was done is ${by}, over ${toBrlString(amount)} BRL: another amount than this ${resource} has. Resolve this one as failed, and book the other one by an adjustment.`,
  code: "RETURN_OF_ANOTHER_AMOUNT",
  details: { resource, field: "review.by", value: by }
})

const returnFields = (money: Return) => {
  const { account, endToEndId, wallet: _, ...fields } = money
  const { feeAmount: __, promotionalAmount: ___, reason: ____, source: _____, ...shown } = fields
  return {
    ...shown,
    accountId: account,
    e2eId: endToEndId,
    reference: money.reference,
    rejections: money.rejections ?? 0
  }
}

const suspenseFields = ({ block, id, money, payment, reason }: SuspenseEntry) => {
  const { counterpartDocument, counterpartName, paidAt } = payment ?? {}
  return {
    id,
    accountId: money.account,
    amount: money.amount,
    reason,
    e2eId: money.endToEndId,
    payer: present({ name: counterpartName, document: counterpartDocument }),
    ...present({
      subAccount: money.subAccount,
      chargeId: payment instanceof Charge ? payment.id : payment?.charge,
      transactionId: payment?.id,
      balanceBlockId: block?.id,
      paidAt
    }),
    since: money.createdAt,
    needsReview: money.review !== undefined,
    return: returnFields(money)
  }
}

const typeOf = {
  refund: "refund",
  deposit: "deposit_return",
  chargeback: "chargeback_return"
} as const

const withdrawalReason = (withdrawal: Withdrawal) => {
  if (withdrawal.status === "manual_review") return "unanswered"
  return isShort(withdrawal) ? "psp_short" : "unsent"
}

const reviewFields = (review: Review) => {
  const { id, since } = review
  switch (review._tag) {
    case "Withdrawal": {
      const { account, amount, e2eId, reference, subAccount, waitedForMoney } = review.withdrawal
      const reason = withdrawalReason(review.withdrawal)
      const refusals = waitedForMoney?.refusals ?? 0
      return {
        id,
        type: "withdrawal" as const,
        accountId: account,
        amount,
        since,
        reason,
        reference,
        ...present({ subAccount, e2eId }),
        ...(reason === "psp_short" && refusals > 0 && { refusals }),
        calls: [`POST /withdrawals/${id}/resolve`]
      }
    }
    case "Return": {
      const { account, amount, endToEndId, purpose, reference, subAccount } = review.money
      const isRefund = purpose === "refund"
      const path = isRefund ? `/refunds/${id}` : `/returns/${id}`
      const reason = review.money.review?.reason ?? "unanswered"
      // A refund that failed gives back what it held: whoever asked for it asks again.
      const mayRetry = !isRefund && (reason === "refused" || reason === "unidentified")
      return {
        id,
        type: typeOf[purpose],
        accountId: account,
        ...present({ subAccount }),
        amount,
        since,
        reason,
        reference,
        e2eId: endToEndId,
        calls: [...(mayRetry ? [`POST ${path}/retry`] : []), `POST ${path}/resolve`]
      }
    }
    case "PspReturn": {
      const { account, amount, endToEndId, reference, subAccount } = review.money
      return {
        id,
        type: "psp_return" as const,
        accountId: account,
        ...present({ subAccount }),
        amount,
        since,
        reason: "returned_by_psp",
        reference,
        e2eId: endToEndId,
        calls: [`POST /psp-returns/${id}/resolve`]
      }
    }
    case "Discrepancy": {
      const { account, reason } = review.discrepancy
      return {
        id,
        type: "discrepancy" as const,
        accountId: account,
        since,
        reason,
        calls: [`POST /discrepancies/${id}/resolve`]
      }
    }
  }
}
