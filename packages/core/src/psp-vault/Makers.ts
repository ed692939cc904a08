import { Cause, Effect, Redacted, Schema, Scope } from "effect"
import { canonical } from "../kernel/CanonicalJson.ts"
import type { Environment, PspShape } from "../ports/Psp.ts"
import type { MadePsp, PspProviders, PspSettings } from "../ports/PspProvider.ts"
import { PspSettingsRefused } from "../ports/PspProvider.ts"
import type { SealBroken, Secrets } from "../ports/Secrets.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import type { SealedPlace, SealedSettings } from "./PspCredential.ts"
import { sealPlace } from "./PspCredential.ts"

/** Nothing here makes PSPs under this name. */
export class PspProviderUnknown extends Schema.TaggedError<PspProviderUnknown>()(
  "PspProviderUnknown",
  { provider: Schema.String, known: Schema.Array(Schema.String) }
) {}

const Settings = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const decodeSettings = Schema.decodeUnknownEffect(Settings)

/** How much of a keyed digest tells two sets of settings apart. */
const fingerprintDigits = 16

/** What is not longer may stand in any sentence. */
const secretLengthMin = 4
/** Of a text of several lines. */
const lineLengthMin = 8

/** Seals and opens settings, and makes PSPs of them. */
export const makersOf = (
  providers: PspProviders,
  secrets: Secrets["Service"],
  environment: Environment
) => {
  const make = Effect.fnUntraced(function* (
    provider: string,
    settings: Redacted.Redacted<PspSettings>,
    isKept = false
  ): Effect.fn.Return<MadePsp, PspProviderUnknown | PspSettingsRefused, Scope.Scope> {
    const maker = Object.hasOwn(providers, provider) ? providers[provider] : undefined
    if (maker === undefined)
      return yield* new PspProviderUnknown({ provider, known: Object.keys(providers) })
    const made = yield* Effect.suspend(() => maker.make({ environment, settings, isKept })).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(
            "What makes PSPs of a provider broke down.",
            safeCause(Cause.die(defect))
          ),
          new PspSettingsRefused({ faults: [brokenDown] })
        )
      ),
      Effect.mapError(({ faults }) => told(faults, settings))
    )
    const fault = faultOf(provider, made.psp, environment)
    return fault === undefined ? made : yield* new PspSettingsRefused({ faults: [fault] })
  })

  const seal = Effect.fnUntraced(function* (
    place: SealedPlace,
    settings: Redacted.Redacted<PspSettings>,
    { certificateEndsAt, psp }: MadePsp
  ): Effect.fn.Return<SealedSettings> {
    const text = Redacted.make(canonical(Redacted.value(settings)))
    const digest = yield* secrets.pepper(text)
    return {
      sealed: yield* secrets.seal(text, sealPlace(place)),
      // Without what names the key.
      fingerprint: digest.slice(digest.indexOf(":") + 1).slice(0, fingerprintDigits),
      identity: psp.identity,
      certificateEndsAt
    }
  })

  /** The PSP of settings that are kept. */
  const open = Effect.fnUntraced(function* (
    sealed: string,
    place: SealedPlace
  ): Effect.fn.Return<MadePsp, SealBroken | PspProviderUnknown | PspSettingsRefused, Scope.Scope> {
    const text = yield* secrets.open(sealed, sealPlace(place))
    const settings = yield* Effect.orDie(decodeSettings(Redacted.value(text)))
    return yield* make(place.provider, Redacted.make(settings), true)
  })
  return { make, seal, open }
}

export type Makers = ReturnType<typeof makersOf>

const brokenDown =
  "What makes PSPs of this provider broke down, which the log tells: it has a defect, or these settings are of a form that it does not foresee."

/** A key or a certificate may be quoted by a line of it. */
const linesOf = (value: string): ReadonlyArray<string> =>
  value.split(/\s*[\r\n]+\s*/u).filter(({ length }) => length >= lineLengthMin)

/** Whoever writes a provider may quote what it was given. */
const told = (
  faults: ReadonlyArray<string>,
  settings: Redacted.Redacted<PspSettings>
): PspSettingsRefused => {
  // One may be a part of another.
  const values = Object.values(Redacted.value(settings))
    .flatMap((value) => [value, ...linesOf(value)])
    .filter(({ length }) => length >= secretLengthMin)
    .toSorted((one, other) => other.length - one.length)
  return new PspSettingsRefused({
    faults: faults.map((fault) =>
      values.reduce((text, value) => text.replaceAll(value, "…"), fault)
    )
  })
}

const faultOf = (provider: string, psp: PspShape, environment: Environment): string | undefined => {
  if (psp.provider !== provider)
    return `The provider ${provider} makes a PSP that is called ${psp.provider}: give both one name.`
  return psp.environment === environment
    ? undefined
    : `The provider ${provider} makes a PSP of the environment ${psp.environment} in a deployment of ${environment}.`
}

const noProvider =
  "Nothing in its configuration makes PSPs of this provider: give it among pspProviders."

/** Why settings that are kept make no PSP here, and what to do. */
export const whyUnmade = (failure: Effect.Error<ReturnType<Makers["open"]>>): string => {
  switch (failure._tag) {
    case "SealBroken":
      return "They do not open: they were sealed under another master secret, or were changed in the database. Give the secret of that time among the former ones (formerSecrets, PAGORA_FORMER_SECRETS), or rotate them."
    case "PspProviderUnknown":
      return noProvider
    case "PspSettingsRefused":
      return failure.faults.join(" ")
  }
}
