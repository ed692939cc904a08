import { DateTime, Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import {
  BadRequest,
  Conflict,
  type Forbidden,
  InternalError,
  NotFound,
  refuse
} from "../http/ErrorEnvelope.ts"
import { idempotent } from "../admission/Idempotent.ts"
import { notActiveForTenant } from "../admission/NotActiveWire.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { nothingUnknown, payload } from "../http/Payload.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { toBrlNumber, toBrlString } from "../kernel/Money.ts"
import type { IdempotencyKeyTaken } from "../units/Idempotency.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { RefundRefused } from "./Refunds.ts"
import { Refunds } from "./Refunds.ts"
import { NewRefundPayload, RefundResponse, RefundsApi } from "./RefundsApi.ts"

export const RefundsHandlers = handlersOf(
  tenantApi.add(RefundsApi),
  "refunds",
  Effect.fnUntraced(function* (handlers) {
    const refunds = yield* Refunds
    const keys = yield* IdempotencyKeys

    const request = Effect.fnUntraced(function* (transaction: string) {
      const acting = yield* CurrentWallet
      const answer = yield* idempotent(keys, {
        run: (key) =>
          Effect.flatMap(newRefund, (body) =>
            Effect.catch(refunds.request(acting, { transaction, ...body }, key), refusal)
          ),
        read: Refunds.fromSnapshot
      })
      return yield* replayable(RefundResponse, answer, { ...answer.value, status: "PENDING" })
    })
    return handlers.handleRaw("request", ({ params }) => request(params.id))
  })
)

/** Who means to say how much, in a word that is not known, must not get back everything. */
const newRefund = Effect.andThen(
  nothingUnknown(
    NewRefundPayload.fields,
    "A refund has no such field: it takes an amount and a reason, and without an amount gives back all that is left."
  ),
  payload(NewRefundPayload)
)

const refusal = (
  refused: RefundRefused | IdempotencyKeyTaken | StorageError
): Effect.Effect<
  never,
  BadRequest | Forbidden | NotFound | Conflict | InternalError | IdempotencyKeyTaken,
  ServiceTime
> => {
  switch (refused._tag) {
    case "TransactionNotFound":
      return refuse(NotFound, {
        message: "There is no transaction with this id.",
        code: "TRANSACTION_NOT_FOUND",
        details: { resource: "transaction", id: refused.id }
      })
    case "NotActive":
      return notActiveForTenant(refused)
    case "NotRefundable":
      return refuse(BadRequest, {
        message: "Only a completed payment can be refunded.",
        code: "NOT_REFUNDABLE"
      })
    case "RefundWindowExpired":
      return refuse(BadRequest, {
        message: `A payment can be refunded for 90 days; this one could until ${DateTime.formatIso(refused.until)}.`,
        code: "REFUND_WINDOW_EXPIRED"
      })
    case "InsufficientBalance":
      return refuse(BadRequest, {
        message: "The available balance does not cover the amount and the fee of the refund.",
        code: "INSUFFICIENT_BALANCE"
      })
    case "AlreadyRefunded":
      return refuse(Conflict, {
        message: "This payment was refunded already, or its refund is under way.",
        code: "ALREADY_REFUNDED",
        details: { resource: "refund", field: "originalTransactionId", value: refused.id }
      })
    case "MoreThanLeft":
      return refuse(BadRequest, {
        message: `amount: ${toBrlString(refused.left)} BRL of this payment can still be refunded.`,
        code: "AMOUNT_NOT_REFUNDABLE",
        details: { available: toBrlNumber(refused.left) }
      })
    case "RefundInfractionOpen":
      return refuse(Conflict, {
        message: "A balance block on this payment is open: wait until it is resolved.",
        code: "REFUND_INFRACTION_OPEN",
        details: { resource: "balanceBlock", field: "transactionId", value: refused.id }
      })
    case "IdempotencyKeyTaken":
      return Effect.fail(refused)
    case "StorageError":
      return orUnavailable(Effect.fail(refused))
    case "PspUnavailable":
      return refuse(InternalError, {
        message:
          "The payment institution of this payment is not configured any more. Nothing was done.",
        code: "PSP_UNAVAILABLE"
      })
  }
}
