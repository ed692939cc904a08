import type { Duration } from "effect"
import { Effect, Layer } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { PspInbox } from "../psp-inbox/PspInbox.ts"
import { SandboxPsp } from "../sandbox-psp/SandboxPsp.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** The sandbox PSP as the only one. */
export const layer = (credential: PspCredentialId): Layer.Layer<PspDirectory, never, SandboxPsp> =>
  Layer.effect(
    PspDirectory,
    Effect.map(SandboxPsp, ({ psp }) =>
      PspDirectory.of({
        default: credential,
        all: [credential],
        find: (id) => (id === credential ? psp : undefined)
      })
    )
  )

/** How soon the simulated PSP sees that a payout or a return has been under way for long enough. */
const settleEvery = "250 millis"
/** How long it waits before it tells once more of what nobody took note of. */
const resendEvery = "30 seconds"

/**
 * Ends payouts and returns as time passes (see `settleAfter` of `SandboxPsp`), and sends lost notices again. What another process left behind is in
 * the book, so any number of processes may do this, and one that starts goes on where one has stopped.
 */
export const settling: Layer.Layer<never, never, SandboxPsp> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { resend, settleSeen } = yield* SandboxPsp
    const again = <A>(work: Effect.Effect<A, StorageError>, every: Duration.Input) =>
      Effect.catchCause(work, (cause) =>
        Effect.logWarning(
          "The sandbox PSP could not do what is due; it tries again.",
          safeCause(cause)
        )
      ).pipe(Effect.andThen(Effect.sleep(every)), Effect.forever, underGuard, Effect.forkScoped)
    yield* again(settleSeen, settleEvery)
    yield* again(resend, resendEvery)
  })
)

/** Lets the simulated PSP notify the service, as a real one does by HTTP. */
export const attachInbox = (
  credential: PspCredentialId
): Layer.Layer<never, never, SandboxPsp | PspInbox> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sandbox = yield* SandboxPsp
      const inbox = yield* PspInbox
      yield* Effect.orDie(
        sandbox.attach((notification) =>
          inbox.receive(credential, notification).pipe(
            Effect.as(true),
            Effect.catchCause((cause) =>
              Effect.as(
                Effect.logWarning(
                  "A notification of the sandbox PSP was not taken.",
                  safeCause(cause)
                ),
                false
              )
            )
          )
        )
      )
    })
  )
