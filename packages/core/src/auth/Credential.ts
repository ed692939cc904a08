import { Schema } from "effect"
import { AccountId, CredentialId } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"

/** What a credential may do (spec, Authentication; the two of webhooks are ours). FULL_ACCESS stands for all of them. */
export const permissions = [
  "TRANSACTION:READ",
  "PIX:WRITE",
  "WITHDRAWAL:WRITE",
  "REFUND:WRITE",
  "PROJECT:READ",
  "PROJECT:WRITE",
  "SUBACCOUNT:READ",
  "SUBACCOUNT:WRITE",
  "ACCOUNT:READ",
  "BALANCE_BLOCK:READ",
  "WEBHOOK:READ",
  "WEBHOOK:WRITE",
  "FULL_ACCESS"
] as const
export const Permission = Schema.Literals(permissions)
export type Permission = typeof Permission.Type

/** A client that may ask for tokens. Its id is the client_id. */
export class Credential extends Schema.Class<Credential>("@pagora/core/auth/Credential")({
  id: CredentialId,
  account: AccountId,
  /** Keyed digest of the client secret; the secret itself is never stored. */
  secretDigest: Schema.String,
  permissions: Schema.Array(Permission),
  /** Addresses and networks that may create withdrawals; absent: any. */
  allowedIps: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Whether X-Sub-Account may be used; no permission replaces it. */
  subAccountAccess: Schema.Boolean,
  status: Schema.Literals(["active", "revoked"]),
  createdAt: Schema.DateTimeUtcFromString,
  revokedAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
}) {}

export const CredentialKind: Kind.Kind<Credential> = Kind.make({
  name: "credential",
  table: "registry",
  schema: Credential,
  columns: (credential) => ({
    id: credential.id,
    account: credential.account,
    wallet: null,
    status: credential.status
  })
})

export const allows = (credential: Credential, permission: Permission): boolean =>
  credential.permissions.includes("FULL_ACCESS") || credential.permissions.includes(permission)
