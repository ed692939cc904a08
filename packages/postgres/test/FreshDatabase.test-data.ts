import type { Database } from "@pagora/testkit/postgres"
import { freshDatabase, startFaultyProxy } from "@pagora/testkit/postgres"
import { PgClient } from "@effect/sql-pg"
import type { StorageDriver } from "@pagora/core"
import type { Scope } from "effect"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { PostgresOptions, StartError } from "../src/index.ts"
import { postgres } from "../src/index.ts"

/** A database that is dropped with the scope. */
export const aDatabase: Effect.Effect<Database, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(freshDatabase),
  (database) => Effect.promise(database.drop)
)

/** The storage in a database of its own. */
export const layerFresh = (
  options: Omit<PostgresOptions, "url"> = {}
): Layer.Layer<StorageDriver, StartError> =>
  Layer.unwrap(Effect.map(aDatabase, ({ url }) => postgres({ ...options, url })))

/** Where the database of a test file is, for tests that look behind the storage. */
export class Url extends Context.Service<Url, string>()("@pagora/postgres/test/Url") {
  static readonly layer: Layer.Layer<Url> = Layer.effect(
    Url,
    Effect.map(aDatabase, ({ url }) => url)
  )
}

/** The storage in a database of its own, and where that is. */
export const layerKnown: Layer.Layer<StorageDriver | Url, StartError> = Layer.unwrap(
  Effect.map(Url, (url) => postgres({ url }))
).pipe(Layer.provideMerge(Url.layer))

/** The same for leases that a test lets end: they go by Effect's clock. */
export const layerKnownByProcess: Layer.Layer<StorageDriver | Url, StartError> = Layer.unwrap(
  Effect.map(Url, (url) => postgres({ url, clock: "process" }))
).pipe(Layer.provideMerge(Url.layer))

/** A connection past the storage, for as long as the scope lasts. */
export const clientOf = (url: string) =>
  Effect.provide(
    PgClient.make({ url: Redacted.make(url), maxConnections: 2, applicationName: "test" }),
    Reactivity.layer
  )

/** A wire to it that can be cut and swallowed, for as long as the scope lasts. */
export const faultyProxy = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(() => startFaultyProxy(url)),
    (proxy) => Effect.promise(proxy.close)
  )

/** Runs statements past the storage. */
export const sqlOn = Effect.fnUntraced(function* (
  url: string,
  ...statements: ReadonlyArray<string>
) {
  const sql = yield* clientOf(url)
  let last: ReadonlyArray<Record<string, unknown>> = []
  for (const statement of statements) last = yield* sql.unsafe<Record<string, unknown>>(statement)
  return last
}, Effect.scoped)

/** A role that may log in and no more, gone before its database is. */
export const aLogin = Effect.fnUntraced(function* (url: string) {
  const role = `app_${new URL(url).pathname.slice(-12)}`
  yield* Effect.acquireRelease(sqlOn(url, `create role ${role} login password 'app'`), () =>
    Effect.orDie(sqlOn(url, `drop owned by ${role}`, `drop role ${role}`))
  )
  const own = new URL(url)
  own.username = role
  own.password = "app"
  return { role, url: own.href }
})
