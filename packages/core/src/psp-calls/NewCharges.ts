import { Clock, Duration, Effect, Exit } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { PspOutcome } from "../ports/Psp.ts"

const newChargeLimits = {
  /** After so many new charges on end that a PSP did not take, others of them go elsewhere, where they may. */
  untakenMax: 3,
  /** How long at first; twice as long after each that was tried then. */
  restFirst: Duration.seconds(5),
  restMax: Duration.seconds(60),
  /** A charge that was drawn to try it has begun by then, or was refused for a reason of its own: another one may try. */
  drawnBegins: Duration.seconds(1),
  /** Whoever goes away sooner has learnt nothing. */
  heardAfter: Duration.seconds(5)
} as const

/**
 * Whether a PSP takes new charges, as this process has met it (decision 0107). This is less than a circuit: whoever refuses at
 * once holds nobody up, so he is asked; but who has the choice goes elsewhere.
 */
export interface NewCharges {
  /**
   * Whether one that may go elsewhere should come here. While none is taken this is one after each rest, which tries it; the next
   * rest begins when that one was not taken, however long it took to learn so.
   */
  readonly isOneTaken: (now: bigint) => boolean
  readonly noted: <A>(asked: Effect.Effect<PspOutcome<A>>) => Effect.Effect<PspOutcome<A>>
}

/** What a PSP answers that has dealt with it. One that takes a charge later has not: the payer stands there now. */
const dealtWith: ReadonlySet<PspOutcome<unknown>["_tag"]> = new Set(["Done", "Rejected"])

export const makeNewCharges = (id: PspCredentialId): NewCharges => {
  let untaken = 0
  let restUntil: bigint | undefined
  let rest: Duration.Duration = newChargeLimits.restFirst
  /** Until when one that was drawn to try it is awaited. */
  let drawnUntil: bigint | undefined
  /** How many try it now. */
  let trying = 0

  const restFrom = (now: bigint) => {
    restUntil = now + Duration.toNanosUnsafe(rest)
    rest = Duration.min(Duration.times(rest, 2), newChargeLimits.restMax)
  }

  /** Whether whoever begins now finds out whether it is back. */
  const isRested = (now: bigint) => restUntil !== undefined && now >= restUntil

  const taken = Effect.suspend(() => {
    untaken = 0
    if (restUntil === undefined) return Effect.void
    restUntil = undefined
    rest = newChargeLimits.restFirst
    return Effect.annotateLogs(Effect.logInfo("A PSP takes new charges again."), { psp: id })
  })

  const notTaken = (begun: bigint, now: bigint): Effect.Effect<void> => {
    untaken++
    if (restUntil !== undefined) {
      // One that began before it had rested has told nothing new.
      if (isRested(begun)) restFrom(now)
      return Effect.void
    }
    if (untaken < newChargeLimits.untakenMax) return Effect.void
    restFrom(now)
    return Effect.annotateLogs(
      Effect.logWarning("A PSP does not take new charges; those that may go elsewhere do."),
      { psp: id }
    )
  }

  const met = (exit: Exit.Exit<PspOutcome<unknown>>, begun: bigint, now: bigint) => {
    if (Exit.isSuccess(exit) && dealtWith.has(exit.value._tag)) return taken
    const isHeard = now - begun >= Duration.toNanosUnsafe(newChargeLimits.heardAfter)
    return Exit.hasInterrupts(exit) && !isHeard ? Effect.void : notTaken(begun, now)
  }

  const begins = Effect.sync(() => {
    trying++
    drawnUntil = undefined
  })
  const ends = Effect.sync(() => {
    trying--
  })
  /** Whoever is cut off at any step has ended it: one that was left trying would keep all others away for good. */
  const tried = <A>(asked: Effect.Effect<A>) =>
    Effect.acquireUseRelease(
      begins,
      () => asked,
      () => ends
    )

  return {
    isOneTaken: (now) => {
      if (restUntil === undefined) return true
      if (!isRested(now) || trying > 0) return false
      if (drawnUntil !== undefined && now < drawnUntil) return false
      drawnUntil = now + Duration.toNanosUnsafe(newChargeLimits.drawnBegins)
      return true
    },
    noted: (asked) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (begun) =>
        Effect.onExit(isRested(begun) ? tried(asked) : asked, (exit) =>
          Effect.flatMap(Clock.monotonicTimeNanos, (now) => met(exit, begun, now))
        )
      )
  }
}
