import { performance } from "node:perf_hooks"
import { Effect, Metric } from "effect"

/** What the process itself is measured by, under the names that clients of Prometheus use for Node. */
export const processMeasures = [
  {
    name: "process_cpu_seconds_total",
    type: "counter",
    help: "Processor time that this process has used, in user and system mode."
  },
  {
    name: "process_start_time_seconds",
    type: "gauge",
    help: "When this process started, in seconds since 1970."
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    help: "Memory of this process that is in RAM."
  },
  {
    name: "nodejs_heap_size_total_bytes",
    type: "gauge",
    help: "Heap that the JavaScript engine has reserved."
  },
  {
    name: "nodejs_heap_size_used_bytes",
    type: "gauge",
    help: "Heap that is in use."
  },
  {
    name: "nodejs_eventloop_lag_seconds",
    type: "gauge",
    help: "How late the event loop came to the next piece of work, at this scrape."
  }
] as const

type Measured = Readonly<Record<(typeof processMeasures)[number]["name"], number>>

const lag = Effect.callback<number>((resume) => {
  const asked = performance.now()
  setImmediate(() => resume(Effect.succeed((performance.now() - asked) / 1_000)))
})

const measure: Effect.Effect<Measured> = Effect.map(lag, (late) => {
  const { system, user } = process.cpuUsage()
  const { heapTotal, heapUsed, rss } = process.memoryUsage()
  return {
    process_cpu_seconds_total: (user + system) / 1e6,
    process_start_time_seconds: performance.timeOrigin / 1_000,
    process_resident_memory_bytes: rss,
    nodejs_heap_size_total_bytes: heapTotal,
    nodejs_heap_size_used_bytes: heapUsed,
    nodejs_eventloop_lag_seconds: late
  }
})

/** Makes what looks at the process and records what it finds, to be run before each scrape. */
export const makeProcessMetrics = (): Effect.Effect<void> => {
  let before = 0
  const series = processMeasures.map(({ help: description, name, type }) => ({
    name,
    record: (value: number) =>
      type === "counter"
        ? Metric.update(Metric.counter(name, { description, incremental: true }), value)
        : Metric.update(Metric.gauge(name, { description }), value)
  }))
  return Effect.gen(function* () {
    const now = yield* measure
    // A counter takes what has come since.
    const cpu = now.process_cpu_seconds_total
    const recorded = { ...now, process_cpu_seconds_total: cpu - before }
    before = cpu
    for (const { name, record } of series) yield* record(recorded[name])
  })
}
