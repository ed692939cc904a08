import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Kind, Storage, Uuid } from "@pagora/core"
import { Effect, Redacted, Schema } from "effect"

/** A file of the data directory cannot be read or written. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()(
  "DataDirectoryUnusable",
  {
    path: Schema.String,
    reason: Schema.String
  }
) {
  override get message(): string {
    return `${this.path} cannot be used (${this.reason}). Choose another directory with --data.`
  }
}

/** What is stored in the directory cannot do without the key that was in this file. */
const lost = (path: string, how: string) =>
  new DataDirectoryUnusable({ path, reason: `${how}; put back the key that was in it` })

/** What `pagora dev` needs to find again at its next start (decision 0016). */
export interface DevKeys {
  readonly secret: Redacted.Redacted
  readonly operatorKey: Redacted.Redacted
}

const fresh = (): string => randomBytes(32).toString("base64url")

/** Keys that end with the process. */
export const keysInMemory: Effect.Effect<DevKeys> = Effect.sync(() => ({
  secret: Redacted.make(fresh()),
  operatorKey: Redacted.make(`opk_${fresh()}`)
}))

/** Where the embedded database of a data directory is. */
export const dataIn = (directory: string): string => join(directory, "pglite")

/** Keys kept in files of the data directory that only their owner may read. */
export const keysInDirectory = Effect.fnUntraced(function* (directory: string) {
  yield* attempt(directory, () => mkdir(directory, { recursive: true, mode: 0o700 }))
  const secret = join(directory, "secret")
  // It is written before there are data: beside them it was there.
  if (existsSync(dataIn(directory)) && !existsSync(secret))
    return yield* lost(secret, "it is gone, and the data beside it was made under it")
  return {
    secret: Redacted.make(yield* kept(secret, fresh)),
    operatorKey: Redacted.make(yield* kept(join(directory, "operator-key"), () => `opk_${fresh()}`))
  }
})

const StoredKeys = Schema.Struct({ secret: Schema.String, operatorKey: Schema.String })

const keysId = Uuid.make("00000000-0000-7000-8000-000000000002")

const KeysKind: Kind.Kind<typeof StoredKeys.Type> = Kind.make({
  name: "dev_keys",
  table: "registry",
  schema: StoredKeys,
  columns: () => ({ id: keysId, account: keysId, wallet: null, status: "kept" })
})

/**
 * Keys kept in the sandbox's own database, since it outlives the process and there is no directory. They
 * guard play money only; a real deployment brings its secret from outside.
 */
export const keysInStorage = Effect.gen(function* () {
  const storage = yield* Storage
  const read = storage.find(KeysKind, keysId)
  if ((yield* read) === undefined) {
    const row = KeysKind.row({ secret: fresh(), operatorKey: `opk_${fresh()}` })
    yield* storage
      .commit({ at: yield* storage.clock.now, inserts: [row] })
      // Another process was first: its keys are everybody's.
      .pipe(Effect.catchTag("DuplicateKey", () => Effect.void))
  }
  const keys = yield* read
  if (keys === undefined)
    return yield* Effect.die(new Error("The keys of the sandbox were not kept."))
  return {
    secret: Redacted.make(keys.value.secret),
    operatorKey: Redacted.make(keys.value.operatorKey)
  }
})

const attempt = <A>(path: string, run: () => Promise<A>): Effect.Effect<A, DataDirectoryUnusable> =>
  Effect.tryPromise({
    try: run,
    catch: (error) =>
      new DataDirectoryUnusable({
        path,
        reason: (error as NodeJS.ErrnoException).code ?? String(error)
      })
  })

/**
 * Puts a text under a name that nothing has yet, whole or not at all, however the process ends. Where links are not known,
 * the last of several that do so at once wins.
 */
const writeOnce = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.${process.pid}`
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true })
    await link(draft, path).catch((error: NodeJS.ErrnoException) =>
      // Another process was first: its key is everybody's.
      error.code === "EEXIST" ? undefined : rename(draft, path)
    )
  } finally {
    await rm(draft, { force: true })
  }
}

/** Reads a key, or makes it once; of two processes that make it at once, one wins and both read that. */
const kept = Effect.fnUntraced(function* (path: string, make: () => string) {
  if (!existsSync(path)) yield* attempt(path, () => writeOnce(path, make()))
  yield* attempt(path, () => chmod(path, 0o600))
  const key = (yield* attempt(path, () => readFile(path, "utf8"))).trim()
  return key === "" ? yield* lost(path, "it is empty") : key
})
