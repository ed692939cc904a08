import { Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { Account } from "../accounts/Account.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { AccountId, CredentialId, isUuid } from "../kernel/Ids.ts"
import { Ids } from "../ports/Ids.ts"
import type { Versioned } from "../ports/Kind.ts"
import type { StorageError } from "../ports/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../ports/ServiceTime.ts"
import { Storage } from "../ports/Storage.ts"
import { Credential, CredentialKind } from "./Credential.ts"

/** Seconds (spec, Limits). */
export const tokenLifetimeSeconds = 300

/** The pair of client_id and client_secret is not one of ours, whichever of the two is wrong. */
export class InvalidCredentials extends Schema.TaggedError<InvalidCredentials>()(
  "InvalidCredentials",
  {}
) {}

/** The token is missing, false, or its time is over. */
export class InvalidToken extends Schema.TaggedError<InvalidToken>()("InvalidToken", {
  reason: Schema.Literals(["invalid", "expired"])
}) {}

/** No id that is ever made. */
const nobodyId = "00000000-0000-7000-8000-000000000000" as Uuid

/** Who calls, as the storage knows them at this moment. */
export interface Caller {
  readonly credential: Credential
  readonly account: Versioned<Account>
}

/** Exchanges client credentials for tokens, and tokens for callers. */
export class Auth extends Context.Service<
  Auth,
  {
    readonly exchange: (
      clientId: string,
      secret: Redacted.Redacted
    ) => Effect.Effect<Redacted.Redacted, InvalidCredentials | StorageError>
    /** Reads the credential live, so that a revocation acts on the next request. */
    readonly authenticate: (
      token: Redacted.Redacted
    ) => Effect.Effect<Caller, InvalidToken | StorageError>
  }
>()("@pagora/core/auth/Auth") {
  static readonly layer: Layer.Layer<Auth, never, Storage | Secrets | ServiceTime | Ids> =
    Layer.effect(
      Auth,
      Effect.gen(function* () {
        const storage = yield* Storage
        const secrets = yield* Secrets
        const time = yield* ServiceTime
        const ids = yield* Ids
        // Read and compared against when the client is unknown, so that its refusal costs as much as any other.
        const nobody = CredentialKind.snapshot(
          new Credential({
            id: CredentialId.make(nobodyId),
            account: AccountId.make(nobodyId),
            secretDigest: yield* secrets.pepper(Redacted.make("nobody")),
            permissions: ["FULL_ACCESS"],
            subAccountAccess: false,
            status: "revoked",
            createdAt: yield* time.now
          })
        )

        const credentialOf = (id: string) =>
          isUuid(id) ? storage.find(CredentialKind, id) : Effect.succeed(undefined)

        const exchange = Effect.fn("Auth.exchange")(function* (
          clientId: string,
          secret: Redacted.Redacted
        ) {
          const found = yield* storage.find(CredentialKind, isUuid(clientId) ? clientId : nobodyId)
          const credential = found?.value ?? CredentialKind.fromSnapshot(nobody)
          const matches = yield* secrets.matchesPepper(secret, credential.secretDigest)
          if (!matches || credential.status !== "active") return yield* new InvalidCredentials()
          const now = Math.floor(DateTime.toEpochMillis(yield* time.now) / 1000)
          return yield* secrets.signToken({
            iss: "pagora",
            aud: "pagora",
            sub: credential.id,
            iat: now,
            exp: now + tokenLifetimeSeconds,
            jti: yield* ids.next<CredentialId>()
          })
        })

        const authenticate = Effect.fn("Auth.authenticate")(function* (token: Redacted.Redacted) {
          const invalid = new InvalidToken({ reason: "invalid" })
          const claims = yield* Effect.mapError(secrets.verifyToken(token), () => invalid)
          if (claims.iss !== "pagora" || claims.aud !== "pagora") return yield* invalid
          const now = DateTime.toEpochMillis(yield* time.now)
          if (now >= claims.exp * 1000) return yield* new InvalidToken({ reason: "expired" })
          const credential = yield* credentialOf(claims.sub)
          if (credential === undefined || credential.value.status !== "active")
            return yield* invalid
          const account = yield* storage.find(AccountKind, credential.value.account)
          if (account === undefined) return yield* invalid
          return { credential: credential.value, account }
        })
        return Auth.of({ exchange, authenticate })
      })
    )
}
