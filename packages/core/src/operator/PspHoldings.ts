import { Context, Effect, Layer } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspBalance, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { balanceOf, lastComparisons } from "../psp-reports/BalanceComparer.ts"
import type { BalanceComparison, Compared } from "../psp-reports/BalanceComparison.ts"
import { ledgerAtPsps } from "../psp-reports/LedgerAtPsps.ts"
import { sentToPsps } from "../psp-reports/SentToPsps.ts"
import { Storage } from "../storage/Storage.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { StorageError } from "../units/Refused.ts"

/** A PSP with what it holds and what it should hold. */
export interface PspHolding extends Omit<Compared, "balance"> {
  /** Undefined where the PSP does not tell it now. */
  readonly balance: PspBalance | undefined
  readonly id: PspCredentialId
  readonly psp: PspShape
  readonly isDefault: boolean
  /** The net amounts of withdrawals that its balance does not cover. */
  readonly waiting: ReadonlyArray<Centavos>
  readonly lastComparison: BalanceComparison | undefined
}

/** Reads what PSPs hold, and what the ledger has there. */
export class PspHoldings extends Context.Service<
  PspHoldings,
  { readonly all: Effect.Effect<ReadonlyArray<PspHolding>, StorageError> }
>()("@pagora/core/operator/PspHoldings") {
  static readonly layer: Layer.Layer<PspHoldings, never, Storage | PspDirectory | ServiceTime> =
    Layer.effect(
      PspHoldings,
      Effect.gen(function* () {
        const storage = yield* Storage
        const directory = yield* PspDirectory
        const time = yield* ServiceTime

        const all = Effect.gen(function* () {
          const ledger = yield* ledgerAtPsps(storage, yield* time.now)
          const psps = directory.all.flatMap((id) => {
            const psp = directory.find(id)
            return psp === undefined ? [] : [{ id, psp }]
          })
          const asked = yield* Effect.forEach(
            psps,
            (one) => Effect.map(balanceOf(one.psp), (balance) => ({ ...one, balance })),
            { concurrency: "unbounded" }
          )
          const { underWayAt, waitingAt } = yield* sentToPsps(storage)
          const last = yield* lastComparisons(storage)
          return asked.map((one) => ({
            ...one,
            isDefault: one.id === directory.default,
            ledger: ledger.of(one.id),
            underWay: underWayAt(one.id),
            waiting: waitingAt(one.id),
            lastComparison: last(one.id)
          }))
        })
        return PspHoldings.of({ all: Effect.withSpan(all, "PspHoldings.all") })
      })
    )
}
