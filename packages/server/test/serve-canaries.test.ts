import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@pagora/testkit"
import { canaries, leaksIn } from "../../core/test/Canaries.test-data.ts"
import { runOf, startSink } from "./ServeCanaries.test-data.ts"
import { masterSecret, operatorKey, worldOf } from "./ServeWorld.test-data.ts"

/** The lines in which something was found, for whoever has to find out why. */
const leakingLines = (text: string, secrets: Readonly<Record<string, string>>) =>
  text
    .split("\n")
    .filter((line) => leaksIn(line, secrets).length > 0)
    .map((line) => `${leaksIn(line, secrets).join()}: ${line.slice(0, 800)}`)

describe("pagora serve, with canaries in every input,", { timeout: 120_000 }, () => {
  it.concurrent.each([
    ["json", "http/json"],
    ["text", "http/protobuf"]
  ])("tells none of them: logs as %s, exports as %s", async (format, protocol, context) => {
    const world = await worldOf(context)
    const collector = await startSink({ status: 200 })
    const receiver = await startSink({
      status: 500,
      headers: { "x-who": canaries.payerCpf, "retry-after": canaries.customerCpf },
      body: JSON.stringify(canaries)
    })
    context.onTestFinished(() => Promise.all([collector.close(), receiver.close()]).then(() => {}))
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
    const leaking = run.told.flatMap(({ answer, asked }) =>
      leaksIn(`${JSON.stringify(answer.headers)}\n${answer.text}`, secrets).map(
        (name) => `${asked} → ${name}: ${answer.text}`
      )
    )
    assert.deepStrictEqual(leaking, [])
    // What was asked for was refused, and for as many reasons as there are.
    const codes = run.told.map(({ answer }) => String(answer.json["details"]?.["code"]))
    assert.isAbove(new Set(codes).size, 15, [...new Set(codes)].join())
    assert.isAbove(run.told.length, 250)
  })
})
