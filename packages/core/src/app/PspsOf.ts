import { Effect, Layer } from "effect"
import { PspCredentialId } from "../kernel/Ids.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { SandboxSetup } from "../sandbox/index.ts"
import { offering } from "./Offering.ts"
import { PagoraError } from "./PagoraError.ts"
import type { PspOption, PspSetup } from "./PspOptions.ts"
import { directoryFault, isSetup, pspFault } from "./PspOptions.ts"

/**
 * The PSPs of a configuration without a service around them, for programs that look at them. What is wrong with the
 * configuration is said in one sentence (`INVALID_CONFIGURATION`).
 */
export const pspsOf = (
  psp: Exclude<PspOption, SandboxSetup>
): Layer.Layer<PspDirectory, unknown> => {
  const fault = pspFault(psp)
  if (fault !== undefined)
    return Layer.effect(PspDirectory, Effect.fail(new PagoraError("INVALID_CONFIGURATION", fault)))
  return isSetup(psp) ? directoryOf(psp) : looked(psp)
}

const directoryOf = ({ default: id, psps }: PspSetup): Layer.Layer<PspDirectory> =>
  Layer.succeed(PspDirectory, {
    default: PspCredentialId.make(id),
    all: Object.keys(psps).map((key) => PspCredentialId.make(key)),
    find: (wanted) => (Object.hasOwn(psps, wanted) ? psps[wanted] : undefined)
  })

/** A directory that comes as a layer, held to what a setup is held to. */
const looked = (psp: Layer.Layer<PspDirectory, unknown>) =>
  Layer.effect(
    PspDirectory,
    Effect.flatMap(PspDirectory, (directory) => {
      const fault = directoryFault(directory)
      return fault === undefined
        ? Effect.succeed(directory)
        : Effect.fail(new PagoraError("INVALID_CONFIGURATION", fault))
    })
  ).pipe(Layer.provide(offering(PspDirectory, psp, "psp", "PspDirectory")))
