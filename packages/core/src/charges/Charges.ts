import { Context, Effect, Layer } from "effect"
import type { PspGone } from "../accounts/AccountPsps.ts"
import { Accounts } from "../accounts/Accounts.ts"
import type { NotActive } from "../accounts/NotActive.ts"
import { mayStart } from "../accounts/NotActive.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { LimitReached } from "../accounts/PeriodLimit.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { ChargeId, CustomerId } from "../kernel/Ids.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import type { IdempotencyScope } from "../units/Unit.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { findNamed } from "../storage/FindNamed.ts"
import { Storage } from "../storage/Storage.ts"
import type { ProjectNotFound } from "../projects/Projects.ts"
import { Projects } from "../projects/Projects.ts"
import type { Charge } from "./Charge.ts"
import { ChargeKind, endAt } from "./Charge.ts"
import { makeIntents, PspUnavailable } from "./ChargeIntents.ts"
import type { PspCredentialNotFound, RoutedPsp } from "./ChargePsps.ts"
import { DefaultPspRules } from "../accounts/DefaultPspRules.ts"
import { chargeRoute } from "./ChargePsps.ts"
import type { SplitRefused } from "./ChargeSplits.ts"
import { destinationsOf } from "./ChargeSplits.ts"
import { lookAt } from "./ChargeWriter.ts"
import type { NewCharge } from "./NewCharge.ts"
import { accept, isNamed, mayCreate } from "./NewCharge.ts"
import { pspsPassedOver } from "../telemetry/Metrics.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

export type ChargeRefused =
  | LimitReached
  | PspCredentialNotFound
  | ProjectNotFound
  | NotActive
  | SplitRefused
  | PspGone
  | PspUnavailable

/** Opens charges and finds them. What happens to them later is the reconciler's. */
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
      id: ChargeId,
      scope: IdempotencyScope
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
      const routing = { directory, defaultRules: yield* DefaultPspRules }
      const projects = yield* Projects
      const ids = yield* Ids
      const time = yield* ServiceTime
      const intents = yield* makeIntents

      const create = spannedFn("Charges.create")(function* (
        acting: ActingWallet,
        request: NewCharge,
        key?: IdempotencyKey
      ) {
        const route = yield* chargeRoute(routing, acting.account.value, request)
        if (request.projectId !== undefined)
          yield* projects.find(walletOf(acting), request.projectId)
        yield* Effect.fromResult(mayCreate(request, acting.account.value))
        const begin = Effect.fnUntraced(function* (current: ActingWallet) {
          const destinations = yield* destinationsOf(accounts, current, request)
          const id = yield* ids.next<ChargeId>()
          const now = yield* time.now
          const routed = yield* route(id)
          const context = {
            account: current.account.value,
            subAccount: current.subAccount?.value,
            destinations,
            pspCredentialId: routed.id,
            id,
            now,
            customerId: isNamed(request.customer) ? yield* ids.next<CustomerId>() : undefined
          }
          const charge = yield* Effect.fromResult(accept(request, context))
          return { intent: yield* intents.begin(charge, current, key), routed }
        })
        const { intent, routed } = yield* Effect.catchTag(begin(acting), "StaleVersion", () =>
          decideAgain(Effect.flatMap(asItIsNow(storage, acting), begin))
        )
        if (routed.passedOver.length > 0) yield* countPassedOver(routed)
        return yield* intents.ask(intent, routed.psp)
      })

      const resume = Effect.fn("Charges.resume")(function* (id: ChargeId, scope: IdempotencyScope) {
        const found = yield* findNamed(storage, ChargeKind, id)
        const psp = directory.find(found.value.pspCredentialId)
        return yield* psp === undefined ? new PspUnavailable() : intents.resume(found, psp, scope)
      })

      return Charges.of({ create, resume, endNow: endingNow(storage, time) })
    })
  )
}

const endingNow = (storage: Storage["Service"], time: ServiceTime["Service"]) =>
  Effect.fn("Charges.endNow")(function* (id: ChargeId) {
    const current = yield* storage.find(ChargeKind, id)
    if (current?.value.status !== "pending") return
    const at = yield* time.now
    const ended = endAt(current.value, at)
    yield* storage
      .commit({
        at,
        updates: [Kind.update(ChargeKind, current, ended)],
        jobs: [lookAt(ended, ended.expiresAt)]
      })
      .pipe(refusedFor("StaleVersion"))
  }, decideAgain)

/** The wallet of a request whose sub-account was changed since it was read. */
const asItIsNow = Effect.fnUntraced(function* (storage: Storage["Service"], acting: ActingWallet) {
  const id = acting.subAccount?.value.id
  const subAccount = id && (yield* storage.find(SubAccountKind, id))
  yield* Effect.fromResult(mayStart({ subAccount: subAccount?.value }))
  return { ...acting, subAccount }
})

const countPassedOver = ({ passedOver }: RoutedPsp): Effect.Effect<void> =>
  Effect.forEach(passedOver, (psp) => pspsPassedOver.record(1, psp), { discard: true })
