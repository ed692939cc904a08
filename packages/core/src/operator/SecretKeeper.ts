import type { DateTime } from "effect"
import { Effect, Redacted, Result, Schema } from "effect"
import { Uuid } from "../kernel/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"
import { PspCredentialKind, sealPlace as ofPsp } from "../psp-vault/PspCredential.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import { Storage } from "../storage/Storage.ts"
import * as Kind from "../units/Kind.ts"
import { EndpointKind, sealPlace as ofEndpoint } from "../webhooks/Endpoint.ts"
import type { StorageError } from "../units/Refused.ts"

/** What the newest master secret makes of a text that everybody knows. Whoever has another one makes another mark. */
const SecretMark = Schema.Struct({ mark: Schema.String })

/** A deployment has one master secret at a time, so its mark has a fixed id: 9 is the count of changes of PSPs that are kept. */
export const markId = Uuid.make("00000000-0000-7000-8000-00000000000a")

export const SecretMarkKind: Kind.Kind<typeof SecretMark.Type> = Kind.make({
  name: "secret_mark",
  table: "registry",
  schema: SecretMark,
  columns: () => ({ id: markId, account: markId, wallet: null, status: "kept" })
})

const marked = Redacted.make("pagora/v1/mark of the master secret")

/** What is stored was sealed under a master secret that this process does not have. */
export class SecretMismatch extends Schema.TaggedError<SecretMismatch>()("SecretMismatch", {}) {
  override get message(): string {
    return "The secret is not the one that this database was last used with: client secrets, webhook secrets and credentials of PSPs that are kept do not open under it. Give that one back; to change it, or while another process changes it, give the new one as secret and the one of before in formerSecrets (PAGORA_SECRET and PAGORA_FORMER_SECRETS). The guide to production says what to do where it is lost."
  }
}

/** What the owner of the schema writes in the place of the mark, where a master secret is lost for good. */
const lost = "lost"

const look = Effect.gen(function* () {
  const secrets = yield* Secrets
  const stored = yield* (yield* Storage).find(SecretMarkKind, markId)
  const mark = stored?.value.mark
  if (mark === lost || (mark !== undefined && (yield* secrets.matchesPepper(marked, mark))))
    return stored
  const found = yield* sealed
  const isKnown = found.length === 0 ? mark === undefined : yield* opensOne(found)
  return isKnown ? stored : yield* new SecretMismatch()
})

/** How many of the newest are tried at the most. */
const sealedMax = 100

/**
 * What is in use and was sealed under a master secret. It tells where the mark does not: a storage that was last used by a release
 * which left none, and one whose secret was changed while such a release used it.
 */
const sealed = Effect.gen(function* () {
  const storage = yield* Storage
  const newest = { order: "desc", limit: sealedMax } as const
  const endpoints = yield* storage.list(EndpointKind, newest)
  const credentials = yield* storage.list(PspCredentialKind, newest)
  return [
    ...endpoints.flatMap(({ value: { disabled, enabled, id, sealedSecret } }) =>
      enabled || disabled !== undefined ? [{ sealed: sealedSecret, place: ofEndpoint(id) }] : []
    ),
    ...credentials.flatMap(({ value }) =>
      value.sealedSettings === undefined
        ? []
        : [{ sealed: value.sealedSettings, place: ofPsp(value) }]
    )
  ]
})

/** One that opens is enough: others may be from before a change of the secret, and forgotten. */
const opensOne = Effect.fnUntraced(function* (all: Effect.Success<typeof sealed>) {
  const secrets = yield* Secrets
  for (const { place, sealed } of all)
    if (Result.isSuccess(yield* Effect.result(secrets.open(sealed, place)))) return true
  return false
})

/**
 * Fails where the newest master secret of the storage is not known here, neither as the secret nor as a former one
 * (decision 0015). It writes nothing: for programs that look at a deployment without starting it.
 */
export const knowsSecret: Effect.Effect<void, SecretMismatch | StorageError, Secrets | Storage> =
  Effect.asVoid(look)

/**
 * Refuses a start with a master secret that does not open what is stored, and makes ours the newest one of the storage
 * where it is another one that we know.
 */
export const keepSecret = Effect.fnUntraced(function* (
  at: DateTime.Utc
): Effect.fn.Return<void, SecretMismatch | StorageError, Secrets | Storage> {
  const storage = yield* Storage
  const mark = yield* (yield* Secrets).pepper(marked)
  const stored = yield* look
  if (stored?.value.mark === mark) return
  const changed =
    stored === undefined
      ? { inserts: [SecretMarkKind.row({ mark })] }
      : { updates: [Kind.update(SecretMarkKind, stored, { mark })] }
  yield* storage.commit({ at, ...changed }).pipe(
    refusedFor("DuplicateKey", "StaleVersion"),
    // Another process was first: what it has written must be known here, too.
    Effect.catchTags({ DuplicateKey: () => look, StaleVersion: () => look })
  )
})
