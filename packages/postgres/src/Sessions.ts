import { PgConnection } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Pool, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Socket } from "node:net"
import { connect } from "node:net"
import type { Answer, Failure, Run } from "./Database.ts"
import { failureOf, notSent } from "./Database.ts"
import type { SessionTimes } from "./SessionOptions.ts"
import { heldSettings } from "./SessionSettings.ts"
import type { StartError } from "./StartError.ts"

/** What of a connection is ours to know: its wire, and when it was last heard. */
interface Session {
  readonly connection: PgConnection.PgConnection
  readonly socket: Socket
  isBusy: boolean
  /** Of `performance.now()`. */
  heard: number
}

/** How sessions are opened. */
interface SessionPlan {
  readonly config: PgConnection.Config & { readonly url: Redacted.Redacted }
  readonly settings: Readonly<Record<string, string>>
  readonly times: SessionTimes
}

interface Sessions {
  readonly run: Run
  /** Whether a session can be had, and is as it must be. */
  readonly check: Effect.Effect<void, SqlError | StartError>
}

/** How long a connection that nobody uses is kept. */
const idleMax = "60 seconds"

/**
 * Sessions with PostgreSQL, at most so many. A statement has the time that it is given; when that is over, its connection
 * is dead and is closed, and so are the idle ones that were heard of no more since: after a fail-over all of them are as
 * dead, and each would cost somebody the same time again (decision 0061).
 */
export const makeSessions = Effect.fnUntraced(function* (
  { config, settings, times }: SessionPlan,
  max: number
): Effect.fn.Return<Sessions, never, Scope.Scope> {
  const sessions = new Set<Session>()
  const asked = asking(sessions)
  const runFork = Effect.runForkWith(yield* Effect.context())

  const open = Effect.gen(function* () {
    const begun = performance.now()
    // What cancels a statement dials again; the first wire is that of the session.
    const sockets: Array<Socket> = []
    const connection = yield* PgConnection.make({
      ...config,
      stream: () => {
        const socket = dial(Redacted.value(config.url), times.keepAlive)
        sockets.push(socket)
        return socket
      }
    })
    const [socket] = sockets
    if (socket === undefined) return yield* Effect.die(new Error("A connection without a wire."))
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        // The driver has said goodbye; a peer that is gone would never answer.
        setTimeout(() => socket.destroy(), goodbyeMillis).unref()
      })
    )
    // The pool opens nothing else meanwhile.
    const timer = setTimeout(() => socket.destroy(), begun + times.connect - performance.now())
    yield* heldSettings((text, parameters) => connection.query(text, parameters), settings).pipe(
      Effect.ensuring(Effect.sync(() => clearTimeout(timer)))
    )
    const session: Session = { connection, socket, isBusy: false, heard: performance.now() }
    sessions.add(session)
    socket.once("close", () => {
      sessions.delete(session)
      runFork(Pool.invalidate(pool, session))
    })
    return session
  })
  const pool: Pool.Pool<Session, SqlError | StartError> = yield* Pool.makeWithTTL({
    acquire: open,
    min: 0,
    max,
    timeToLive: idleMax,
    timeToLiveStrategy: "usage"
  })

  const lent = lending(pool, times.answer)
  const run: Run = (text, parameters, patience) =>
    Effect.suspend(() => {
      // Not as what the scope ends with: it would be kept as long as the scope, which V8 takes for long-lived.
      let rows: ReadonlyArray<Answer> = []
      const asking = Effect.flatMap(lent, (session) =>
        patience === undefined || patience <= times.answer
          ? asked(session, patience ?? times.answer, (connection) =>
              Effect.map(
                connection.query(text, parameters),
                (result) => result.rows as ReadonlyArray<Answer>
              )
            )
          : asked(session, patience, (connection) =>
              patiently(connection, patience, text, parameters)
            )
      )
      const kept = Effect.map(asking, (all) => {
        rows = all
      })
      return Effect.map(Effect.scoped(kept), () => rows)
    })
  return { run, check: Effect.asVoid(Effect.scoped(Pool.get(pool))) }
})

/** Asks in a session for as long as is given, and ends what is dead. */
const asking = (sessions: ReadonlySet<Session>) => {
  const endSince = (asked: number): void => {
    for (const session of sessions) {
      if (!session.isBusy && session.heard < asked) session.socket.destroy()
    }
  }

  return (
    session: Session,
    millis: number,
    ask: (connection: PgConnection.PgConnection) => Effect.Effect<ReadonlyArray<Answer>, SqlError>
  ): Effect.Effect<ReadonlyArray<Answer>, Failure> =>
    Effect.suspend(() => {
      const begun = performance.now()
      session.isBusy = true
      const timer = setTimeout(() => {
        session.socket.destroy()
        endSince(begun)
      }, millis)
      return ask(session.connection).pipe(
        Effect.mapError(failureOf),
        // The server may get the news of it late, in the middle of what somebody else asks.
        Effect.onInterrupt(() => Effect.sync(() => session.socket.destroy())),
        Effect.ensuring(
          Effect.sync(() => {
            clearTimeout(timer)
            session.isBusy = false
            session.heard = performance.now()
          })
        )
      )
    })
}

/** Sessions to use, waited for so many milliseconds at most. */
const lending = (
  pool: Pool.Pool<Session, SqlError | StartError>,
  most: number
): Effect.Effect<Session, Failure, Scope.Scope> => {
  /** One that is open; a wire that was closed while nobody used it is no answer to anybody. */
  const lent: Effect.Effect<Session, Failure, Scope.Scope> = Pool.get(pool).pipe(
    Effect.tapError((error) =>
      error._tag === "StartError" ? Effect.logError(error.message) : Effect.void
    ),
    Effect.mapError(notSent),
    Effect.timeoutOrElse({
      duration: most,
      orElse: () => Effect.fail(notSent(new Error("no connection became free")))
    }),
    Effect.flatMap((session) =>
      session.socket.destroyed
        ? Effect.andThen(Pool.invalidate(pool, session), lent)
        : Effect.succeed(session)
    )
  )
  return lent
}

const goodbyeMillis = 1_000

/** A statement that may take longer than others, and says so to the server. */
const patiently = (
  connection: PgConnection.PgConnection,
  patience: number,
  text: string,
  parameters: ReadonlyArray<unknown>
): Effect.Effect<ReadonlyArray<Answer>, SqlError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const own = yield* connection.pin
      yield* own.query("begin")
      const { rows } = yield* Effect.andThen(
        own.query(`set local statement_timeout = ${Math.round(patience)}`),
        own.query(text, parameters)
      ).pipe(Effect.onError(() => Effect.ignore(own.query("rollback"))))
      yield* own.query("commit")
      return rows as ReadonlyArray<Answer>
    })
  )

const dial = (url: string, keepAlive: number): Socket => {
  const { hostname, port, searchParams } = new URL(url)
  const host = searchParams.get("host") ?? decodeURIComponent(hostname.replace(/^\[|\]$/g, ""))
  const number = Number(searchParams.get("port") ?? (port === "" ? 5432 : port))
  return host.startsWith("/")
    ? connect({ path: `${host}/.s.PGSQL.${number}` })
    : connect({
        host: host === "" ? "localhost" : host,
        port: number,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: keepAlive
      })
}
