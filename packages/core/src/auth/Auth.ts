import { Context, DateTime, Effect, Equal, Layer, Redacted, Schema } from "effect"
import { AccountKind } from "../accounts/Account.ts"
import type { Account } from "../accounts/Account.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { AccountId, CredentialId, isUuid } from "../kernel/Ids.ts"
import { Ids } from "../time/Ids.ts"
import type { Versioned } from "../units/Kind.ts"
import { isAsRead } from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { Recent } from "../kernel/Recent.ts"
import { Credential, CredentialKind } from "./Credential.ts"
import { spannedFn } from "../telemetry/SpanGuarder.ts"

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

const invalid = new InvalidToken({ reason: "invalid" })

/** No id that is ever made. */
const nobodyId = "00000000-0000-7000-8000-000000000000" as Uuid

/** Who calls, as the storage knows them at this moment. */
export interface Caller {
  readonly credential: Credential
  readonly account: Versioned<Account>
}

/** The caller of a token that is good by itself: as this process knew him last, and as he turns out to be now. */
export interface ClaimedCaller {
  readonly known: Caller | undefined
  /** The same value as `known`, where nothing has changed. */
  readonly live: Effect.Effect<Caller, InvalidToken | StorageError>
}

/** Callers that a process knows: those that it saw last, up to twice as many. */
const knownMax = 5_000

/** Exchanges client credentials for tokens, and tokens for callers. */
export class Auth extends Context.Service<
  Auth,
  {
    readonly exchange: (
      clientId: string,
      secret: Redacted.Redacted
    ) => Effect.Effect<Redacted.Redacted, InvalidCredentials | StorageError>
    /**
     * Asks now how the credential and its account stand, so that a revocation acts on the next request, and does not wait
     * for it.
     */
    readonly begin: (token: Redacted.Redacted) => Effect.Effect<ClaimedCaller, InvalidToken>
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
        // Compared against when the client is unknown, so that its refusal costs as much as that of one that is known.
        const nobody = new Credential({
          id: CredentialId.make(nobodyId),
          account: AccountId.make(nobodyId),
          secretDigest: yield* secrets.pepper(Redacted.make("nobody")),
          permissions: ["FULL_ACCESS"],
          subAccountAccess: false,
          status: "revoked",
          createdAt: yield* time.now
        })

        const exchange = spannedFn("Auth.exchange")(function* (
          clientId: string,
          secret: Redacted.Redacted
        ) {
          const found = yield* storage.find(CredentialKind, isUuid(clientId) ? clientId : nobodyId)
          const credential = found?.value ?? nobody
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

        const callers = callersIn(storage)
        const begin = Effect.fnUntraced(function* (
          token: Redacted.Redacted
        ): Effect.fn.Return<ClaimedCaller, InvalidToken> {
          const claims = yield* Effect.mapError(secrets.verifyToken(token), () => invalid)
          if (claims.iss !== "pagora" || claims.aud !== "pagora") return yield* invalid
          const now = DateTime.toEpochMillis(yield* time.now)
          if (now >= claims.exp * 1000) return yield* new InvalidToken({ reason: "expired" })
          const id = claims.sub
          if (!isUuid(id)) return yield* invalid
          return yield* callers(id)
        })
        return Auth.of({ exchange, begin })
      })
    )
}

/** Those who call, as this process knew them last and as they turn out to be now. */
const callersIn = (storage: Storage["Service"]) => {
  const known = new Recent<string, Caller>(knownMax)
  const standing = (
    caller: Caller | undefined,
    credential: Credential,
    account: Versioned<Account> | undefined
  ): Effect.Effect<Caller, InvalidToken> => {
    if (account === undefined) return Effect.fail(invalid)
    const isAsKnown =
      caller !== undefined &&
      Equal.equals(caller.credential, credential) &&
      isAsRead(caller.account, account)
    if (isAsKnown) return Effect.succeed(caller)
    const live = { credential, account }
    known.set(credential.id, live)
    return Effect.succeed(live)
  }

  return (id: Uuid): Effect.Effect<ClaimedCaller> => {
    const caller = known.get(id)
    return Effect.flatMap(storage.begin(CredentialKind, id), (begun) => {
      const claimed = (
        account: (of: Credential) => Effect.Effect<Versioned<Account> | undefined, StorageError>
      ): ClaimedCaller => ({
        known: caller,
        live: Effect.flatMap(begun, (found) =>
          found?.value.status === "active"
            ? Effect.flatMap(account(found.value), (of) => standing(caller, found.value, of))
            : Effect.fail(invalid)
        )
      })
      // Whose account a credential is for never changes: once that is known, both are asked for together.
      return caller === undefined
        ? Effect.succeed(claimed(({ account }) => storage.find(AccountKind, account)))
        : Effect.map(storage.begin(AccountKind, caller.account.value.id), (account) =>
            claimed(() => account)
          )
    })
  }
}
