import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { AccountId, CredentialId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { decideAgain, refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import { Secrets } from "../ports/Secrets.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead } from "../ports/StorageDriver.ts"
import type { Permission } from "./Credential.ts"
import { Credential, CredentialKind } from "./Credential.ts"

export class CredentialNotFound extends Schema.TaggedError<CredentialNotFound>()(
  "CredentialNotFound",
  {
    id: Schema.String
  }
) {}

export interface NewCredential {
  readonly permissions: ReadonlyArray<Permission>
  readonly allowedIps?: ReadonlyArray<string>
  readonly subAccountAccess?: boolean
}

/** A fresh credential. The secret can be read here once and never again. */
export interface IssuedCredential {
  readonly credential: Credential
  readonly secret: Redacted.Redacted
}

/**
 * What an Idempotency-Key keeps of an issue, so that a repeat can be answered the same: the only place where a client
 * secret is stored, sealed (decision 0039).
 */
const Issue = Schema.fromJsonString(
  Schema.Struct({ credential: Schema.String, sealedSecret: Schema.String })
)
const encodeIssue = Schema.encodeSync(Issue)
const decodeIssue = Schema.decodeUnknownSync(Issue)

/** Where the secret of an issue is sealed: it opens nowhere else. */
const sealPlace = (id: CredentialId): string => `credential issue ${id}`

/** Issues and revokes the credentials of accounts. */
export class Credentials extends Context.Service<
  Credentials,
  {
    readonly issue: (
      account: Account,
      request: NewCredential,
      key?: IdempotencyKey
    ) => Effect.Effect<IssuedCredential, IdempotencyKeyTaken | StorageError>
    /** What an issue was answered, of its snapshot, in which the secret is sealed. */
    readonly reissued: (snapshot: string) => Effect.Effect<IssuedCredential>
    /** Those of an account, revoked ones included, newest first. */
    readonly page: (
      account: AccountId,
      page: PageRead
    ) => Effect.Effect<ReadonlyArray<Credential>, StorageError>
    readonly revoke: (
      account: Account,
      id: Uuid
    ) => Effect.Effect<void, CredentialNotFound | StorageError>
  }
>()("@pagora/core/auth/Credentials") {
  static readonly layer: Layer.Layer<Credentials, never, Storage | Secrets | Ids | ServiceTime> =
    Layer.effect(
      Credentials,
      Effect.gen(function* () {
        const storage = yield* Storage
        const time = yield* ServiceTime

        const revoke = Effect.fn("Credentials.revoke")(function* (account: Account, id: Uuid) {
          yield* decideAgain(
            Effect.gen(function* () {
              const current = yield* storage.find(CredentialKind, id)
              if (current?.value.account !== account.id)
                return yield* new CredentialNotFound({ id })
              if (current.value.status === "revoked") return
              const at = yield* time.now
              const next = new Credential({ ...current.value, status: "revoked", revokedAt: at })
              yield* storage
                .commit({
                  at,
                  updates: [Kind.update(CredentialKind, current, next)]
                })
                .pipe(refusedFor("StaleVersion"))
            })
          )
        })

        const page: Credentials["Service"]["page"] = (account, page) =>
          Effect.map(storage.list(CredentialKind, { ...page, account, order: "desc" }), (rows) =>
            rows.map(({ value }) => value)
          )
        return Credentials.of({ ...(yield* makeIssues), page, revoke })
      })
    )
}

/** What makes a secret, and tells it again. */
const makeIssues = Effect.gen(function* () {
  const storage = yield* Storage
  const secrets = yield* Secrets
  const ids = yield* Ids
  const time = yield* ServiceTime

  const sealed = Effect.fnUntraced(function* ({ credential, secret }: IssuedCredential) {
    const sealedSecret = yield* secrets.seal(secret, sealPlace(credential.id))
    return encodeIssue({ credential: CredentialKind.snapshot(credential), sealedSecret })
  })

  const reissued = Effect.fnUntraced(function* (snapshot: string) {
    const issue = decodeIssue(snapshot)
    const credential = CredentialKind.fromSnapshot(issue.credential)
    const secret = yield* Effect.orDie(secrets.open(issue.sealedSecret, sealPlace(credential.id)))
    return { credential, secret }
  })

  const issue = Effect.fn("Credentials.issue")(function* (
    account: Account,
    request: NewCredential,
    key?: IdempotencyKey
  ) {
    const now = yield* time.now
    // 256 random bits need no slow hash; the prefix lets secret scanners find a leaked one.
    const secret = Redacted.make(`psk_${yield* secrets.randomText(32)}`)
    const credential = new Credential({
      id: yield* ids.next<CredentialId>(),
      account: account.id,
      secretDigest: yield* secrets.pepper(secret),
      permissions: [...new Set(request.permissions)],
      // A list of nothing is no list.
      ...present({ allowedIps: request.allowedIps?.length === 0 ? undefined : request.allowedIps }),
      subAccountAccess: request.subAccountAccess ?? false,
      status: "active",
      createdAt: now
    })
    const issued = { credential, secret }
    yield* storage
      .commit({
        at: now,
        inserts: [CredentialKind.row(credential)],
        ...begun(key, credential.id, key === undefined ? null : yield* sealed(issued))
      })
      .pipe(keyTaken, refusedFor())
    return issued
  })
  return { issue, reissued }
})
