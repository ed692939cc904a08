import type { BankInHand } from "@pagora/fake-bank"
import { WorldRefusal } from "@pagora/fake-bank"
import type { ServiceTime } from "@pagora/core"
import { DateTime, Effect } from "effect"

/** A fake bank under the hands of the sandbox. */
export interface BankAtHand {
  readonly bank: BankInHand
  /** Does something at the bank, at the time of the service, and waits until it is told. */
  readonly act: <A, E>(doing: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Brings the bank's clock to the service's. What falls due at the bank on the way is done. */
  readonly catchUp: Effect.Effect<void>
}

/** A callback that a fault makes slow is not waited for: who pays does not wait for it either. */
const toldWithin = "2 seconds"

export const atHand = (bank: BankInHand, time: ServiceTime["Service"]): BankAtHand => {
  const advance = Effect.gen(function* () {
    const behind = DateTime.toEpochMillis(yield* time.now) - bank.clock.now().getTime()
    yield* Effect.promise(() => bank.clock.advance(Math.max(0, behind)))
  })
  const told = Effect.timeoutOption(
    Effect.promise(() => bank.callbacks.idle()),
    toldWithin
  )
  return {
    bank,
    act: (doing) => Effect.tap(Effect.andThen(advance, doing), told),
    catchUp: Effect.asVoid(Effect.andThen(advance, told))
  }
}

/** What the world does not do fails as it does in the sandbox, where the sandbox has a word for it. */
export const attempt = <A, E>(
  doing: () => A,
  failureOf: (reason: WorldRefusal["reason"]) => E | undefined
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(doing())
    } catch (error) {
      const failure = error instanceof WorldRefusal ? failureOf(error.reason) : undefined
      return failure === undefined ? Effect.die(error) : Effect.fail(failure)
    }
  })
