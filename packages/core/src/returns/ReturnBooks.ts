import type { DateTime } from "effect"
import { Context, Effect, Layer } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import { ChargeKind } from "../charges/Charge.ts"
import type { Environment } from "../charges/ChargeEvents.ts"
import { Discrepancy, DiscrepancyKind, discrepancyKey } from "../discrepancies/Discrepancy.ts"
import { instantOf } from "../kernel/Ids.ts"
import type { DiscrepancyId, LedgerTxId, ReturnId, UnitId, Uuid } from "../kernel/Ids.ts"
import { Ids } from "../ports/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { PspRefund } from "../ports/Psp.ts"
import type { DuplicateKey, Refused, StorageError } from "../ports/Refused.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import type { JobWrite, Unit } from "../ports/Unit.ts"
import { refundCompleted } from "../refunds/RefundEvents.ts"
import { publish } from "../webhooks/Publisher.ts"
import type { Return } from "./Return.ts"
import { confirm, refuse, ReturnKind } from "./Return.ts"
import { leave, release } from "./ReturnLedger.ts"

export type LoadedReturn = Kind.Versioned<Return>

type Write<A = void> = Effect.Effect<A, Refused | StorageError>

/** Reads returns and writes what was decided about them, each decision in one commit. */
export class ReturnBooks extends Context.Service<
  ReturnBooks,
  {
    readonly load: (id: ReturnId) => Effect.Effect<LoadedReturn | undefined, StorageError>
    /** A change that moves no money. Answers the return as it is afterwards. */
    readonly write: (
      loaded: LoadedReturn,
      next: Return,
      jobs: ReadonlyArray<JobWrite>
    ) => Write<LoadedReturn>
    /** The payer has the money: postings and, for a refund, its fee, event and deliveries. */
    readonly confirm: (
      loaded: LoadedReturn,
      known: PspRefund,
      environment: Environment,
      jobs: ReadonlyArray<JobWrite>
    ) => Write
    /** The PSP definitely refused it; `jobs` follow from what became of it. What a failed refund held is free again. */
    readonly refuse: (
      loaded: LoadedReturn,
      code: string,
      jobs: (next: Return) => ReadonlyArray<JobWrite>
    ) => Write<Return>
    /** Records, once, that the PSP contradicts the end of it: `known` is what it says now. */
    readonly contradict: (
      money: Return,
      known: PspRefund | undefined,
      jobs: ReadonlyArray<JobWrite>
    ) => Write
    /** Changes only jobs. */
    readonly jobs: (jobs: ReadonlyArray<JobWrite>) => Write
  }
>()("@pagora/core/returns/ReturnBooks") {
  static readonly layer: Layer.Layer<ReturnBooks, never, Storage | Ids | ServiceTime> =
    Layer.effect(
      ReturnBooks,
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const time = yield* ServiceTime
        const report = reporter(storage, ids)

        const commit = (unit: Omit<Unit, "id">) =>
          Effect.flatMap(ids.next<UnitId>(), (id) => storage.commit({ ...unit, id }))

        const change = (
          loaded: LoadedReturn,
          next: Return,
          unit: Pick<Unit, "jobs" | "ledger" | "events" | "expects">
        ) =>
          commit({
            ...unit,
            at: next.updatedAt,
            updates: [Kind.update(ReturnKind, loaded, next)]
          })

        const write = (loaded: LoadedReturn, next: Return, jobs: ReadonlyArray<JobWrite>) =>
          Effect.as(change(loaded, next, { jobs }), { value: next, version: loaded.version + 1 })

        const confirmed = Effect.fn("ReturnBooks.confirm")(function* (
          loaded: LoadedReturn,
          known: PspRefund,
          environment: Environment,
          jobs: ReadonlyArray<JobWrite>
        ) {
          const next = confirm(loaded.value, known, yield* time.now)
          const ledger = leave(next, {
            money: yield* ids.next<LedgerTxId>(),
            fee: yield* ids.next<LedgerTxId>()
          })
          const told = next.purpose === "refund" ? yield* report(next, environment) : nobody
          const { events, expects } = told
          yield* change(loaded, next, { ledger, events, expects, jobs: [...jobs, ...told.jobs] })
        })

        const refused = Effect.fn("ReturnBooks.refuse")(function* (
          loaded: LoadedReturn,
          code: string,
          jobs: (next: Return) => ReadonlyArray<JobWrite>
        ) {
          const next = refuse(loaded.value, code, yield* time.now)
          const ledger =
            next.purpose === "refund" && next.status === "failed"
              ? [release(next, yield* ids.next<LedgerTxId>())]
              : []
          yield* change(loaded, next, { ledger, jobs: jobs(next) })
          return next
        })

        return ReturnBooks.of({
          load: (id) => storage.find(ReturnKind, id),
          write,
          confirm: confirmed,
          refuse: refused,
          contradict: contradicting(commit, ids),
          jobs: (jobs) => Effect.flatMap(time.now, (at: DateTime.Utc) => commit({ at, jobs }))
        })
      })
    )
}

const contradicting = (commit: (unit: Omit<Unit, "id">) => Write, ids: Ids["Service"]) =>
  Effect.fn("ReturnBooks.contradict")(function* (
    money: Return,
    known: PspRefund | undefined,
    jobs: ReadonlyArray<JobWrite>
  ) {
    const id = yield* ids.next<DiscrepancyId>()
    const at = instantOf(id)
    const discrepancy = new Discrepancy({
      id,
      account: money.account,
      wallet: money.wallet,
      subject: money.id,
      reason: money.status === "failed" ? "failed_but_paid" : "completed_but_rejected",
      evidence: JSON.stringify(
        known === undefined ? { status: "not_found" } : { ...known, amount: String(known.amount) }
      ),
      createdAt: at
    })
    const inserts = [DiscrepancyKind.row(discrepancy)]
    const keys = [discrepancyKey(discrepancy)]
    yield* commit({ at, inserts, keys, jobs }).pipe(
      Effect.catchIf(isKnown, () => commit({ at, jobs }))
    )
  })

const isKnown = (error: Refused | StorageError): error is DuplicateKey =>
  error._tag === "DuplicateKey" && error.space === "discrepancy"

const nobody = { events: [], expects: [], jobs: [] }

/** What tells the merchant of a refund, at the account's routes of now. */
const reporter = (storage: Storage["Service"], ids: Ids["Service"]) =>
  Effect.fnUntraced(function* (refund: Return, environment: Environment) {
    const charge = yield* there(storage, ChargeKind, refund.source)
    const account = yield* there(storage, AccountKind, refund.account)
    const { events, jobs } = yield* publish(ids, {
      account: account.value,
      event: refundCompleted(refund, charge.value, environment),
      at: refund.updatedAt
    })
    return { events, jobs, expects: [Kind.expectation(AccountKind, account)] }
  })

const there = <A>(storage: Storage["Service"], kind: Kind.Kind<A>, id: Uuid) =>
  Effect.flatMap(storage.find(kind, id), (found) =>
    found === undefined
      ? Effect.die(new Error(`The ${kind.name} ${id} is gone.`))
      : Effect.succeed(found)
  )
