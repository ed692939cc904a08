import { Clock, Duration, Effect, Metric } from "effect"

/** The one thing that is measured of connections: who is refused gets no answer, and leaves no other trace. */
export const refusedMeasure = {
  name: "http_server_connections_refused_total",
  type: "counter",
  help: "Connections that a listener closed without an answer, because as many as it may have were open."
} as const

const tellEvery = Duration.toNanosUnsafe(Duration.minutes(1))

/** Counts the connections that a listener refuses, and says so at once, but no more than once a minute. */
export const makeRefused = (): ((port: number, max: number) => Effect.Effect<void>) => {
  let untold = 0
  let toldAt: bigint | undefined
  return Effect.fnUntraced(function* (port, max) {
    const { help: description, name } = refusedMeasure
    yield* Metric.update(Metric.counter(name, { description, incremental: true }), 1)
    untold++
    const now = yield* Clock.monotonicTimeNanos
    if (toldAt !== undefined && now - toldAt < tellEvery) return
    toldAt = now
    const refused = untold
    untold = 0
    yield* Effect.logWarning(
      "Connections are refused: as many as a listener may have are open. Raise PAGORA_CONNECTIONS_MAX, or bound them before it."
    ).pipe(Effect.annotateLogs({ port, connectionsMax: max, refused }))
  })
}
