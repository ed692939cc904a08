import { Effect } from "effect"

/** What one timed run came to. */
export interface Run {
  readonly perSecond: number
  /** Milliseconds from a call to its answer. */
  readonly p50: number
  readonly p99: number
}

/** Lets so many callers take item after item, each as soon as its last one is answered. */
export const drive = Effect.fnUntraced(function* <A, E>(
  items: ReadonlyArray<A>,
  callers: number,
  call: (item: A) => Effect.Effect<unknown, E>
) {
  const latencies: Array<number> = []
  const line = items.values()
  const caller = Effect.gen(function* () {
    for (const item of line) {
      const start = performance.now()
      yield* call(item)
      latencies.push(performance.now() - start)
    }
  })
  const start = performance.now()
  yield* Effect.all(
    Array.from({ length: callers }, () => caller),
    { concurrency: "unbounded", discard: true }
  )
  const millis = performance.now() - start
  return runOf(latencies, millis)
})

/**
 * Begins call after call by a clock, however many still wait for their answer. Times count from when a call was due, so
 * that a server which holds everybody up is not asked less for it.
 */
export const paced = Effect.fnUntraced(function* <E>(
  call: Effect.Effect<unknown, E>,
  count: number,
  perSecond: number
) {
  const latencies: Array<number> = []
  const start = performance.now()
  yield* Effect.forEach(
    Array.from({ length: count }),
    Effect.fnUntraced(function* (_, index) {
      const due = start + (index * 1_000) / perSecond
      // Timers cut fractions off: none may begin before it is due.
      yield* Effect.sleep(Math.max(0, Math.ceil(due - performance.now())))
      yield* call
      latencies.push(performance.now() - due)
    }),
    { concurrency: "unbounded", discard: true }
  )
  return runOf(latencies, performance.now() - start)
})

const runOf = (latencies: Array<number>, millis: number): Run => {
  latencies.sort((a, b) => a - b)
  return {
    perSecond: (latencies.length / millis) * 1_000,
    p50: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? 0
  }
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** `median (min..max)`, with so many digits behind the point. */
export const spread = (values: ReadonlyArray<number>, digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}..${Math.max(...values).toFixed(digits)})`

/** Lines of a table with columns as wide as they need to be. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length))
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
