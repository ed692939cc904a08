import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { makeProcessMetrics, processMeasures } from "./ProcessMetrics.ts"

const guide = readFileSync(
  fileURLToPath(new URL("../../../../docs/guides/observe.md", import.meta.url)),
  "utf8"
)

const valueOf = (text: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])

describe("the metrics of the process", () => {
  it("are those that the guide lists", () => {
    const rows = Array.from(
      guide.matchAll(/^\| `((?:process|nodejs)_\w+)` \| (\w+) \| none \| ([^|]*) \|$/gm),
      ([, name, type, help]) => ({ name, type, help })
    )
    assert.deepStrictEqual<unknown>(rows, processMeasures)
  })

  it.live("tell what the process has used, the processor's time as a sum", () =>
    Effect.gen(function* () {
      const record = makeProcessMetrics()
      yield* record
      const first = yield* PrometheusMetrics.format()
      for (const { name, type } of processMeasures) {
        assert.include(first, `# TYPE ${name} ${type}\n`)
        assert.isAtLeast(valueOf(first, name), 0, name)
      }
      assert.isAbove(valueOf(first, "process_resident_memory_bytes"), 1e7)
      const started = valueOf(first, "process_start_time_seconds")
      assert.closeTo(started, Date.now() / 1_000 - process.uptime(), 5)
      const until = Date.now() + 50
      while (Date.now() < until) Math.random()
      yield* record
      const cpu = valueOf(yield* PrometheusMetrics.format(), "process_cpu_seconds_total")
      assert.isAbove(cpu, valueOf(first, "process_cpu_seconds_total"))
      const { system, user } = process.cpuUsage()
      assert.closeTo(cpu, (user + system) / 1e6, 0.5)
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
