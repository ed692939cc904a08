import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { oneFlight } from "../kernel/OneFlight.ts"
import type { PspBalance, PspShape } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { balanceOf, lastComparisons } from "../psp-reports/BalanceComparer.ts"
import type { BalanceComparison, Compared } from "../psp-reports/BalanceComparison.ts"
import { ledgerAtPsps } from "../psp-reports/LedgerAtPsps.ts"
import type { WaitingForMoney } from "../psp-reports/SentToPsps.ts"
import { underWayAtPsps, waitingAtPsps } from "../psp-reports/SentToPsps.ts"
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
  /** Withdrawals that its balance does not cover: how many, and their net amounts. */
  readonly waiting: WaitingForMoney
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
        const balances = makeBalances(time)

        const all = Effect.gen(function* () {
          const ledger = yield* ledgerAtPsps(storage, yield* time.now)
          const psps = directory.all.flatMap((id) => {
            const psp = directory.find(id)
            return psp === undefined ? [] : [{ id, psp }]
          })
          const asked = yield* Effect.forEach(
            psps,
            (one) => Effect.map(balances.of(one.psp), (balance) => ({ ...one, balance })),
            { concurrency: "unbounded" }
          )
          const underWayAt = yield* underWayAtPsps(storage)
          const waitingAt = yield* waitingAtPsps(storage)
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

/** A monitor that looks each second does not use up what the PSP allows in questions. */
const toldFor = Duration.seconds(5)

interface Told {
  readonly at: DateTime.Utc
  readonly balance: PspBalance
}

/** Time that went back tells nothing. */
const isFresh = ({ at }: Told, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThanOrEqualTo(now, at) &&
  DateTime.isLessThan(now, DateTime.addDuration(at, toldFor))

/**
 * What PSPs tell of their balances, each asked again once that is old; one that told nothing is asked at once, and by one of those
 * who want to know.
 */
const makeBalances = (time: ServiceTime["Service"]) => {
  const asking = (psp: PspShape): Effect.Effect<PspBalance | undefined> => {
    let told: Told | undefined
    const ask = oneFlight(
      Effect.gen(function* () {
        const at = yield* time.now
        const balance = yield* balanceOf(psp)
        told = balance && { at, balance }
        return balance
      })
    )
    return Effect.flatMap(time.now, (now) =>
      told !== undefined && isFresh(told, now) ? Effect.succeed(told.balance) : ask
    )
  }
  // Weak: one that is gone may hold secrets that were destroyed.
  const known = new WeakMap<PspShape, Effect.Effect<PspBalance | undefined>>()
  const of = (psp: PspShape): Effect.Effect<PspBalance | undefined> => {
    const balance = known.get(psp) ?? asking(psp)
    known.set(psp, balance)
    return balance
  }
  return { of }
}
