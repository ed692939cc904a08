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
import { StartError } from "./StartError.ts"
import type { Meeting } from "./Succession.ts"
import { serverOf, Succession } from "./Succession.ts"

/** What of a connection is ours to know: its wire, and when it was last heard. */
interface Session {
  readonly connection: PgConnection.PgConnection
  readonly socket: Socket
  isBusy: boolean
  /** Of `performance.now()`. */
  heard: number
  /** That of the primary it is with. */
  readonly epoch: number
}

/** How sessions are opened. */
interface SessionPlan {
  readonly config: PgConnection.Config & { readonly url: Redacted.Redacted }
  readonly settings: Readonly<Record<string, string>>
  readonly times: SessionTimes
}

interface Sessions {
  readonly run: Run
  /** Which primary the sessions are with: another number once another server has taken over. */
  readonly epoch: () => number
  /** Whether a session can be had, and is as it must be. */
  readonly check: Effect.Effect<void, SqlError | StartError>
}

/** How long a connection that nobody uses is kept. */
const idleMax = "60 seconds"

/**
 * Sessions with PostgreSQL, at most so many. A statement has the time that it is given; when that is over, its connection
 * is dead and is closed, and so are the idle ones that were heard of no more since: after a fail-over all of them are as
 * dead, and each would cost somebody the same time again (decision 0061). Once a session has met the server that took the
 * place of another, all with that one are closed, whatever they wait for: it may go on, and show what is over (decision 0117).
 */
export const makeSessions = Effect.fnUntraced(function* (
  plan: SessionPlan,
  max: number
): Effect.fn.Return<Sessions, never, Scope.Scope> {
  const { times } = plan
  const sessions = new Set<Session>()
  const succession = new Succession()
  const asked = asking(sessions)
  const runFork = Effect.runForkWith(yield* Effect.context())

  const open = Effect.map(opening(plan, succession, sessions), (session) => {
    sessions.add(session)
    session.socket.once("close", () => {
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

  const lent = lending(pool, times.answer, succession.epoch)
  const run: Run = (text, parameters, { epoch, patience } = {}) =>
    Effect.suspend(() => {
      // Not as what the scope ends with: it would be kept as long as the scope, which V8 takes for long-lived.
      let rows: ReadonlyArray<Answer> = []
      const asking = Effect.flatMap(lent, (session) => {
        if (epoch !== undefined && epoch !== session.epoch) return Effect.fail(overtaken)
        return patience === undefined || patience <= times.answer
          ? asked(session, patience ?? times.answer, (connection) =>
              Effect.map(
                connection.query(text, parameters),
                (result) => result.rows as ReadonlyArray<Answer>
              )
            )
          : asked(session, patience, (connection) =>
              patiently(connection, patience, text, parameters)
            )
      })
      const kept = Effect.map(asking, (all) => {
        rows = all
      })
      return Effect.map(Effect.scoped(kept), () => rows)
    })
  return { run, epoch: succession.epoch, check: Effect.asVoid(Effect.scoped(Pool.get(pool))) }
})

/** Opens a session that is as it must be, with the primary of now. */
const opening = (
  { config, settings, times }: SessionPlan,
  succession: Succession,
  sessions: ReadonlySet<Session>
): Effect.Effect<Session, SqlError | StartError, Scope.Scope> =>
  Effect.gen(function* () {
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
    const [, server] = yield* Effect.all(
      [
        heldSettings((text, parameters) => connection.query(text, parameters), settings),
        serverOf((text) => connection.query(text))
      ],
      { concurrency: 2 }
    ).pipe(Effect.ensuring(Effect.sync(() => clearTimeout(timer))))
    const epoch = yield* epochOf(succession.meet(server), sessions)
    return { connection, socket, isBusy: false, heard: performance.now(), epoch }
  })

/** What was decided by what a former primary showed is not sent to the one of now. */
const overtaken = notSent(new Error("another server has taken over since this was decided"))

/**
 * The epoch of a session that was just opened. Those with a server that has lost its place end here; so does this one, where
 * it is one.
 */
const epochOf = (
  meeting: Meeting,
  sessions: ReadonlySet<Session>
): Effect.Effect<number, StartError> => {
  switch (meeting._tag) {
    case "Primary":
      return Effect.succeed(meeting.epoch)
    case "Former":
      return new StartError({ message: former })
    case "Successor": {
      for (const { socket } of sessions) socket.destroy()
      return Effect.as(
        Effect.logWarning(
          "Another PostgreSQL server has taken over; the sessions with the former one are closed."
        ).pipe(Effect.annotateLogs({ formerTimeline: meeting.before.timeline })),
        meeting.epoch
      )
    }
  }
}

const former =
  "A session with PostgreSQL was opened with a server that is not the primary any more, or not yet, and is not used: another one was met before that has taken its place. Let the address in its url lead there."

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
  most: number,
  epoch: () => number
): Effect.Effect<Session, Failure, Scope.Scope> => {
  /** One that is open, with the primary of now; a wire that was closed while nobody used it is no answer to anybody. */
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
      session.socket.destroyed || session.epoch !== epoch()
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
