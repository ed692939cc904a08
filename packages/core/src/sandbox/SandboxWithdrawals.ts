import { Effect, Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import type { Withdrawal } from "../withdrawals/Withdrawal.ts"
import { WithdrawalKind } from "../withdrawals/Withdrawal.ts"
import { PayoutWorker } from "../withdrawals/PayoutWorker.ts"
import { Withdrawals } from "../withdrawals/Withdrawals.ts"
import type { SandboxFault } from "../sandbox-psp/SandboxFault.ts"
import type { SandboxPayoutOutcome } from "../sandbox-psp/SandboxPayout.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"
import { SandboxCannotSettle } from "../sandbox-psp/SandboxSettler.ts"

export class SandboxNoWithdrawal extends Schema.TaggedError<SandboxNoWithdrawal>()(
  "SandboxNoWithdrawal",
  { id: Schema.String }
) {}

/** How often the service and its PSP are brought together, whatever faults spoil on the way. */
const triesMax = 50

/** What a hand at the controls can do to a withdrawal. */
export interface SandboxWithdrawals {
  /**
   * Ends a withdrawal like this, at the PSP and here. A call to the PSP that is still to be made is made first. Answers
   * once the outcome is committed, unless faults keep the service from learning of it: a notice that is forgotten is not
   * made up for here. What had failed here is ended at the PSP alone.
   */
  readonly settle: (
    id: Uuid,
    outcome: SandboxPayoutOutcome
  ) => Effect.Effect<Withdrawal, SandboxNoWithdrawal | SandboxCannotSettle | StorageError>
}

/** `unlessFaulty` waits for what another process may be doing. */
export const makeWithdrawalControls = Effect.fnUntraced(function* (
  unlessFaulty: <E>(
    isDone: Effect.Effect<boolean, E>,
    before: ReadonlyArray<SandboxFault>
  ) => Effect.Effect<void, E>
): Effect.fn.Return<SandboxWithdrawals, never, Storage | SandboxPsp | Withdrawals | PayoutWorker> {
  const storage = yield* Storage
  const psp = yield* SandboxPsp
  const withdrawals = yield* Withdrawals
  const worker = yield* PayoutWorker

  const withdrawalOf = Effect.fnUntraced(function* (id: Uuid) {
    const withdrawal = yield* storage.find(WithdrawalKind, id)
    return withdrawal === undefined ? yield* new SandboxNoWithdrawal({ id }) : withdrawal.value
  })

  const lookNow = (withdrawal: Withdrawal) =>
    Effect.andThen(withdrawals.lookNow(withdrawal), worker.drain)

  const endAtPsp = Effect.fnUntraced(function* (
    withdrawal: Withdrawal,
    outcome: SandboxPayoutOutcome
  ) {
    for (let tries = 0; tries < triesMax; tries++) {
      const ended = yield* psp
        .settlePayout(withdrawal.reference, outcome)
        .pipe(Effect.catchTag("SandboxPayoutNotFound", () => Effect.undefined))
      if (ended !== undefined) return
      yield* lookNow(withdrawal)
    }
    const { status } = yield* withdrawalOf(withdrawal.id)
    return yield* new SandboxCannotSettle({ what: "payout", status, outcome: outcome._tag })
  })

  const settle = Effect.fn("Sandbox.settleWithdrawal")(function* (
    id: Uuid,
    outcome: SandboxPayoutOutcome
  ) {
    yield* worker.drain
    const withdrawal = yield* withdrawalOf(id)
    const before = yield* psp.faults
    yield* endAtPsp(withdrawal, outcome)
    yield* worker.drain
    const isForgotten = before.some(({ kind, times }) => kind === "forget" && times !== 0)
    if (isForgotten || withdrawal.status === "failed") return yield* withdrawalOf(id)
    const isDone = Effect.map(withdrawalOf(id), ({ status }) => status === outcome._tag)
    // A notice that was lost is not waited for.
    for (let tries = 0; tries < triesMax && !(yield* isDone); tries++) yield* lookNow(withdrawal)
    yield* unlessFaulty(isDone, before)
    return yield* withdrawalOf(id)
  })
  return { settle }
})
