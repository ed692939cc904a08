import { assert, describe, it } from "@effect/vitest"
import { layerOtlp } from "@pagora/core"
import { eventually } from "@pagora/testkit"
import { Effect, Logger, Metric } from "effect"
import { canaries } from "../../core/test/telemetry/Canaries.test-data.ts"
import type { Told } from "./ServeCanaries.test-data.ts"
import { leakingAnswers, leakingLines, runOf, startSink } from "./ServeCanaries.test-data.ts"
import { masterSecret, operatorKey, worldOf } from "./ServeWorld.test-data.ts"

describe("pagora serve, with canaries in every input,", { timeout: 120_000 }, () => {
  it.concurrent.for([
    ["json", "http/json"],
    ["text", "http/protobuf"]
  ] as const)(
    "tells none of them: logs as %s, exports as %s",
    async ([format, protocol], context) => {
      const world = await worldOf(context)
      const collector = await startSink({ status: 200 })
      const receiver = await startSink({
        status: 500,
        headers: { "x-who": canaries.payerCpf, "retry-after": canaries.customerCpf },
        body: JSON.stringify(canaries)
      })
      context.onTestFinished(() =>
        Promise.all([collector.close(), receiver.close()]).then(() => {})
      )
      const deployment = await world.start({
        PAGORA_LOG_FORMAT: format,
        PAGORA_LOG_LEVEL: "debug",
        PAGORA_FORMER_SECRETS: canaries.databasePassword.repeat(2),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=${canaries.collectorKey}`
      })
      const run = await runOf(deployment, receiver.url)
      const secrets = {
        ...canaries,
        ...run.secrets,
        masterSecret,
        operatorKey,
        databaseUrl: world.url
      }
      await eventually(() => (receiver.received.length > 0 ? true : undefined))
      const metrics = await deployment.probe("GET", "/metrics")
      const { code, stderr, stdout } = await deployment.stop()
      assert.strictEqual(code, 0, stderr)

      assert.strictEqual(stdout, "")
      assert.deepStrictEqual(leakingLines(stderr, secrets), [])
      assert.deepStrictEqual(leakingLines(metrics.text, secrets), [])
      for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics"]) {
        const exported = collector.received.filter(([url]) => url.startsWith(path))
        assert.isNotEmpty(exported, path)
        for (const [, body] of exported) assert.deepStrictEqual(leakingLines(body, secrets), [])
      }
      assert.deepStrictEqual(leakingAnswers(run.told, secrets), [])
      // What was asked for was refused, and for as many reasons as there are.
      const codes = run.told.map(({ answer }) => String(answer.json.details?.code))
      assert.isAbove(new Set(codes).size, 15, [...new Set(codes)].join())
      assert.isAbove(run.told.length, 250)
    }
  )
})

describe("the search", () => {
  const answer = (headers: Record<string, string>, text: string): Told => [
    { asked: "GET /x", answer: { status: 400, headers, text, json: {} } }
  ]
  it.each([
    ["body", answer({}, `{"message":"${canaries.payerCpf} is no amount."}`)],
    ["header", answer({ location: `/x/${encodeURIComponent(canaries.pixKey)}` }, "{}")]
  ])("finds what is told by an error's %s", (_, told) => {
    assert.isNotEmpty(leakingAnswers(told, canaries))
    assert.isEmpty(leakingAnswers(answer({}, "{}"), canaries))
  })

  it.each(["http/json", "http/protobuf"] as const)(
    "finds what is exported by %s in a log entry, a span or a metric",
    async (protocol) => {
      const collector = await startSink({ status: 200 })
      const leak = Effect.gen(function* () {
        yield* Effect.logInfo(`paid by ${canaries.payerName}`)
        yield* Effect.withSpan(Effect.void, "pay", {
          attributes: { "pagora.payer": canaries.payerCpf }
        })
        yield* Metric.update(Metric.counter("paid", { attributes: { key: canaries.pixKey } }), 1)
      })
      const exporting = layerOtlp({ url: collector.url, protocol, every: "50 millis" })
      await Effect.runPromise(
        leak.pipe(Effect.provide(exporting), Effect.provide(Logger.layer([])))
      )
      await collector.close()
      const found = (path: string) =>
        collector.received
          .filter(([url]) => url === path)
          .flatMap(([, body]) => leakingLines(body, canaries))
          .join()
      assert.include(found("/v1/logs"), "payerName")
      assert.include(found("/v1/traces"), "payerCpf")
      assert.include(found("/v1/metrics"), "pixKey")
    }
  )
})
