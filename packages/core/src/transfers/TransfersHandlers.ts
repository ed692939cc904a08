import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { CurrentCaller, CurrentWallet } from "../admission/Authorization.ts"
import { BadRequest, Forbidden, NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { idempotent } from "../admission/Idempotent.ts"
import { notActiveForTenant } from "../admission/NotActiveWire.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { payload } from "../http/Payload.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { IdempotencyKeyTaken } from "../units/Idempotency.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { Transfer } from "./Transfer.ts"
import { TransferKind } from "./Transfer.ts"
import type { TransferRefused } from "./Transfers.ts"
import { Transfers } from "./Transfers.ts"
import { NewTransferPayload, TransferResponse, TransfersApi } from "./TransfersApi.ts"

export const TransfersHandlers = handlersOf(
  tenantApi.add(TransfersApi),
  "transfers",
  Effect.fnUntraced(function* (handlers) {
    const transfers = yield* Transfers
    const keys = yield* IdempotencyKeys

    const create = Effect.gen(function* () {
      const { credential } = yield* CurrentCaller
      if (!credential.subAccountAccess) return yield* refuse(Forbidden, noSubAccountAccess)
      const acting = yield* CurrentWallet
      const answer = yield* idempotent(keys, {
        run: (key) =>
          Effect.flatMap(payload(NewTransferPayload), (request) =>
            Effect.catch(transfers.create(acting, request, key), refusal)
          ),
        read: TransferKind.fromSnapshot
      })
      return yield* replayable(TransferResponse, answer, response(answer.value))
    })
    return handlers.handleRaw("create", () => create)
  })
)

const response = (transfer: Transfer) => {
  const { account: _, destination: __, wallet: ___, ...shown } = transfer
  return { ...shown, transferId: transfer.id, currency: "BRL" as const }
}

const noSubAccountAccess = {
  message: "This credential may not move money between wallets: sub-account access is off for it.",
  code: "SUB_ACCOUNT_FORBIDDEN"
}

const refusal = (
  refused: TransferRefused | IdempotencyKeyTaken | StorageError
): Effect.Effect<never, BadRequest | Forbidden | NotFound | IdempotencyKeyTaken, ServiceTime> => {
  switch (refused._tag) {
    case "SameWallet":
      return refuse(BadRequest, {
        message: `to: the money is in ${refused.reference} already. Name two wallets.`,
        code: "SAME_WALLET"
      })
    case "NotActive":
      return notActiveForTenant(refused)
    case "SubAccountNotFound":
      return refuse(NotFound, {
        message: `There is no sub-account ${refused.reference}.`,
        code: "SUB_ACCOUNT_NOT_FOUND",
        details: { resource: "sub-account", id: refused.reference }
      })
    case "InsufficientFunds":
      return refuse(BadRequest, {
        message: "amount: the wallet that it leaves does not have that much available.",
        code: "INSUFFICIENT_BALANCE"
      })
    case "IdempotencyKeyTaken":
      return Effect.fail(refused)
    case "StorageError":
      return orUnavailable(Effect.fail(refused))
  }
}
