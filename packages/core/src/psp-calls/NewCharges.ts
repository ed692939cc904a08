import { Clock, Duration, Effect, Exit } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { PspOutcome } from "../ports/Psp.ts"

const newChargeLimits = {
  /** After so many new charges on end that a PSP did not take, others of them go elsewhere, where they may. */
  untakenMax: 3,
  /** How long at first; twice as long after each that was tried then. */
  restFirst: Duration.seconds(5),
  restMax: Duration.seconds(60),
  /** Whoever goes away sooner has learnt nothing. */
  heardAfter: Duration.seconds(5)
} as const

/**
 * Whether a PSP takes new charges, as this process has met it (decision 0107). This is less than a circuit: whoever refuses at
 * once holds nobody up, so he is asked; but who has the choice goes elsewhere.
 */
export interface NewCharges {
  /** Whether one that may go elsewhere should come here. While none is taken this is one at a time, which tries it. */
  readonly isOneTaken: (now: bigint) => boolean
  readonly noted: <A>(asked: Effect.Effect<PspOutcome<A>>) => Effect.Effect<PspOutcome<A>>
}

/** What a PSP answers that has dealt with it. One that takes a charge later has not: the payer stands there now. */
const dealtWith: ReadonlySet<PspOutcome<unknown>["_tag"]> = new Set(["Done", "Rejected"])

export const makeNewCharges = (id: PspCredentialId): NewCharges => {
  let untaken = 0
  let restUntil: bigint | undefined
  let rest: Duration.Duration = newChargeLimits.restFirst

  const restFrom = (now: bigint) => {
    restUntil = now + Duration.toNanosUnsafe(rest)
    rest = Duration.min(Duration.times(rest, 2), newChargeLimits.restMax)
  }

  const taken = Effect.suspend(() => {
    untaken = 0
    if (restUntil === undefined) return Effect.void
    restUntil = undefined
    rest = newChargeLimits.restFirst
    return Effect.annotateLogs(Effect.logInfo("A PSP takes new charges again."), { psp: id })
  })

  const notTaken = (now: bigint): Effect.Effect<void> => {
    untaken++
    if (restUntil !== undefined || untaken < newChargeLimits.untakenMax) return Effect.void
    restFrom(now)
    return Effect.annotateLogs(
      Effect.logWarning("A PSP does not take new charges; those that may go elsewhere do."),
      { psp: id }
    )
  }

  const met = (exit: Exit.Exit<PspOutcome<unknown>>, begun: bigint, now: bigint) => {
    if (Exit.isSuccess(exit) && dealtWith.has(exit.value._tag)) return taken
    const isHeard = now - begun >= Duration.toNanosUnsafe(newChargeLimits.heardAfter)
    return Exit.hasInterrupts(exit) && !isHeard ? Effect.void : notTaken(now)
  }

  return {
    isOneTaken: (now) => {
      if (restUntil === undefined) return true
      if (now < restUntil) return false
      restFrom(now)
      return true
    },
    noted: (asked) =>
      Effect.flatMap(Clock.monotonicTimeNanos, (begun) =>
        Effect.onExit(asked, (exit) =>
          Effect.flatMap(Clock.monotonicTimeNanos, (now) => met(exit, begun, now))
        )
      )
  }
}
