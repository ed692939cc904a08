import { assert, describe, it } from "@effect/vitest"
import { otlp } from "@pagora/core"
import type { LogEntry, Telemetry } from "@pagora/core"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { canaries, channelsOf, leaksIn, recording } from "./Canaries.test-data.ts"
import type { Run } from "./CanaryScenario.test-data.ts"
import { runOfBank, runOfShop } from "./CanaryScenario.test-data.ts"

const stories = [
  ["a shop whose storage breaks", runOfShop],
  ["a shop whose bank breaks", runOfBank]
] as const

const secretsOf = ({ secrets }: Run): Readonly<Record<string, string>> => ({
  ...canaries,
  ...secrets
})

const noErrorTells = ({ bodies, ...run }: Run) => {
  const told = bodies.flatMap(({ asked, text }) =>
    leaksIn(text, secretsOf({ ...run, bodies })).map((name) => `${asked} → ${name}: ${text}`)
  )
  assert.deepStrictEqual(told, [])
}

describe("whatever happens", { timeout: 30_000 }, () => {
  it.each(stories)("%s: no log, span, metric or error tells a secret", async (_, story) => {
    const { layer, told } = recording()
    const run = await story({ telemetry: { _tag: "Otlp", layer } })
    for (const [channel, text] of Object.entries(channelsOf(told)))
      assert.deepStrictEqual(leaksIn(text, secretsOf(run)), [], `${channel}\n${excerpt(text, run)}`)
    assert.deepStrictEqual(leaksIn(run.metrics, secretsOf(run)), [], "metrics")
    noErrorTells(run)
    assert.isAbove(told.logs.length, 5)
    assert.isAbove(told.spans.length, 50)
    assert.isAbove(run.bodies.length, 5)
  })

  it.each(stories)("%s: nothing of it is exported", async (_, story) => {
    const collector = await startCollector()
    const telemetry: Telemetry = otlp({
      url: collector.url,
      headers: { authorization: `Bearer ${canaries.collectorKey}` },
      every: "100 millis"
    })
    const entries: Array<LogEntry> = []
    const run = await story({ telemetry, logger: (entry) => void entries.push(entry) })
    await collector.close()
    assert.isNotEmpty(entries)
    // What the host's own handlers throw comes back to the host, and to nobody else.
    const others = entries.filter(({ message }) => !ofHost.includes(String(message)))
    assert.isBelow(others.length, entries.length)
    assert.deepStrictEqual(leaksIn(JSON.stringify(others), secretsOf(run)), [])
    for (const path of ["/v1/traces", "/v1/logs", "/v1/metrics"])
      assert.isNotEmpty(collector.of(path), path)
    const all = collector.of("")
    assert.deepStrictEqual(leaksIn(all, secretsOf(run)), [], excerpt(all, run))
    assert.include(collector.authorization(), canaries.collectorKey)
  })
})

const ofHost = [
  "A subscriber did not handle an event; it comes again.",
  "A PSP layer died; the outcome counts as unknown."
]

/** The lines in which something was found, for whoever has to find out why. */
const excerpt = (text: string, run: Run): string =>
  text
    .split("\n")
    .filter((line) => leaksIn(line, secretsOf(run)).length > 0)
    .slice(0, 3)
    .map((line) => line.slice(0, 1_500))
    .join("\n")

const startCollector = async () => {
  const received: Array<readonly [string, Buffer]> = []
  let authorization = ""
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      authorization = request.headers.authorization ?? ""
      received.push([request.url ?? "", Buffer.concat(chunks)])
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Protocol buffers keep texts as they are. */
    of: (path: string) =>
      received
        .filter(([url]) => url.includes(path))
        .map(([, body]) => body.toString("utf8"))
        .join("\n"),
    authorization: () => authorization,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve()))
  }
}
