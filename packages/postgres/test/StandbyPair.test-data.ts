import {
  startFaultyProxy,
  startOwnPostgres,
  startStandby,
  waitForStandby
} from "@pagora/testkit/postgres"
import type { OwnPostgres } from "@pagora/testkit/postgres"
import { Effect, Schedule } from "effect"

const settings = { wal_keep_size: "256MB", max_connections: "60", hot_standby: "on" }

const owned = (start: () => Promise<OwnPostgres>) =>
  Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop))

/** A primary, its synchronous standby, and the wire between them. */
export const aPair = Effect.gen(function* () {
  const primary = yield* owned(() => startOwnPostgres({ settings, revives: true }))
  const wire = yield* Effect.acquireRelease(
    Effect.promise(() => startFaultyProxy(primary.url)),
    ({ close }) => Effect.promise(close)
  )
  const standby = yield* owned(() => startStandby(primary, { settings }, wire.url))
  yield* Effect.promise(() => waitForStandby(primary))
  return { primary, standby, wire }
})

/** Asks until it is so, for half a minute at most. */
export const until = <A, E, R>(effect: Effect.Effect<A, E, R>, isSo: (value: A) => boolean) =>
  Effect.repeat(effect, { until: isSo, schedule: Schedule.spaced("200 millis"), times: 150 })
