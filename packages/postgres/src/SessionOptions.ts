import { Duration } from "effect"
import { StartError } from "./StartError.ts"

/** How a session with PostgreSQL is set, and how long what is asked of it may take. */
export interface SessionOptions {
  /**
   * Whether statements are prepared by name, and the session's settings sent when it begins. Default true. `false` for a
   * pooler that hands a session over after each transaction: then the settings must be those of the role.
   */
  readonly prepare?: boolean
  /** What a commit waits for. Default `on`: the disk, and that of synchronous standbys. `remote_apply` is more. */
  readonly synchronousCommit?: "on" | "remote_apply"
  /** How long a connection may take to be opened, and its settings to be looked at. Default 3 seconds. */
  readonly connectTimeout?: Duration.Input
  /** After so long a statement waits for a lock no more. Default 1 second. It must be shorter than `statementTimeout`. */
  readonly lockTimeout?: Duration.Input
  /** After so long the server gives a statement up, and says so. Default 4 seconds. */
  readonly statementTimeout?: Duration.Input
  /**
   * After so long without an answer a connection counts as dead and is closed. Default 5 seconds. It must be longer than
   * `statementTimeout`, so that a server that lives always answers first and the outcome of a write is known.
   */
  readonly answerTimeout?: Duration.Input
  /** How long a connection is silent before the kernels ask each other whether it is still there. Default 5 seconds. */
  readonly keepAlive?: Duration.Input
  /** How long a start waits for the database to be there. Default 30 seconds. */
  readonly startTimeout?: Duration.Input
}

/** The same, complete, in milliseconds. */
export interface SessionTimes {
  readonly connect: number
  readonly lock: number
  readonly statement: number
  readonly answer: number
  readonly keepAlive: number
  readonly start: number
}

export const timesOf = (options: SessionOptions): SessionTimes => {
  const millis = (input: Duration.Input | undefined, otherwise: number): number =>
    input === undefined ? otherwise : Duration.toMillis(Duration.fromInputUnsafe(input))
  return {
    connect: millis(options.connectTimeout, 3_000),
    lock: millis(options.lockTimeout, 1_000),
    statement: millis(options.statementTimeout, 4_000),
    answer: millis(options.answerTimeout, 5_000),
    keepAlive: millis(options.keepAlive, 5_000),
    start: millis(options.startTimeout, 30_000)
  }
}

/** What is wrong with the times among each other. */
export const timesFault = ({ answer, lock, statement }: SessionTimes): StartError | undefined =>
  lock > 0 && lock < statement && statement < answer
    ? undefined
    : new StartError({
        message:
          "The times of postgres() do not fit together: lockTimeout must be more than 0 and shorter than statementTimeout, so that what is locked is set aside and holds up nothing else; statementTimeout must be shorter than answerTimeout, so that the server always gives up first."
      })

/** A transaction of ours is one statement, or a few without a wait between them. */
const idleInTransactionMax = 10_000

/** Every setting that our statements rest on, whatever the server, the database, the role or the URL say. */
export const settingsOf = (
  { synchronousCommit = "on" }: SessionOptions,
  { lock, statement }: SessionTimes
): Readonly<Record<string, string>> => ({
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  idle_in_transaction_session_timeout: String(idleInTransactionMax),
  lock_timeout: String(lock),
  // Every name in our statements has its schema. Nobody's functions or operators come before the server's own.
  search_path: "pg_catalog, pg_temp",
  statement_timeout: String(statement),
  synchronous_commit: synchronousCommit,
  timezone: "UTC"
})

/** What a client whose machine is gone leaves open, locks too, ends soon. Nothing rests on these. */
export const keepAliveOf = ({ keepAlive }: SessionTimes): Readonly<Record<string, string>> => ({
  tcp_keepalives_idle: String(Math.max(1, Math.round(keepAlive / 1000))),
  tcp_keepalives_interval: "2",
  tcp_keepalives_count: "5"
})

/** Names and values as they stand in a statement. */
const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** The statements that give a role these settings for its sessions in this database. */
export const roleSettings = (
  role: string,
  database: string,
  settings: Readonly<Record<string, string>>
): ReadonlyArray<string> => {
  const named = (name: string) => `"${name.replaceAll('"', '""')}"`
  return Object.entries(settings).map(
    ([name, value]) =>
      `alter role ${named(role)} in database ${named(database)} set ${name} = ${name === "search_path" ? value : literal(value)}`
  )
}
