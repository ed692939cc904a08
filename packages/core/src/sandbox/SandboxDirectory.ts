import { Effect, Layer } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import { PspInbox } from "../psp-inbox/PspInbox.ts"
import { SandboxPsp } from "./SandboxPsp.ts"

/** The sandbox PSP as the only one. */
export const layer = (credential: PspCredentialId): Layer.Layer<PspDirectory, never, SandboxPsp> =>
  Layer.effect(
    PspDirectory,
    Effect.map(SandboxPsp, ({ psp }) =>
      PspDirectory.of({ default: credential, find: (id) => (id === credential ? psp : undefined) })
    )
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
                Effect.logWarning("A notification of the sandbox PSP was not taken.", cause),
                false
              )
            )
          )
        )
      )
    })
  )
