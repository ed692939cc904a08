import type { DateTime } from "effect"
import { Schema } from "effect"
import { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { PspIdentity, PspShape } from "../ports/Psp.ts"
import * as Kind from "../units/Kind.ts"

/** How many PSPs one deployment keeps credentials of; those that are revoked do not count. */
export const keptMax = 100

/** How many it remembers, those included that are revoked: all are read at once. */
export const rememberedMax = 1_000

/** Credentials of a PSP that the operator keeps in the service. */
export class PspCredential extends Schema.Class<PspCredential>(
  "@pagora/core/psp-vault/PspCredential"
)({
  /** Of the row: under the id of a PSP other things of it may be kept. */
  id: Uuid,
  /** Under which charges remember the PSP. */
  psp: PspCredentialId,
  /** The name of what makes it. */
  provider: Schema.String,
  environment: Schema.Literals(["production", "sandbox"]),
  label: Schema.optionalKey(Schema.String),
  clientId: Schema.optionalKey(Schema.String),
  pspAccount: Schema.optionalKey(Schema.String),
  /** Tells one set of settings from the next, to those who have the deployment's secret. */
  fingerprint: Schema.String,
  certificateEndsAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  /** Absent once they are revoked: then nobody has them any more. */
  sealedSettings: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["active", "revoked"]),
  createdAt: Schema.DateTimeUtcFromString,
  rotatedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
}) {}

/** All that is kept belongs to the deployment, whose row counts the changes. Its id is fixed. */
export const vaultId = Uuid.make("00000000-0000-7000-8000-000000000009")

export const PspCredentialKind: Kind.Kind<PspCredential> = Kind.make({
  name: "psp_credential",
  table: "registry",
  schema: PspCredential,
  columns: ({ id, status }) => ({ id, account: vaultId, wallet: null, status })
})

const Vault = Schema.Struct({ changes: Schema.Int })

/** Written with each change, so that one look tells whether there was any, and no two are decided on the same state. */
export const VaultKind: Kind.Kind<typeof Vault.Type> = Kind.make({
  name: "psp_vault",
  table: "registry",
  schema: Vault,
  columns: () => ({ id: vaultId, account: vaultId, wallet: null, status: "kept" })
})

/** Where the settings of a PSP are sealed: they open under no other id, and for no other provider. */
export const sealPlace = ({ provider, psp }: SealedPlace): string =>
  `psp credential ${psp} of ${provider}`

export type SealedPlace = Pick<PspCredential, "psp" | "provider">

/** What is known of settings without telling them. */
export interface SealedSettings {
  readonly sealed: string
  readonly fingerprint: string
  readonly identity: PspIdentity | undefined
  readonly certificateEndsAt: DateTime.Utc | undefined
}

const settingsOf = ({ certificateEndsAt, fingerprint, identity, sealed }: SealedSettings) => ({
  sealedSettings: sealed,
  fingerprint,
  ...present({ clientId: identity?.clientId, pspAccount: identity?.account, certificateEndsAt })
})

export const added = (
  {
    label,
    ...named
  }: Pick<PspCredential, "id" | "psp" | "provider" | "environment"> & {
    readonly label: string | undefined
  },
  settings: SealedSettings,
  at: DateTime.Utc
): PspCredential =>
  new PspCredential({
    ...named,
    ...present({ label }),
    ...settingsOf(settings),
    status: "active",
    createdAt: at
  })

/** Other settings for the same PSP. One that was revoked is there again. */
export const rotated = (
  { createdAt, environment, id, label, provider, psp }: PspCredential,
  settings: SealedSettings,
  at: DateTime.Utc
): PspCredential =>
  new PspCredential({
    id,
    psp,
    provider,
    environment,
    ...present({ label }),
    ...settingsOf(settings),
    status: "active",
    createdAt,
    rotatedAt: at
  })

/** The settings go, and what is known of them stays. */
export const revoked = (
  { sealedSettings: _, ...credential }: PspCredential,
  at: DateTime.Utc
): PspCredential => new PspCredential({ ...credential, status: "revoked", revokedAt: at })

/** The same without its settings, for whatever keeps or shows it. */
export const unsealed = ({ sealedSettings: _, ...credential }: PspCredential): PspCredential =>
  new PspCredential(credential)

export const isActive = ({ status }: PspCredential): boolean => status === "active"

/** A PSP as far as it could be one with another. */
export interface NamedPsp {
  readonly id: PspCredentialId
  readonly provider: string
  readonly clientId: string | undefined
  /** Where the PSP has more than one under a client. */
  readonly account: string | undefined
}

/** One that is kept, as it could be one with another. */
export const namedAs = ({ clientId, provider, psp, pspAccount }: PspCredential): NamedPsp => ({
  id: psp,
  provider,
  clientId,
  account: pspAccount
})

export const namedBy = (id: PspCredentialId, { identity, provider }: PspShape): NamedPsp => ({
  id,
  provider,
  clientId: identity?.clientId,
  account: identity?.account
})

/** What two PSPs must not have in common. */
export const clashes = ["id", "clientId", "account"] as const
export type ClashBy = (typeof clashes)[number]

/**
 * Which of the others has the same id, or is the same client or account of the same provider: two of one account would each
 * take the payments of the other for money that nobody asked for.
 */
export const clashOf = (
  one: NamedPsp,
  others: ReadonlyArray<NamedPsp>
): { readonly other: NamedPsp; readonly by: ClashBy } | undefined => {
  for (const by of clashes) {
    const other = others.find(
      (each) =>
        one[by] !== undefined &&
        each[by] === one[by] &&
        (by === "id" || each.provider === one.provider)
    )
    if (other !== undefined) return { other, by }
  }
  return undefined
}
