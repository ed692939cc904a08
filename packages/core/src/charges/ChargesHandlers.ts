import { DateTime, Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { replayable } from "../admission/ReplayableAnswer.ts"
import { CurrentCaller, CurrentWallet } from "../admission/Authorization.ts"
import {
  BadRequest,
  Conflict,
  type Forbidden,
  InternalError,
  NotFound,
  refuse
} from "../http/ErrorEnvelope.ts"
import { idempotent } from "../admission/Idempotent.ts"
import { limitExceeded } from "../admission/LimitExceeded.ts"
import { notActiveForTenant } from "../admission/NotActiveWire.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import { payload } from "../http/Payload.ts"
import { refuseFor, withRetryAfter } from "../http/RetryAfter.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { ChargeId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { toBrlString } from "../kernel/Money.ts"
import type { StorageError } from "../units/Refused.ts"
import type { ServiceTime } from "../time/ServiceTime.ts"
import type { IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { ofCharge } from "./ChargeTransaction.ts"
import { TransactionResponse, transactionResponse } from "../transactions/TransactionsApi.ts"
import type { Charge } from "./Charge.ts"
import { ChargeKind, wasRefused } from "./Charge.ts"
import type { CancelRefused, ChargeNotPending } from "./ChargeCanceller.ts"
import { ChargeCanceller, ChargeNotFound } from "./ChargeCanceller.ts"
import { NotActive } from "../accounts/NotActive.ts"
import type { SplitExceedsNet } from "./NewCharge.ts"
import { pspGone } from "../accounts/AccountPsps.ts"
import { SubAccountNotFound } from "../accounts/Accounts.ts"
import type { PspUnavailable } from "./ChargeIntents.ts"
import type { ChargeRefused } from "./Charges.ts"
import { Charges } from "./Charges.ts"
import { ChargeResponse, NewChargePayload, ChargesApi } from "./ChargesApi.ts"
import { QrCode } from "../ports/QrCode.ts"

export const ChargesHandlers = handlersOf(
  tenantApi.add(ChargesApi),
  "charges",
  Effect.fnUntraced(function* (handlers) {
    const charges = yield* Charges
    const canceller = yield* ChargeCanceller
    const keys = yield* IdempotencyKeys
    const qr = yield* QrCode

    const create = Effect.gen(function* () {
      const acting = yield* CurrentWallet
      const answer = yield* idempotent(keys, {
        run: (key) =>
          Effect.flatMap(payload(NewChargePayload), (request) =>
            Effect.catch(charges.create(acting, request, key), (refused) =>
              Effect.flatMap(asMayBeKnown(refused), refusal)
            )
          ),
        resume: (id, scope) => Effect.catch(charges.resume(id as ChargeId, scope), refusal),
        read: ChargeKind.fromSnapshot
      })
      const charge = answer.value
      if (wasRefused(charge)) return yield* rejected(charge)
      return yield* replayable(ChargeResponse, answer, yield* response(qr, charge))
    })
    const cancel = Effect.fnUntraced(function* (path: string) {
      const wallet = walletOf(yield* CurrentWallet)
      const id = path.toLowerCase()
      const answer = yield* idempotent(keys, {
        run: (key) =>
          Effect.catch(
            isUuid(id)
              ? canceller.cancel(wallet, id as ChargeId, key)
              : Effect.fail(new ChargeNotFound({ id })),
            cancelRefusal
          ),
        resume: (charge, scope) =>
          Effect.catch(canceller.resume(charge as ChargeId, scope), notCancelled),
        read: ChargeKind.fromSnapshot
      })
      if (answer.value.status !== "cancelled") return yield* notTakenBack(answer.value)
      const transaction = transactionResponse(ofCharge(answer.value))
      return yield* replayable(TransactionResponse, answer, transaction, 200)
    })

    return handlers
      .handleRaw("create", () => withRetryAfter(create))
      .handleRaw("cancel", ({ params }) => withRetryAfter(cancel(params.id)))
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
    ...present({
      externalReference: charge.externalReference,
      split: charge.split?.map(({ amount, reference }) => ({ subAccount: reference, amount }))
    })
  }))
}

/** What the PSP refused is an outcome like any other: a repeat is answered alike, to the byte. */
const rejectedAt = (
  { updatedAt }: Charge,
  pspCode: string,
  message: string
): Effect.Effect<never, BadRequest> =>
  Effect.fail(
    new BadRequest({
      message,
      details: { code: "PSP_REJECTED", pspCode },
      timestamp: DateTime.formatIso(updatedAt)
    })
  )

const rejected = (charge: Charge) => {
  const pspCode = charge.failureReason ?? "unknown"
  return rejectedAt(charge, pspCode, `The payment institution refused the charge (${pspCode}).`)
}

/** Who may not use sub-accounts is not told which there are: one that takes no money is as one that is not there (decision 0083). */
const asMayBeKnown = <E extends { readonly _tag: string }>(
  refused: E
): Effect.Effect<E | SubAccountNotFound, never, CurrentCaller> =>
  Effect.map(CurrentCaller, ({ credential }) =>
    refused instanceof NotActive && refused.field === "split" && !credential.subAccountAccess
      ? new SubAccountNotFound({ reference: refused.name })
      : refused
  )

/** What became of the wish to cancel it otherwise. A repeat is answered alike, to the byte. */
const notTakenBack = (charge: Charge): Effect.Effect<never, BadRequest | Conflict> => {
  if (charge.status !== "pending") {
    // Somebody paid it while it was being cancelled, or its time ended.
    const { code, details, message } = notPending(charge)
    const timestamp = DateTime.formatIso(charge.updatedAt)
    return Effect.fail(new Conflict({ message, details: { code, ...details }, timestamp }))
  }
  const pspCode = charge.cancelRefusal ?? "unknown"
  const message = `The payment institution will not cancel the charge (${pspCode}). It can still be paid.`
  return rejectedAt(charge, pspCode, message)
}

const notPending = ({ status }: Pick<ChargeNotPending, "status">) => ({
  message: `Only a pending charge can be cancelled; this one is ${status}.`,
  code: "CHARGE_NOT_PENDING",
  details: { resource: "charge", field: "status", value: status }
})

const splitTooLarge = ({ asked, fee, net }: SplitExceedsNet) => ({
  message: `split: the legs ask for ${toBrlString(asked)} BRL, but ${toBrlString(net)} BRL of the charge are left after its fee of ${toBrlString(fee)} BRL.`,
  code: "SPLIT_EXCEEDS_NET"
})

const refusal = (
  refused: ChargeRefused | IdempotencyKeyTaken | StorageError
): Effect.Effect<
  never,
  BadRequest | Forbidden | NotFound | InternalError | IdempotencyKeyTaken,
  ServiceTime
> => {
  switch (refused._tag) {
    case "LimitReached":
      return refuse(BadRequest, limitExceeded(refused, limitSentences))
    case "NotActive":
      return notActiveForTenant(refused)
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
    case "SubAccountNotFound":
      return refuse(NotFound, {
        message: `split: there is no sub-account ${refused.reference}.`,
        code: "SUB_ACCOUNT_NOT_FOUND",
        details: { resource: "sub-account", id: refused.reference }
      })
    case "SplitExceedsNet":
      return refuse(BadRequest, splitTooLarge(refused))
    case "IdempotencyKeyTaken":
      return Effect.fail(refused)
    case "StorageError":
      return orUnavailable(Effect.fail(refused))
    case "PspGone":
      return refuse(InternalError, pspGone)
    case "PspUnavailable":
      return refuseFor(InternalError, refused.after, {
        message: noCharge(refused),
        code: "PSP_UNAVAILABLE"
      })
  }
}

const whyOpen = ({ isNotNow }: PspUnavailable): string =>
  isNotNow === true
    ? "The payment institution takes no requests right now"
    : "The payment institution did not answer"

const noCharge = (refused: PspUnavailable): string => {
  if (refused.isGivenUp === true)
    return "The payment institution did not answer, and this charge was given up. Ask for a new one, under another Idempotency-Key."
  const none = `${whyOpen(refused)}, so there is no charge to show.`
  // Where it is known when to come again, the answer says so, and not that it may be at once.
  return refused.after === undefined
    ? `${none} Try again; with the same Idempotency-Key it is the same charge.`
    : none
}

const cancelRefusal = (
  refused: CancelRefused | IdempotencyKeyTaken | StorageError
): Effect.Effect<never, NotCancelled | IdempotencyKeyTaken, ServiceTime> =>
  refused._tag === "IdempotencyKeyTaken" ? Effect.fail(refused) : notCancelled(refused)

type NotCancelled = Conflict | NotFound | InternalError

const notCancelled = (
  refused: CancelRefused | StorageError
): Effect.Effect<never, NotCancelled, ServiceTime> => {
  switch (refused._tag) {
    case "ChargeNotFound":
      return refuse(NotFound, {
        message: "There is no charge with this id.",
        code: "CHARGE_NOT_FOUND",
        details: { resource: "charge", id: refused.id }
      })
    case "ChargeNotPending":
      return refuse(Conflict, notPending(refused))
    case "PspUnavailable":
      return refuseFor(InternalError, refused.after, {
        message: `${whyOpen(refused)}. The charge is cancelled as soon as it does, unless it was paid: look at its transaction.`,
        code: "PSP_UNAVAILABLE"
      })
    case "StorageError":
      return orUnavailable(Effect.fail(refused))
  }
}

const limitSentences = {
  min: (bound: string) => `amount: this account takes charges from ${bound} BRL.`,
  max: (bound: string) => `amount: this account takes charges up to ${bound} BRL.`,
  daily: (bound: string) => `amount: this account receives at most ${bound} BRL a day by charges.`,
  monthly: (bound: string) =>
    `amount: this account receives at most ${bound} BRL a month by charges.`
} as const
