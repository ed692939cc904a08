import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { ChosenPsp, PspGone } from "../accounts/AccountPsps.ts"
import { pspAskedFor, usualPsp } from "../accounts/AccountPsps.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { AccountNotActive, SubAccountNotActive } from "../accounts/NotActive.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import { outside } from "../accounts/PeriodLimit.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { ChargeId, CustomerId, ProjectId, PspCredentialId, UnitId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { circuitOf } from "../psp-calls/PspCircuit.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { ProjectNotFound } from "../projects/Projects.ts"
import { Projects } from "../projects/Projects.ts"
import type { Customer } from "./Charge.ts"
import { Charge, ChargeKind, endAt } from "./Charge.ts"
import { makeIntents, PspUnavailable } from "./ChargeIntents.ts"
import { chargeLimits } from "./ChargeLimits.ts"
import type { NewSplitLeg, SplitRefused } from "./ChargeSplits.ts"
import { splitFor } from "./ChargeSplits.ts"
import type { SplitLeg } from "./Split.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

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
  readonly split?: ReadonlyArray<NewSplitLeg>
}

export class PspCredentialNotFound extends Schema.TaggedError<PspCredentialNotFound>()(
  "PspCredentialNotFound",
  {
    id: Schema.String
  }
) {}

export type ChargeRefused =
  | LimitReached
  | PspCredentialNotFound
  | ProjectNotFound
  | AccountNotActive
  | SubAccountNotActive
  | SplitRefused
  | PspGone
  | PspUnavailable

/** Opens charges and finds them. What happens to them later is the settler's. */
export class Charges extends Context.Service<
  Charges,
  {
    /**
     * Stores the intent, asks the PSP, stores its answer. No transaction is open while the PSP is asked. The charge
     * is `pending`, or `failed` where the PSP definitely refused it.
     */
    readonly create: (
      acting: ActingWallet,
      request: NewCharge,
      key?: IdempotencyKey
    ) => Effect.Effect<Charge, ChargeRefused | IdempotencyKeyTaken | StorageError>
    /** Goes on with an intent that was left without an answer; undefined while somebody is at it. */
    readonly resume: (
      id: ChargeId
    ) => Effect.Effect<Charge | undefined, PspUnavailable | StorageError>
    /** Moves the end of a pending charge to now, so that it is worked off next. For sandboxes. */
    readonly endNow: (id: ChargeId) => Effect.Effect<void, StorageError>
  }
>()("@pagora/core/charges/Charges") {
  static readonly layer: Layer.Layer<
    Charges,
    never,
    Accounts | Storage | PspDirectory | Projects | Ids | ServiceTime
  > = Layer.effect(
    Charges,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const storage = yield* Storage
      const directory = yield* PspDirectory
      const projects = yield* Projects
      const ids = yield* Ids
      const time = yield* ServiceTime
      const intents = yield* makeIntents

      const create = spannedFn("Charges.create")(function* (
        acting: ActingWallet,
        request: NewCharge,
        key?: IdempotencyKey
      ) {
        const { id: pspCredentialId, psp } = yield* pspOf(directory, acting, request)
        // Nothing is begun at a PSP that nobody asks for now: this refusal leaves no doubt behind.
        if ((yield* circuitOf(psp)?.openFor ?? Effect.undefined) !== undefined)
          return yield* new PspUnavailable()
        if (request.projectId !== undefined)
          yield* projects.find(walletOf(acting), request.projectId)
        yield* refuseUnlessOpen(acting, request)
        const begin = Effect.fnUntraced(function* (current: ActingWallet) {
          const split = yield* splitFor(accounts, current, request)
          const charge = yield* open(ids, current, request, { pspCredentialId, split })
          return yield* intents.begin(charge, current, key)
        })
        const intent = yield* Effect.catchTag(begin(acting), "StaleVersion", () =>
          decideAgain(Effect.flatMap(asItIsNow(storage, acting), begin))
        )
        return yield* intents.ask(intent, psp)
      })

      const resume = Effect.fn("Charges.resume")(function* (id: ChargeId) {
        const found = yield* storage.find(ChargeKind, id)
        if (found === undefined) return yield* Effect.die(new Error(`Charge ${id} is gone.`))
        const psp = directory.find(found.value.pspCredentialId)
        return yield* psp === undefined ? new PspUnavailable() : intents.resume(found, psp)
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

      return Charges.of({ create, resume, endNow })
    })
  )
}

/** The wallet of a request whose sub-account was changed since it was read. */
const asItIsNow = Effect.fnUntraced(function* (storage: Storage["Service"], acting: ActingWallet) {
  const id = acting.subAccount?.value.id
  const subAccount = id && (yield* storage.find(SubAccountKind, id))
  if (subAccount !== undefined && subAccount.value.status !== "approved")
    return yield* new SubAccountNotActive(subAccount.value)
  return { ...acting, subAccount }
})

const pspOf = Effect.fnUntraced(function* (
  directory: PspDirectory["Service"],
  { account }: ActingWallet,
  { pspCredentialId: asked }: NewCharge
): Effect.fn.Return<ChosenPsp, PspCredentialNotFound | PspGone> {
  if (asked === undefined) return yield* usualPsp(directory, account.value)
  return (
    pspAskedFor(directory, account.value, asked) ??
    (yield* new PspCredentialNotFound({ id: asked }))
  )
})

const refuseUnlessOpen = (
  acting: ActingWallet,
  request: NewCharge
): Effect.Effect<void, AccountNotActive | LimitReached> => {
  const account = acting.account.value
  const { status } = account
  if (status !== "approved") return Effect.fail(new AccountNotActive({ status }))
  return outside("charge", account, request.amount) ?? Effect.void
}

const open = Effect.fnUntraced(function* (
  ids: Ids["Service"],
  acting: ActingWallet,
  request: NewCharge,
  decided: {
    readonly pspCredentialId: PspCredentialId
    readonly split: ReadonlyArray<SplitLeg> | undefined
  }
): Effect.fn.Return<Charge> {
  const { amount, customer, description, expiresIn, externalReference, metadata, projectId } =
    request
  const { pspCredentialId, split } = decided
  const expiresInSeconds = expiresIn ?? chargeLimits.expiresInDefault
  const isNamed =
    customer !== undefined && Object.values(customer).some((value) => value !== undefined)
  const id = yield* ids.next<ChargeId>()
  const createdAt = instantOf(id)
  return new Charge({
    id,
    account: acting.account.value.id,
    wallet: walletOf(acting),
    ...(acting.subAccount === undefined ? {} : { subAccount: acting.subAccount.value.reference }),
    status: "creating",
    amount,
    ...(description === undefined ? {} : { description }),
    ...(externalReference === undefined ? {} : { externalReference }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(split === undefined ? {} : { split }),
    ...(isNamed ? { customer, customerId: yield* ids.next<CustomerId>() } : {}),
    pspCredentialId,
    expiresAt: DateTime.add(createdAt, { seconds: expiresInSeconds }),
    createdAt,
    updatedAt: createdAt
  })
})
