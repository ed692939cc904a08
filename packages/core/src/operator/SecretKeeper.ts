import type { DateTime } from "effect"
import { Effect, Redacted, Result, Schema } from "effect"
import { Uuid } from "../kernel/Ids.ts"
import { Secrets } from "../ports/Secrets.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import { Storage } from "../storage/Storage.ts"
import * as Kind from "../units/Kind.ts"
import { EndpointKind, sealPlace } from "../webhooks/Endpoint.ts"
import type { StorageError } from "../units/Refused.ts"

/** What the newest master secret makes of a text that everybody knows. Whoever has another one makes another mark. */
const SecretMark = Schema.Struct({ mark: Schema.String })

/** A deployment has one master secret at a time, so its mark has a fixed id: 9 is the count of changes of PSPs that are kept. */
const markId = Uuid.make("00000000-0000-7000-8000-00000000000a")

const SecretMarkKind: Kind.Kind<typeof SecretMark.Type> = Kind.make({
  name: "secret_mark",
  table: "registry",
  schema: SecretMark,
  columns: () => ({ id: markId, account: markId, wallet: null, status: "kept" })
})

const marked = Redacted.make("pagora/v1/mark of the master secret")

/** What is stored was sealed under a master secret that this process does not have. */
export class SecretMismatch extends Schema.TaggedError<SecretMismatch>()("SecretMismatch", {}) {
  override get message(): string {
    return "The secret is not the one that this database was last used with: client secrets, webhook secrets and credentials of PSPs that are kept do not open under it. Give that one back; to change it, give the new one as secret and the one of before in formerSecrets (PAGORA_SECRET and PAGORA_FORMER_SECRETS)."
  }
}

const look = Effect.gen(function* () {
  const secrets = yield* Secrets
  const stored = yield* (yield* Storage).find(SecretMarkKind, markId)
  const isKnown =
    stored === undefined ? opensNewest : secrets.matchesPepper(marked, stored.value.mark)
  return (yield* isKnown) ? stored : yield* new SecretMismatch()
})

/**
 * Whether the secret of the newest webhook endpoint opens. A storage that was last used by a release which left no mark tells by
 * that, or the first start with a wrong secret would leave its own.
 */
const opensNewest = Effect.gen(function* () {
  const storage = yield* Storage
  const [newest] = yield* storage.list(EndpointKind, { order: "desc", limit: 1 })
  if (newest === undefined) return true
  const secrets = yield* Secrets
  const { id, sealedSecret } = newest.value
  return Result.isSuccess(yield* Effect.result(secrets.open(sealedSecret, sealPlace(id))))
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
