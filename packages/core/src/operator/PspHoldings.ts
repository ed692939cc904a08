import { Context, Effect, Layer } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { HeldAgainst } from "../psp-reports/BalanceComparer.ts"
import { allIn, heldAgainst, lastComparison } from "../psp-reports/BalanceComparer.ts"
import type { BalanceComparison } from "../psp-reports/BalanceComparison.ts"
import { ledgerAtPsps } from "../psp-reports/LedgerAtPsps.ts"
import { Storage } from "../storage/Storage.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import type { StorageError } from "../units/Refused.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"
import { WithdrawalKind } from "../withdrawals/Withdrawal.ts"

/** A PSP with what it holds and what it should hold. */
export interface PspHolding extends HeldAgainst {
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
          const unsent: Array<Withdrawal> = []
          for (const status of ["pending", "processing"])
            unsent.push(...(yield* allIn(storage, WithdrawalKind, status)))
          const short = unsent.filter(({ shortSince }) => shortSince !== undefined)
          const ofOne = Effect.fnUntraced(function* (id: PspCredentialId) {
            const psp = directory.find(id)
            if (psp === undefined) return []
            const held = yield* heldAgainst(storage, ledger, id, psp)
            const waiting = short.flatMap(({ netAmount, pspCredentialId }) =>
              pspCredentialId === id ? [netAmount] : []
            )
            const isDefault = id === directory.default
            const last = yield* lastComparison(storage, id)
            return [{ ...held, id, psp, isDefault, waiting, lastComparison: last }]
          })
          const found = yield* Effect.forEach(directory.all, ofOne, { concurrency: "unbounded" })
          return found.flat()
        })
        return PspHoldings.of({ all: Effect.withSpan(all, "PspHoldings.all") })
      })
    )
}
