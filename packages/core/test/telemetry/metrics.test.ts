import { assert, describe, it } from "@effect/vitest"
import { layerOtlp, otlp, otlpFromEnvironment, PagoraError } from "@pagora/core"
import { ConfigProvider, Effect, Exit, Layer, Tracer } from "effect"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { allMetrics } from "../../src/telemetry/Metrics.ts"
import { recording } from "./Canaries.test-data.ts"
import { refusalOf, until, withPagora } from "../world/Embedding.test-data.ts"

const guide = readFileSync(
  fileURLToPath(new URL("../../../../docs/guides/observe.md", import.meta.url)),
  "utf8"
)

describe("the metrics of a service", () => {
  it("are those that the guide lists, with their labels and what they mean", () => {
    const rows = Array.from(
      guide.matchAll(/^\| `(pagora_\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|$/gm),
      ([, name, type, labels = "", help]) => ({
        name,
        type,
        labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label]) => label),
        help
      })
    )
    assert.deepStrictEqual(
      rows,
      allMetrics.map(({ help, labels, name, type }) => ({ name, type, labels: [...labels], help }))
    )
  })

  it("tell a payment, a refusal and what the workers did, and no more than is declared", () =>
    withPagora({}, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      const charge = await pagora.charges.create(id, { amount: 25.9 })
      await pagora.sandbox.pay(charge.id)
      await pagora.sandbox.advance({ seconds: 0 })
      await refusalOf(pagora.transactions.find(id, "nobody-knows"))
      await pagora.fetch(new Request("http://pagora.test/nowhere/52998224725"))
      await pagora.audit()
      const text = await pagora.metrics()
      for (const line of [
        'pagora_http_request_duration_seconds_count{api="program",method="POST",route="/pix",status="2xx"} 1',
        'pagora_http_request_duration_seconds_count{api="program",method="GET",route="/transactions/:id",status="4xx"} 1',
        'pagora_http_request_duration_seconds_count{api="tenant",method="GET",route="none",status="4xx"} 1',
        'pagora_psp_call_duration_seconds_count{operation="createCharge",outcome="Done"} 1',
        'pagora_transitions_total{kind="charge",status="completed"} 1',
        'pagora_ledger_transactions_total{kind="payment"} 1',
        'pagora_money_centavos_total{direction="in"} 2590',
        'pagora_jobs_total{queue="inbox",outcome="finished"} 1',
        'pagora_audits_total{result="ok",scope="complete"} 1',
        'pagora_job_lag_seconds{queue="payout"} 0'
      ])
        assert.include(text, `${line}\n`)
      // Whoever asks for an audit is answered; the workers tell what is known (`Auditor.turn`).
      assert.notInclude(text, "pagora_audit_violations")
      const families = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name]) => name)
      const declared = new Map(allMetrics.map((metric) => [metric.name, metric]))
      assert.isAbove(families.length, 8)
      for (const name of families) assert.isTrue(declared.has(String(name)), name)
      for (const [, name = "", labels = ""] of text.matchAll(
        /^(pagora_\w+?)(?:_bucket|_sum|_count)?\{([^}]*)\}/gm
      )) {
        const names = Array.from(labels.matchAll(/(\w+)="/g), ([, label]) => label)
        const known = declared.get(name)?.labels ?? []
        assert.deepStrictEqual(
          names.filter((label) => label !== "le"),
          [...known],
          name
        )
      }
    }))

  it("are those of one service, where two run in a process", () =>
    withPagora({}, (one) =>
      withPagora({}, async (other) => {
        await one.accounts.create({ name: "Loja Azul" })
        assert.include(await one.metrics(), 'kind="account"')
        assert.notInclude(await other.metrics(), 'kind="account"')
      })
    ))

  it("are not answered by a service that has stopped", async () => {
    const gone = await withPagora({}, (pagora) => Promise.resolve(pagora))
    assert.strictEqual((await refusalOf(gone.metrics())).code, "STOPPING")
  })
})

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

describe("the spans of a service", () => {
  it("have a request at their root, in the trace of its caller or of its own envelope", async () => {
    const { layer, told } = recording()
    await withPagora({ telemetry: { _tag: "Otlp", layer } }, async (pagora) => {
      const ask = async (headers: Record<string, string> = {}) => {
        const answer = await pagora.fetch(
          new Request("http://pagora.test/transactions/52998224725?x=1", { headers })
        )
        return (await answer.json()) as { readonly traceId: string }
      }
      assert.strictEqual((await ask({ traceparent })).traceId, traceparent.slice(3, 35))
      const own = await ask()
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      await pagora.charges.create(id, { amount: 1 })
      const requests = told.spans.filter(({ kind }) => kind === "server")
      assert.deepStrictEqual(
        requests.map(({ name }) => name),
        ["GET /transactions/:id", "GET /transactions/:id", "POST /accounts", "POST /pix"]
      )
      assert.strictEqual(requests[0]?.traceId, traceparent.slice(3, 35))
      assert.strictEqual(requests[1]?.traceId, own.traceId)
      assert.deepStrictEqual([...(requests[0]?.attributes ?? [])].toSorted(), [
        ["http.request.method", "GET"],
        ["http.response.status_code", 401],
        ["http.route", "/transactions/:id"],
        ["pagora.api", "tenant"]
      ])
      const inPix = told.spans.filter(({ traceId }) => traceId === requests[3]?.traceId)
      const names = inPix.map(({ name }) => name)
      for (const name of ["Charges.create", "storage.commit", "psp.createCharge"])
        assert.include(names, name)
    })
  })

  it("are made for nobody where no tracer is", () =>
    withPagora({}, async (pagora) => {
      const answer = await pagora.fetch(
        new Request("http://pagora.test/account", { headers: { traceparent } })
      )
      const { traceId } = (await answer.json()) as { readonly traceId: string }
      assert.strictEqual(traceId, traceparent.slice(3, 35))
    }))
})

// They wait: for what does not answer, and at the stop.
describe.concurrent("a collector", () => {
  it("that hangs delays no request and no stop for long", async () => {
    const sockets = new Set<Socket>()
    const server = createServer(() => undefined).on("connection", (socket) => sockets.add(socket))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const begun = performance.now()
    await withPagora({ telemetry: otlp({ url, every: "20 millis" }) }, async (pagora) => {
      const { id } = await pagora.accounts.create({ name: "Loja Azul" })
      await until(() => sockets.size > 0)
      for (let count = 0; count < 20; count++) await pagora.charges.create(id, { amount: 1 })
    })
    assert.isBelow(performance.now() - begun, 15_000)
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it("that is not there fails nothing", () =>
    withPagora(
      { telemetry: otlp({ url: "http://127.0.0.1:1", every: "20 millis" }) },
      async (pagora) => {
        const { id } = await pagora.accounts.create({ name: "Loja Azul" })
        assert.strictEqual((await pagora.charges.create(id, { amount: 1 })).amount, 1)
      }
    ))

  it("is named by a URL", async () => {
    const error = await refusalOf(
      withPagora({ telemetry: otlp({ url: "collector" }) }, () => Promise.resolve())
    )
    assert.strictEqual(error.code, "INVALID_CONFIGURATION")
    assert.include(error.message, "http://localhost:4318")
  })
})

/** The tracer that a layer brings under an environment. */
const tracerUnder = (env: Record<string, string>) =>
  Effect.runPromiseExit(
    Effect.withFiber((fiber) => Effect.succeed(fiber.getRef(Tracer.Tracer))).pipe(
      Effect.provide(
        otlpFromEnvironment.pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        )
      )
    )
  )
// Without metrics there is nothing to send at the end, and nothing to wait for.
const endpoint = {
  OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
  OTEL_METRICS_EXPORTER: "none"
}

describe("the variables of OpenTelemetry", () => {
  it.each([
    ["nothing", {}, false],
    ["an endpoint", endpoint, true],
    ["an endpoint, switched off", { ...endpoint, OTEL_SDK_DISABLED: "true" }, false],
    ["an endpoint, without spans", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, false],
    [
      "everything",
      {
        ...endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20key,x-team=payments",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_SERVICE_NAME: "payments",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
      },
      true
    ]
  ])("export spans with %s as they say", async (_, env, isOn) => {
    const exit = await tracerUnder(env)
    assert.isTrue(Exit.isSuccess(exit))
    if (Exit.isSuccess(exit)) assert.strictEqual(exit.value !== Tracer.nativeTracer, isOn)
  })

  it.each([
    ["a protocol", { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /must be http\/protobuf/],
    ["an endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: "collector" }, /such as http:\/\/localhost:4318/]
  ])("say what is wrong with %s", async (_, env, sentence) => {
    const exit = await tracerUnder(env)
    const error = Exit.isFailure(exit) ? exit.cause.reasons[0] : undefined
    assert.isTrue(error !== undefined && "error" in error && error.error instanceof PagoraError)
    assert.match(String(error), sentence)
  })

  it("are an option too, for programs in Effect", () => {
    assert.isTrue(Layer.isLayer(layerOtlp({ url: "http://localhost:4318" })))
  })
})

describe("what is logged", () => {
  it("carries no cause as it came: every one goes through safeCause", async () => {
    const { globSync } = await import("node:fs")
    const root = fileURLToPath(new URL("../../src", import.meta.url))
    const raw = globSync("**/*.ts", { cwd: root }).flatMap((file) => {
      const text = readFileSync(`${root}/${file}`, "utf8")
      return Array.from(
        text.matchAll(
          /Effect\.log\w*\(\s*(["`])(?:(?!\1)[\s\S])*\1,(?!\s*(?:safeCause|safeDefect|hostCause)\()/g
        ),
        ([call]) => `${file}: ${call}`
      )
    })
    assert.deepStrictEqual(raw, [])
  })
})
