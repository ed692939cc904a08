import { Effect } from "effect"
import type { Charge } from "../charges/Charge.ts"
import { afterPart, freeBeside } from "../charges/ChargeRefunds.ts"
import type { LedgerTxId, PspReturnId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { minus, plus, sum } from "../kernel/Money.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import type { Return } from "../returns/Return.ts"
import { forestalled, goesOn, isAtRest } from "../returns/Return.ts"
import { release } from "../returns/ReturnPostings.ts"
import type { LoadedReturn } from "../returns/ReturnWriter.ts"
import { withChange } from "../returns/ReturnWriter.ts"
import type { Ids } from "../time/Ids.ts"
import type { NewUnit } from "../units/Unit.ts"

/** What a decision makes of them: what the charge counts of them then, and what is written of each. */
interface AfterDecision {
  readonly noted: (charge: Charge) => Charge
  readonly unit: Required<Pick<NewUnit, "updates" | "ledger" | "jobs">>
}

interface Decided {
  readonly id: PspReturnId
  /** What of the return no block has given back. */
  readonly unclaimed: Centavos
  readonly at: NewUnit["at"]
}

/**
 * Refunds that were held back beside a return of the PSP, once a person has decided it: each goes on that what is left of
 * the payment covers, the oldest first, unless another return is undecided. The others fail, and what they held is free.
 */
export const afterDecision =
  (ids: Ids["Service"]) =>
  (
    charge: Charge,
    refunds: ReadonlyArray<LoadedReturn>,
    { at, id, unclaimed }: Decided
  ): Effect.Effect<AfterDecision> =>
    Effect.gen(function* () {
      const held = refunds.filter(({ value }) => isAtRest(value))
      const asked = sum(held.map(({ value }) => value.amount))
      let left = minus(plus(freeBeside(charge, asked), asked), unclaimed)
      let unit: NewUnit = { at }
      const ledger: Array<LedgerTx> = []
      const ends: Array<readonly [Return, Return]> = []
      const other = (charge.undecidedReturns ?? []).find((one) => one !== id)
      for (const refund of held.toSorted((one, two) => (one.value.id < two.value.id ? -1 : 1))) {
        const { account: group, amount, id: money } = refund.value
        if (amount <= left) {
          left = minus(left, amount)
          unit = withChange(unit, refund, goesOn(refund.value, other, at))
          const job = { queue: "return", id: money, group, due: at } as const
          unit = { ...unit, jobs: [...(unit.jobs ?? []), { _tag: "Schedule", ...job }] }
          continue
        }
        const failed = forestalled(refund.value, at)
        unit = withChange(unit, refund, failed)
        ledger.push(release(failed, yield* ids.next<LedgerTxId>()))
        ends.push([refund.value, failed])
      }
      return {
        noted: (known) => ends.reduce((so, [before, ended]) => afterPart(so, before, ended), known),
        unit: { updates: unit.updates ?? [], jobs: unit.jobs ?? [], ledger }
      }
    })
