import { Effect, Result } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { pspGone } from "../accounts/AccountPsps.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { CurrentWallet } from "../admission/Authorization.ts"
import { BadRequest, Forbidden, InternalError, NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { idempotent } from "../admission/Idempotent.ts"
import { limitExceeded } from "../admission/LimitExceeded.ts"
import { notActiveForTenant } from "../admission/NotActiveWire.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { payload } from "../http/Payload.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { Centavos } from "../kernel/Money.ts"
import { toBrlNumber, toBrlString } from "../kernel/Money.ts"
import * as PixKey from "../kernel/PixKey.ts"
import { present } from "../kernel/Present.ts"
import type { IdempotencyKeyTaken } from "../units/Idempotency.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { NewWithdrawal } from "./NewWithdrawal.ts"
import { WithdrawalKind } from "./Withdrawal.ts"
import type { WithdrawalRefused } from "./Withdrawals.ts"
import { Withdrawals } from "./Withdrawals.ts"
import {
  NewWithdrawalPayload,
  WithdrawalResponse,
  withdrawalResponse,
  WithdrawalsApi
} from "./WithdrawalsApi.ts"

export const WithdrawalsHandlers = handlersOf(
  tenantApi.add(WithdrawalsApi),
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    const withdrawals = yield* Withdrawals
    const keys = yield* IdempotencyKeys

    const create = Effect.gen(function* () {
      const acting = yield* CurrentWallet
      const answer = yield* idempotent(keys, {
        run: (key) =>
          Effect.flatMap(request, (asked) =>
            Effect.catch(withdrawals.create(acting, asked, key), refusal)
          ),
        read: WithdrawalKind.fromSnapshot
      })
      return yield* replayable(WithdrawalResponse, answer, withdrawalResponse(answer.value))
    })

    const find = Effect.fnUntraced(function* (name: string) {
      const wallet = walletOf(yield* CurrentWallet)
      const found = withdrawals.find(wallet, name).pipe(
        Effect.catchTag("WithdrawalNotFound", ({ id }) =>
          refuse(NotFound, {
            message: "There is no withdrawal with this id, externalReference or Idempotency-Key.",
            code: "WITHDRAWAL_NOT_FOUND",
            details: { resource: "withdrawal", id }
          })
        ),
        orUnavailable
      )
      return withdrawalResponse(yield* found)
    })

    return handlers
      .handleRaw("create", () => create)
      .handle("find", ({ params }) => find(params.id))
  })
)

/** The body as a request to the service. */
const request = Effect.gen(function* () {
  const body = yield* payload(NewWithdrawalPayload)
  const pixKey = PixKey.parse(body.pixKeyType, body.pixKey)
  if (Result.isFailure(pixKey)) {
    return yield* refuse(BadRequest, {
      message: `pixKey: ${pixKey.failure.message}`,
      code: "INVALID_PIX_KEY",
      details: { field: "pixKey" }
    })
  }
  const { amount, externalReference, holderDocument, holderName, netAmount, projectId } = body
  const asked: NewWithdrawal = {
    pixKey: pixKey.success,
    asked: amount === undefined ? { netAmount: netAmount as Centavos } : { amount },
    ...present({ holderName, holderDocument, projectId, externalReference })
  }
  return asked
})

const refusal = (
  refused: WithdrawalRefused | IdempotencyKeyTaken | StorageError
): Effect.Effect<
  never,
  BadRequest | Forbidden | NotFound | InternalError | IdempotencyKeyTaken,
  ServiceTime
> => {
  switch (refused._tag) {
    case "AmountBelowFee":
      return refuse(BadRequest, {
        message: `amount: the fee is ${toBrlString(refused.feeAmount)} BRL, which leaves the recipient nothing.`,
        code: "AMOUNT_BELOW_FEE",
        details: { feeAmount: toBrlNumber(refused.feeAmount) }
      })
    case "NetAmountUnreachable":
      return refuse(BadRequest, {
        message:
          "netAmount: no amount leaves exactly this net after the fee. Send amount, or another netAmount.",
        code: "NET_AMOUNT_UNREACHABLE"
      })
    case "LimitReached":
      return refuse(BadRequest, limitExceeded(refused, limitSentences))
    case "InsufficientFunds":
      return refuse(BadRequest, {
        message: "The balance available does not cover this withdrawal.",
        code: "INSUFFICIENT_BALANCE"
      })
    case "NotActive":
      return notActiveForTenant(refused)
    case "ProjectNotFound":
      return refuse(NotFound, {
        message: "There is no project with this projectId.",
        code: "PROJECT_NOT_FOUND",
        details: { resource: "project", id: refused.id }
      })
    case "PayoutsNotOffered":
      return refuse(Forbidden, {
        message:
          "No payment institution of this account sends money: withdrawals are not offered here.",
        code: "PAYOUTS_NOT_OFFERED"
      })
    case "PspGone":
      return refuse(InternalError, pspGone)
    case "IdempotencyKeyTaken":
      return Effect.fail(refused)
    case "StorageError":
      return orUnavailable(Effect.fail(refused))
  }
}

const limitSentences = {
  min: (bound: string) => `amount: this account withdraws ${bound} BRL or more at once.`,
  max: (bound: string) => `amount: this account withdraws at most ${bound} BRL at once.`,
  daily: (bound: string) => `amount: this account withdraws at most ${bound} BRL a day.`,
  monthly: (bound: string) => `amount: this account withdraws at most ${bound} BRL a month.`
} as const
