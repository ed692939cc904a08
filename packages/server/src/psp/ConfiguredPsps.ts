import type { PspCredentialId, PspShape } from "@pagora/core"
import { isSandbox, PspDirectory, pspsOf } from "@pagora/core"
import { Effect, Layer } from "effect"
import { CommandFailed } from "../commands/CommandFailed.ts"
import type { ServeConfig } from "../serve/ServeConfig.ts"
import { configOf } from "../serve/BankConfig.ts"
import { readBank } from "../serve/Settings.ts"

/** One PSP of a configuration. */
export interface ConfiguredPsp {
  readonly id: PspCredentialId
  readonly isDefault: boolean
  readonly psp: PspShape
}

/** The PSPs of a configuration, the default one first; none where it only plays (`sandbox()`). */
export const pspsIn = Effect.fnUntraced(function* ({ psp }: ServeConfig) {
  if (psp !== undefined && typeof psp === "object" && isSandbox(psp)) return []
  const context = yield* Effect.mapError(Layer.build(pspsOf(psp)), failed)
  const directory = yield* Effect.provideContext(PspDirectory, context)
  return directory.all
    .flatMap((id): ReadonlyArray<ConfiguredPsp> => {
      const found = directory.find(id)
      return found === undefined ? [] : [{ id, isDefault: id === directory.default, psp: found }]
    })
    .toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault))
})

/** The PSPs that a file or the environment names, or the one of them that is asked for. */
export const configuredPsps = Effect.fnUntraced(function* (
  config: string | undefined,
  only: string | undefined
) {
  const settings = yield* Effect.mapError(readBank(process.env), failed)
  const configured = Effect.mapError(configOf(settings, config, process.cwd()), failed)
  const all = yield* Effect.flatMap(configured, pspsIn)
  if (all.length === 0)
    return yield* new CommandFailed({
      message:
        "The configuration plays with sandbox(), where there is nothing to set up: name a bank in it, or another file with --config."
    })
  const wanted = all.filter(({ id }) => only === undefined || id === only)
  if (wanted.length > 0) return wanted
  return yield* new CommandFailed({
    message: `The configuration has no PSP ${only}: it has ${all.map(({ id }) => id).join(", ")}.`
  })
})

const failed = (error: unknown) =>
  new CommandFailed({ message: error instanceof Error ? error.message : String(error) })
