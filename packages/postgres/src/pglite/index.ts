import { PgClient } from "@effect/sql-pg"
import type { PGlite } from "@electric-sql/pglite"
import type { StorageDriver } from "@pagora/core"
import type { Layer, Scope } from "effect"
import { Effect } from "effect"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { runOver } from "../Database.ts"
import { migrate } from "../Migrations.ts"
import { layerOver } from "../SqlDriver.ts"
import { StartError } from "../StartError.ts"
import { lockFile } from "./DirectoryLock.ts"
import { copyTemplate, keepTemplate, openDatabase } from "./Template.ts"
import { wireStream } from "./WireStream.ts"

export { StartError } from "../StartError.ts"

export interface PgliteOptions {
  /** Where to keep the data. Without one it is kept in memory and gone with the process. */
  readonly dataDir?: string
  /**
   * A directory, of this user alone, in which a database is kept that has a schema and no content, some 2 MB. From the second
   * start on a new one is a copy of it, which takes a tenth of the time. Without it each new database is made from nothing.
   */
  readonly templates?: string
}

/** Nothing tidies up behind PGlite by itself, as PostgreSQL does. */
const vacuumEvery = "10 minutes"

/**
 * Keeps everything in a PostgreSQL inside this process: for development, demos and small loads. What was
 * acknowledged survives the death of the process, but not a power cut, because PGlite never waits for the disk.
 * One process at a time may use a directory.
 */
export const pglite = (options: PgliteOptions = {}): Layer.Layer<StorageDriver, StartError> =>
  layerOver(
    Effect.gen(function* () {
      const { database, isFresh } = yield* running(options)
      const sql = yield* client(database)
      yield* migrate(sql, "pagora")
      const { templates } = options
      if (isFresh && templates !== undefined)
        yield* Effect.promise(() => keepTemplate(database, templates))
      return { run: runOver(sql) }
    }),
    "pagora",
    "process",
    // There is one session, and no other server.
    { writesAtOnce: 1, mayHaveStandbys: false }
  )

/** A database that runs in this process. */
interface Running {
  readonly database: PGlite
  /** Whether it was made from nothing just now. */
  readonly isFresh: boolean
}

const running = ({ dataDir, templates }: PgliteOptions) =>
  Effect.acquireRelease(
    dataDir === undefined
      ? opened("memory", () => makeDatabase(undefined, templates))
      : openDirectory(dataDir, templates),
    ({ database }) => Effect.promise(() => database.close())
  )

const makeDatabase = async (
  data: string | undefined,
  templates: string | undefined
): Promise<Running> => {
  const copy = templates === undefined ? undefined : await copyTemplate(data, templates)
  return copy === undefined
    ? { database: await openDatabase(data), isFresh: true }
    : { database: copy, isFresh: false }
}

const client = Effect.fnUntraced(function* (database: PGlite) {
  const sql = yield* PgClient.make({
    username: "postgres",
    database: "postgres",
    ssl: false,
    stream: () => wireStream(database),
    // There is one session: a second connection would find itself in the first one's transactions.
    maxConnections: 1,
    minConnections: 1,
    idleTimeout: "Infinity"
  })
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.andThen(Effect.sleep(vacuumEvery), Effect.ignore(sql.unsafe("vacuum (analyze)")))
    )
  )
  return sql
})

const openDirectory = Effect.fnUntraced(function* (
  directory: string,
  templates: string | undefined
): Effect.fn.Return<Running, StartError, Scope.Scope> {
  yield* Effect.try({
    try: () => mkdirSync(directory, { recursive: true }),
    catch: (error) => cannotOpen(directory, error)
  })
  yield* lockFile(join(directory, "database.lock"), directory)
  const data = join(directory, "database")
  const isFresh = existsSync(data) ? false : yield* initialise(data, templates)
  // PostgreSQL's own lock says nothing here, as ours is held; one that a kill left empty would refuse every later start.
  yield* Effect.try({
    try: () => rmSync(join(data, "postmaster.pid"), { force: true }),
    catch: (error) => cannotOpen(data, error)
  })
  return yield* opened(data, async () => ({ database: await openDatabase(data), isFresh }))
})

/** A first start that is cut off leaves nothing that looks like a database. Answers whether it was made from nothing. */
const initialise = Effect.fnUntraced(function* (data: string, templates: string | undefined) {
  const draft = `${data}.new`
  yield* Effect.sync(() => rmSync(draft, { recursive: true, force: true }))
  const { database, isFresh } = yield* opened(draft, () => makeDatabase(draft, templates))
  yield* Effect.promise(() => database.close())
  yield* Effect.sync(() => renameSync(draft, data))
  return isFresh
})

const opened = (where: string, open: () => Promise<Running>): Effect.Effect<Running, StartError> =>
  Effect.tryPromise({ try: open, catch: (error) => cannotOpen(where, error) })

const cannotOpen = (where: string, error: unknown): StartError =>
  new StartError({
    message: `The embedded database in ${where} cannot be opened: ${error instanceof Error ? error.message : String(error)}.`,
    cause: error
  })
