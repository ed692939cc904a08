import { Effect } from "effect"
import type { Scope } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { StartError } from "../StartError.ts"

const busy = 5

/**
 * Holds a file for as long as the scope lasts, or the process: PGlite itself would let two processes write to
 * one directory, and each would lose what the other wrote. It is a lock of the operating system on an empty
 * SQLite database, so that it ends with its process, however that ends, and can never be left behind.
 */
export const lockFile = (
  path: string,
  directory: string
): Effect.Effect<void, StartError, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => take(path),
        catch: (error) => startErrorOf(error, path, directory)
      }),
      (lock) => Effect.sync(() => lock.close())
    )
  )

const take = (path: string): DatabaseSync => {
  const lock = new DatabaseSync(path)
  try {
    lock.exec("begin exclusive")
    writeFileSync(`${path}.pid`, String(process.pid))
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}

const startErrorOf = (error: unknown, path: string, directory: string): StartError => {
  const isBusy = error instanceof Error && "errcode" in error && error.errcode === busy
  const message = isBusy
    ? `The directory ${directory} is in use by process ${holder(path)}. Stop that process, or choose another ` +
      "directory. Several processes can share a PostgreSQL, but never an embedded database."
    : `The directory ${directory} cannot be used: ${error instanceof Error ? error.message : String(error)}.`
  return new StartError({ message, cause: error })
}

const holder = (path: string): string => {
  try {
    return readFileSync(`${path}.pid`, "utf8")
  } catch {
    return "of another user"
  }
}
