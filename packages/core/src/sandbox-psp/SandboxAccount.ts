import { Effect } from "effect"
import type { Centavos } from "../kernel/Money.ts"
import { plus } from "../kernel/Money.ts"
import type { PspBalance, PspShape } from "../ports/Psp.ts"
import { done, PspOutcome } from "../ports/Psp.ts"

/**
 * What the account at the simulated PSP holds. It is not kept before a hand sets it: until then there is always enough, and
 * nothing is told. Like the faults it belongs to one process, and ends with it.
 */
export interface SandboxAccount {
  readonly current: Effect.Effect<PspBalance | undefined>
  readonly set: (balance: PspBalance) => Effect.Effect<void>
  /** Money that came in, or, below zero, that left; once under each name. */
  readonly moved: (name: string, amount: Centavos) => Effect.Effect<void>
}

export const makeAccount = (): SandboxAccount => {
  let kept: PspBalance | undefined
  let names = new Set<string>()
  return {
    current: Effect.sync(() => kept),
    set: (balance) =>
      Effect.sync(() => {
        kept = balance
        names = new Set()
      }),
    moved: (name, amount) =>
      Effect.sync(() => {
        if (kept === undefined || names.has(name)) return
        names.add(name)
        kept = { ...kept, available: plus(kept.available, amount) }
      })
  }
}

/** The call about what is there. No fault spoils it: those that name no operation are meant for what moves money. */
export const balanceOf =
  (account: SandboxAccount): NonNullable<PspShape["balance"]> =>
  () =>
    Effect.map(account.current, (kept) => (kept === undefined ? notKept : done(kept)))

const notKept = PspOutcome.rejected(
  "NOT_KEPT",
  "There is enough for everything: no hand has set a balance."
)
