import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { ChargeId, CustomerId, ProjectId, PspCredentialId, UnitId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { decideAgain, refusedFor } from "../ports/DecideAgain.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { callPsp } from "../ports/PspCall.ts"
import type { StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { Customer } from "./Charge.ts"
import { Charge, ChargeKind, endAt, register, reject } from "./Charge.ts"
import { chargeLimits } from "./ChargeLimits.ts"

export interface NewCharge {
  readonly amount: Centavos
  readonly description?: string
  readonly customer?: Customer
  readonly projectId?: ProjectId
  readonly pspCredentialId?: PspCredentialId
  readonly expiresIn?: number
  readonly externalReference?: string
  /** JSON text of an object. */
  readonly metadata?: string
}

/** The amount is outside what the account may charge at once. */
export class AmountOutOfRange extends Schema.TaggedError<AmountOutOfRange>()("AmountOutOfRange", {
  bound: Schema.Literals(["min", "max"]),
  limit: Schema.BigInt
}) {}

export class PspCredentialNotFound extends Schema.TaggedError<PspCredentialNotFound>()(
  "PspCredentialNotFound",
  {
    id: Schema.String
  }
) {}

export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  id: Schema.String
}) {}

/** The account may not start anything new. */
export class AccountNotActive extends Schema.TaggedError<AccountNotActive>()("AccountNotActive", {
  status: Schema.String
}) {}

/** The PSP definitely refused the charge; it is stored as failed. */
export class PspRejected extends Schema.TaggedError<PspRejected>()("PspRejected", {
  code: Schema.String,
  reason: Schema.String
}) {}

/** The PSP was not reached, or its answer was lost. The intent stays and is cleared up by itself. */
export class PspUnavailable extends Schema.TaggedError<PspUnavailable>()("PspUnavailable", {}) {}

export type ChargeRefused =
  | AmountOutOfRange
  | PspCredentialNotFound
  | ProjectNotFound
  | AccountNotActive
  | PspRejected
  | PspUnavailable

/** Opens charges and finds them. What happens to them later is the settler's. */
export class Charges extends Context.Service<
  Charges,
  {
    /** Stores the intent, asks the PSP, stores its answer. No transaction is open while the PSP is asked. */
    readonly create: (
      acting: ActingWallet,
      request: NewCharge
    ) => Effect.Effect<Charge, ChargeRefused | StorageError>
    /** Moves the end of a pending charge to now, so that it is worked off next. For sandboxes. */
    readonly endNow: (id: ChargeId) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/charges/Charges") {
  static readonly layer: Layer.Layer<Charges, never, Storage | PspDirectory | Ids | ServiceTime> =
    Layer.effect(
      Charges,
      Effect.gen(function* () {
        const storage = yield* Storage
        const directory = yield* PspDirectory
        const ids = yield* Ids
        const time = yield* ServiceTime

        const { intend, record } = writer(storage, ids)

        const create = Effect.fn("Charges.create")(function* (
          acting: ActingWallet,
          request: NewCharge
        ) {
          const { id: pspCredentialId, psp } = yield* choosePsp(directory, acting, request)
          yield* refuseUnlessOpen(acting, request)
          const now = yield* time.now
          const intent = yield* intend(yield* open(ids, acting, request, pspCredentialId, now))
          const outcome = yield* callPsp(psp.createCharge(pspRequest(intent.value)))
          const later = yield* time.now
          if (outcome._tag === "Rejected") {
            yield* Effect.orDie(record(intent, reject(intent.value, outcome.code, later)))
            return yield* new PspRejected({ code: outcome.code, reason: outcome.message })
          }
          if (outcome._tag !== "Done") {
            yield* Effect.logWarning(
              "The PSP did not answer a new charge; the janitor will ask it."
            ).pipe(
              Effect.annotateLogs({
                charge: intent.value.id,
                outcome: outcome._tag,
                detail: outcome.detail
              })
            )
            return yield* new PspUnavailable()
          }
          // The janitor was faster: what it decided stands, and nobody was told of this charge.
          return yield* record(intent, register(intent.value, outcome.value, later)).pipe(
            Effect.catchTag("StaleVersion", () => new PspUnavailable()),
            Effect.catchTag("StorageError", Effect.die)
          )
        })

        const endNow = Effect.fn("Charges.endNow")(function* (id: ChargeId) {
          yield* decideAgain(
            Effect.gen(function* () {
              const current = yield* storage.find(ChargeKind, id)
              if (current?.value.status !== "pending") return
              const now = yield* time.now
              const ended = endAt(current.value, now)
              yield* storage
                .commit({
                  id: yield* ids.next<UnitId>(),
                  at: now,
                  updates: [Kind.update(ChargeKind, current, ended)],
                  jobs: [
                    {
                      _tag: "Schedule",
                      queue: "charge",
                      id,
                      group: ended.account,
                      due: ended.expiresAt
                    }
                  ]
                })
                .pipe(refusedFor("StaleVersion"))
            })
          )
        })

        return Charges.of({ create, endNow })
      })
    )
}

/** The two commits of a new charge: what is intended, and what the PSP answered. */
const writer = (storage: Storage["Service"], ids: Ids["Service"]) => ({
  intend: Effect.fnUntraced(function* (charge: Charge) {
    const due = DateTime.addDuration(charge.createdAt, chargeLimits.creatingMax)
    yield* storage.commit({
      id: yield* ids.next<UnitId>(),
      at: charge.createdAt,
      inserts: [ChargeKind.row(charge)],
      jobs: [{ _tag: "Schedule", queue: "charge", id: charge.id, group: charge.account, due }]
    })
    return { value: charge, version: 1 }
  }, refusedFor()),

  record: Effect.fnUntraced(function* (intent: Kind.Versioned<Charge>, charge: Charge) {
    yield* storage.commit({
      id: yield* ids.next<UnitId>(),
      at: charge.updatedAt,
      updates: [Kind.update(ChargeKind, intent, charge)],
      jobs: [
        charge.status === "pending"
          ? {
              _tag: "Schedule",
              queue: "charge",
              id: charge.id,
              group: charge.account,
              due: charge.expiresAt
            }
          : { _tag: "Cancel", queue: "charge", id: charge.id }
      ]
    })
    return charge
  }, refusedFor("StaleVersion"))
})

const choosePsp = (
  directory: PspDirectory["Service"],
  acting: ActingWallet,
  request: NewCharge
): Effect.Effect<
  { readonly id: PspCredentialId; readonly psp: PspShape },
  PspCredentialNotFound
> => {
  const id = request.pspCredentialId ?? acting.account.value.pspCredentialId ?? directory.default
  const psp = directory.find(id)
  return psp === undefined
    ? Effect.fail(new PspCredentialNotFound({ id }))
    : Effect.succeed({ id, psp })
}

const refuseUnlessOpen = (
  acting: ActingWallet,
  request: NewCharge
): Effect.Effect<void, AccountNotActive | ProjectNotFound | AmountOutOfRange> => {
  const { limits, status } = acting.account.value
  if (request.projectId !== undefined)
    return Effect.fail(new ProjectNotFound({ id: request.projectId }))
  if (status !== "approved") return Effect.fail(new AccountNotActive({ status }))
  const limit = limits.charge
  if (limit?.min !== undefined && request.amount < limit.min) {
    return Effect.fail(new AmountOutOfRange({ bound: "min", limit: limit.min }))
  }
  return limit?.max !== undefined && request.amount > limit.max
    ? Effect.fail(new AmountOutOfRange({ bound: "max", limit: limit.max }))
    : Effect.void
}

const open = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  acting: ActingWallet,
  request: NewCharge,
  pspCredentialId: PspCredentialId,
  now: DateTime.Utc
): Effect.fn.Return<Charge> {
  const { amount, customer, description, expiresIn, externalReference, metadata, projectId } =
    request
  const expiresInSeconds = expiresIn ?? chargeLimits.expiresInDefault
  const isNamed =
    customer !== undefined && Object.values(customer).some((value) => value !== undefined)
  return new Charge({
    id: yield* ids.next<ChargeId>(),
    account: acting.account.value.id,
    wallet: walletOf(acting),
    ...(acting.subAccount === undefined ? {} : { subAccount: acting.subAccount.value.reference }),
    status: "creating",
    amount,
    ...(description === undefined ? {} : { description }),
    ...(externalReference === undefined ? {} : { externalReference }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(isNamed ? { customer, customerId: yield* ids.next<CustomerId>() } : {}),
    pspCredentialId,
    expiresAt: DateTime.add(now, { seconds: expiresInSeconds }),
    createdAt: now,
    updatedAt: now
  })
})

const pspRequest = (charge: Charge) => {
  const { document, name } = charge.customer ?? {}
  return {
    reference: charge.reference,
    amount: charge.amount,
    expiresInSeconds: secondsBetween(charge.createdAt, charge.expiresAt),
    ...(charge.description === undefined ? {} : { description: charge.description }),
    ...(document === undefined || name === undefined ? {} : { payer: { document, name } })
  }
}

const secondsBetween = (from: DateTime.Utc, to: DateTime.Utc): number =>
  (DateTime.toEpochMillis(to) - DateTime.toEpochMillis(from)) / 1_000
