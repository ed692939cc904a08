import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Metric, Tracer } from "effect"
import { guardedLogger } from "../../src/telemetry/LogGuarder.ts"
import { safeCause, safeWord } from "../../src/telemetry/SafeCause.ts"
import { guarded, underGuard } from "../../src/telemetry/SpanGuarder.ts"
import { canaries, channelsOf, leaksIn, toldBy } from "./Canaries.test-data.ts"

const { payerCpf, payerName, pixKey, wrongSecret } = canaries

describe("the search for canaries", () => {
  it.each([
    ["as it is", payerCpf, "payerCpf"],
    ["with its punctuation", "529.982.247-25", "payerCpf"],
    ["with blanks", "529 982 247 25", "payerCpf"],
    ["inside a number", `1${payerCpf}9`, "payerCpf"],
    ["in base64", Buffer.from(payerCpf).toString("base64"), "payerCpf"],
    ["in base64 one byte in", Buffer.from(`"${payerCpf}"`).toString("base64"), "payerCpf"],
    ["in base64 two bytes in", Buffer.from(`{"${payerCpf}"}`).toString("base64url"), "payerCpf"],
    ["in a URL", `/x?q=${encodeURIComponent(pixKey)}`, "pixKey"],
    ["escaped as JSON", JSON.stringify({ a: payerName }), "payerName"],
    ["in capitals", wrongSecret.toUpperCase(), "wrongSecret"],
    ["with a letter in it", "12.abc.345/01de-35", "alphanumericCnpj"]
  ])("finds one %s", (_, text, name) => {
    assert.include(leaksIn(`before ${text} after`), name)
  })

  it("finds nothing where nothing is", () => {
    assert.deepStrictEqual(leaksIn("01a1fef9-4127-7000-ad36-18e2900cb392 12345678901 canary"), [])
  })

  const broken = Effect.die(new Error(`Key (document)=(${payerCpf})`))
  it.each([
    ["logs", Effect.logTrace(`paid by ${payerName}`)],
    ["logs", Effect.annotateLogs(Effect.logDebug("paid"), { payer: payerCpf })],
    ["logs", Effect.catchCause(broken, (cause) => Effect.logError("failed", cause))],
    ["spanNames", Effect.withSpan(Effect.void, `GET /transactions/${payerCpf}`)],
    ["spanAttributes", Effect.withSpan(Effect.void, "GET", { attributes: { "url.path": pixKey } })],
    ["spanErrors", Effect.withSpan(broken, "GET")],
    [
      "spanEvents",
      Effect.withSpan(
        Effect.flatMap(Effect.currentSpan, (span) =>
          Effect.sync(() => span.event("paid", 0n, { payer: payerName }))
        ),
        "GET"
      )
    ],
    ["metrics", Metric.update(Metric.counter(`paid_by_${payerCpf}`), 1)],
    ["metrics", Metric.update(Metric.counter("paid", { attributes: { key: pixKey } }), 1)]
  ])("sees what leaves by %s", async (channel, leak) => {
    const channels = channelsOf(await toldBy(leak))
    assert.isNotEmpty(leaksIn(channels[channel] ?? ""), channel)
    for (const [name, text] of Object.entries(channels))
      if (name !== channel) assert.isEmpty(leaksIn(text), name)
  })

  it.each([
    ["spanNames", Effect.withSpan(Effect.void, `GET /transactions/${payerCpf}`)],
    ["spanAttributes", Effect.withSpan(Effect.void, "GET", { attributes: { "url.path": pixKey } })],
    ["spanErrors", Effect.withSpan(broken, "GET")]
  ])("sees that the guard keeps %s to itself", async (channel, leak) => {
    const channels = channelsOf(await toldBy(underGuard(leak)))
    assert.isEmpty(leaksIn(channels[channel] ?? ""), channel)
  })
})

describe("what is told of an error", () => {
  const told = (error: unknown) => Cause.pretty(safeCause(Cause.die(error)))

  it("is its kind, its codes and its place, and no message", () => {
    const database = Object.assign(new Error(`duplicate key: ${payerCpf}`), {
      name: "DatabaseError",
      code: "23505",
      constraint: "account_document_key",
      detail: `Key (document)=(${payerCpf}) already exists.`
    })
    const text = told(new Error(`while saving ${payerName}`, { cause: database }))
    assert.deepStrictEqual(leaksIn(text), [])
    assert.include(text, "telemetry/checker.test.ts")
    assert.include(text, "DatabaseError: code 23505, constraint account_document_key")
  })

  it.each([
    ["a text", payerCpf],
    ["nothing", undefined],
    ["a name of somebody", Object.assign(new Error(""), { name: payerName, code: payerCpf })],
    [
      "a stack of its own",
      Object.assign(new Error(""), { stack: `Error: ${payerCpf}\n    at ${payerCpf}` })
    ],
    [
      "getters that throw",
      Object.defineProperty({}, "stack", {
        get: () => {
          throw new Error(payerCpf)
        }
      })
    ],
    ["a message of lines", new Error(`x\n    at ${payerCpf} (/a:1:1)`)],
    ["an aggregate", new AggregateError([new Error(payerCpf)], payerName)],
    ["a tag with a number in it", { _tag: `Cpf${payerCpf}` }]
  ])("is nothing of %s", (_, error) => {
    assert.deepStrictEqual(leaksIn(told(error)), [])
  })

  it("is told of every cause that a logger hears, whoever logs it", async () => {
    const { Logger } = await import("effect")
    const heard: Array<string> = []
    const logger = Logger.make((options) => void heard.push(Logger.formatJson.log(options)))
    await Effect.runPromise(
      Effect.logError("by a library", Cause.die(new Error(payerCpf))).pipe(
        Effect.provide(Logger.layer([guardedLogger(logger)]))
      )
    )
    assert.lengthOf(heard, 1)
    assert.deepStrictEqual(leaksIn(heard.join()), [])
  })

  it("keeps the words of a PSP that are codes", () => {
    const words = ["AM09", "insufficient_funds", payerCpf, payerName, `x${payerCpf}`, 7, undefined]
    assert.deepStrictEqual(words.map(safeWord), [
      "AM09",
      "insufficient_funds",
      ...Array.from({ length: 5 }, () => "other")
    ])
  })

  it("leaves the tracer its interruptions and its one guard", () => {
    const interrupted = safeCause(Cause.interrupt(1))
    assert.isTrue(Cause.hasInterruptsOnly(interrupted))
    const guard = guarded(Tracer.nativeTracer)
    assert.strictEqual(guarded(Tracer.nativeTracer), guard)
    assert.strictEqual(guarded(guard), guard)
  })
})
