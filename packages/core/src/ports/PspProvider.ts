import type { DateTime, Effect, Redacted, Scope } from "effect"
import { Schema } from "effect"
import type { Environment, PspShape } from "./Psp.ts"

/** What a PSP is made of, by the names of its fields: addresses and account, and secrets and certificates. */
export type PspSettings = Readonly<Record<string, string>>

/** What the operator keeps of a PSP, opened. */
export interface GivenPsp {
  readonly environment: Environment
  readonly settings: Redacted.Redacted<PspSettings>
  /** They were taken before, perhaps by a former version: what nothing reads among them is no reason to refuse them now. */
  readonly isKept?: boolean
}

export interface MadePsp {
  readonly psp: PspShape
  /** When the certificate that is among the settings ends. */
  readonly certificateEndsAt?: DateTime.Utc
}

/** The settings cannot be right. Each fault is a sentence that says what to change, and none repeats what was given. */
export class PspSettingsRefused extends Schema.TaggedError<PspSettingsRefused>()(
  "PspSettingsRefused",
  { faults: Schema.Array(Schema.String) }
) {}

/**
 * Makes PSPs of one kind, of credentials that the operator keeps in the service (decision 0108). It asks no bank: what it
 * makes is asked later. The same settings make the same PSP, in every process. What it acquires in its scope is released as
 * soon as the settings are rotated or revoked, and when the service stops.
 */
export interface PspProvider {
  readonly make: (given: GivenPsp) => Effect.Effect<MadePsp, PspSettingsRefused, Scope.Scope>
}

/** By the names under which the operator asks for them, such as `efi`. */
export type PspProviders = Readonly<Record<string, PspProvider>>
