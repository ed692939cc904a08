import { StorageDriver } from "@pagora/core"
import type { TenantOptions } from "@pagora/testkit"
import { journey, layerPagora, RecordingTransport, resumed } from "@pagora/testkit"
import { Context, Effect, Layer, References } from "effect"
import type { PostgresOptions, StartError } from "../src/index.ts"
import { postgres } from "../src/index.ts"

/** What the whole service has, and the transport of its webhooks. */
export type Process = Effect.Success<ReturnType<typeof processOver>>

/** The whole service over a storage, with a transport of its own. */
export const processOver = Effect.fnUntraced(function* (
  driver: Layer.Layer<StorageDriver, StartError>
) {
  const transport = yield* Layer.build(Layer.fresh(RecordingTransport.layer))
  const service = layerPagora(Layer.fresh(driver), Layer.succeedContext(transport))
  return Context.merge(yield* Layer.build(Layer.fresh(service)), transport)
})

/** The whole service over a PostgreSQL. */
export const processAt = (url: string) => processOver(postgres({ url, poolMax: 4 }))

/** The storage alone. */
export const driverOf = (options: PostgresOptions) =>
  Effect.map(Layer.build(Layer.fresh(postgres(options))), (context) =>
    Context.get(context, StorageDriver)
  )

/** The story of a shop that begins in one process, told in another as well. */
export const inBoth = Effect.fnUntraced(function* (
  here: Process,
  there: Process,
  options?: TenantOptions
) {
  const first = yield* Effect.provideContext(journey(options), here)
  const second = yield* Effect.provideContext(resumed(first.shop), there)
  return [first, second] as const
})

/** What something answers, and how many milliseconds it took. */
export const timed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const begun = performance.now()
  const value = yield* effect
  return [value, performance.now() - begun] as const
})

/** Where services log what a test does to them. */
export const quietly = Effect.provideService(References.MinimumLogLevel, "None")
