import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../http/Api.ts"
import { CurrentWallet } from "../http/Authorization.ts"
import type { TooManyRequests } from "../http/ErrorEnvelope.ts"
import { BadRequest, Forbidden, InternalError, NotFound, refuse } from "../http/ErrorEnvelope.ts"
import { ours } from "../http/Ours.ts"
import { payload } from "../http/Payload.ts"
import { toBrlString } from "../kernel/Money.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { StorageError } from "../ports/Refused.ts"
import type { ServiceTime } from "../ports/ServiceTime.ts"
import type { Charge } from "./Charge.ts"
import type { ChargeRefused } from "./Charges.ts"
import { Charges } from "./Charges.ts"
import { NewChargePayload } from "./ChargesApi.ts"
import { QrCode } from "./QrCode.ts"

export const ChargesHandlers = HttpApiBuilder.group(
  Api,
  "charges",
  Effect.fnUntraced(function* (handlers) {
    const charges = yield* Charges
    const qr = yield* QrCode

    const create = Effect.gen(function* () {
      const request = yield* payload(NewChargePayload)
      const charge = yield* Effect.catch(charges.create(yield* CurrentWallet, request), refusal)
      return yield* response(qr, charge)
    })
    return handlers.handleRaw("create", () => create)
  })
)

const response = (qr: QrCode["Service"], charge: Charge) => {
  const { pixCopyPaste = "", pspPaymentId = "" } = charge
  return Effect.map(qr.png(pixCopyPaste), (qrCodeBase64) => ({
    id: charge.id,
    status: "pending" as const,
    amount: charge.amount,
    currency: "BRL" as const,
    pixCopyPaste,
    expiresAt: charge.expiresAt,
    createdAt: charge.createdAt,
    qrCodeBase64,
    pspPaymentId,
    pspCredentialId: charge.pspCredentialId,
    ...(charge.externalReference === undefined
      ? {}
      : { externalReference: charge.externalReference })
  }))
}

const refusal = (
  refused: ChargeRefused | StorageError
): Effect.Effect<
  never,
  BadRequest | Forbidden | NotFound | TooManyRequests | InternalError,
  ServiceTime
> => {
  switch (refused._tag) {
    case "AmountOutOfRange":
      return refuse(BadRequest, {
        message: `amount: this account takes charges ${refused.bound === "min" ? "from" : "up to"} ${toBrlString(refused.limit as Centavos)} BRL.`,
        code: "AMOUNT_OUT_OF_RANGE"
      })
    case "AccountNotActive":
      return refuse(Forbidden, {
        message: `This account is ${refused.status} and cannot open charges.`,
        code: "ACCOUNT_NOT_ACTIVE"
      })
    case "ProjectNotFound":
      return refuse(NotFound, {
        message: "There is no project with this projectId.",
        code: "PROJECT_NOT_FOUND",
        details: { resource: "project", id: refused.id }
      })
    case "PspCredentialNotFound":
      return refuse(NotFound, {
        message: "There is no PSP credential with this pspCredentialId.",
        code: "PSP_CREDENTIAL_NOT_FOUND",
        details: { resource: "pspCredential", id: refused.id }
      })
    case "PspRejected":
      return refuse(BadRequest, {
        message: `The payment institution refused the charge: ${refused.reason}`,
        code: "PSP_REJECTED",
        details: { pspCode: refused.code }
      })
    case "StorageError":
      return ours(Effect.fail(refused))
    case "PspUnavailable":
      return refuse(InternalError, {
        message: "The payment institution did not answer. The charge was not made; try again.",
        code: "PSP_UNAVAILABLE"
      })
  }
}
