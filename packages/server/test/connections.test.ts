import { assert, describe, it } from "@effect/vitest"
import { eventually, startPagora } from "@pagora/testkit"
import type { RunningPagora } from "@pagora/testkit"
import { Context, Effect, Exit, Layer, Logger, Metric, Scope } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import type { IncomingMessage, ServerResponse } from "node:http"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { serve } from "../src/HttpListener.ts"
import type { ConnectionLimits } from "../src/HttpListener.ts"
import { makeRefused, refusedMeasure } from "../src/RefusedConnections.ts"

const get = (path: string, ...headers: ReadonlyArray<string>) =>
  `GET ${path} HTTP/1.1\r\n${["Host: x", ...headers].join("\r\n")}\r\n\r\n`
const closing = (path: string) => get(path, "Connection: close")
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** Waits until it is so. */
const until = (isSo: () => boolean) => eventually(() => isSo() || undefined)

/** What a listener saw. */
interface Seen {
  begun: number
  running: number
  most: number
  /** Of the last request, as the listener has it. */
  socket?: Socket
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** A listener of `serve` that runs what a test gives it, and a client that reads only when it is told to. */
const listenerOf = async (
  handle: Handle,
  limits: Partial<ConnectionLimits> = {},
  context: Context.Context<never> = Context.empty()
) => {
  const scope = await Effect.runPromise(Scope.make())
  const seen: Seen = { begun: 0, running: 0, most: 0 }
  const listener: Handle = (request, response) => {
    seen.begun++
    seen.running++
    seen.socket = request.socket
    seen.most = Math.max(seen.most, seen.running)
    const end = () => {
      response.off("finish", end).off("close", end)
      seen.running--
    }
    response.once("finish", end).once("close", end)
    handle(request, response)
  }
  const port = await Effect.runPromise(
    Scope.provide(
      serve({
        host: "127.0.0.1",
        port: 0,
        mounts: [{ prefix: "/", listener }],
        drainMillis: 100,
        limits
      }),
      scope
    ).pipe(Effect.provideContext(context))
  )
  const open: Array<Socket> = []
  return {
    seen,
    client: (text = "") => {
      const socket = connect(port, "127.0.0.1")
      const client = { socket, text: "", isClosed: false }
      open.push(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => (client.isClosed = true))
      if (text !== "") socket.write(text)
      return Object.assign(client, {
        read: () =>
          socket.on("data", (chunk) => {
            client.text += chunk.toString("latin1")
          })
      })
    },
    stop: async () => {
      for (const socket of open) socket.destroy()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

const answers = (text: string) =>
  Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status))

/** Answers a little later with the path, and the length of the body that it read. */
const telling: Handle = (request, response) => {
  let length = 0
  request.on("data", (chunk: Buffer) => (length += chunk.length))
  request.on("end", () => setTimeout(() => response.end(`[${request.url} ${length}]`), 2))
}
const large = Buffer.alloc(1_000_000, "x")

describe("a connection", () => {
  it("has one request at a time, in their order, bodies too", async () => {
    const { client, seen, stop } = await listenerOf(telling)
    const paths = Array.from({ length: 30 }, (_, index) => `/${index}`)
    const sent = paths.map((path, index) => post(path, "y".repeat(index * 100)))
    const one = client(sent.join("") + post("/large", "z".repeat(300_000)) + closing("/last"))
    one.read()
    await until(() => one.isClosed)
    const told = Array.from(one.text.matchAll(/\[(\S+) (\d+)\]/g), ([, path, length]) => [
      path,
      Number(length)
    ])
    assert.deepStrictEqual(told, [
      ...paths.map((path, index) => [path, index * 100]),
      ["/large", 300_000],
      ["/last", 0]
    ])
    assert.strictEqual(seen.most, 1)
    await stop()
  })

  it("that sends without end while it waits is answered what it sent first, and ended", async () => {
    const { client, seen, stop } = await listenerOf(telling)
    const one = client(get("/many").repeat(2_000))
    one.read()
    await until(() => one.isClosed)
    assert.isAbove(answers(one.text).length, 30)
    assert.isBelow(answers(one.text).length, 200)
    assert.strictEqual(answers(one.text).length, seen.begun)
    assert.include(one.text.slice(-300).toLowerCase(), "connection: close")
    assert.strictEqual(seen.most, 1)
    await stop()
  })

  it("that reads nothing is given one answer, and is ended in time", async () => {
    const { client, seen, stop } = await listenerOf((_, response) => void response.end(large), {
      answerMillis: 300
    })
    const one = client(get("/large").repeat(50))
    await until(() => seen.socket?.destroyed === true)
    one.read()
    await until(() => one.isClosed)
    // What the system itself takes in is a few of them.
    assert.isBelow(seen.begun, 20)
    await stop()
  })

  it("that reads slowly but takes its answer in time is served", async () => {
    const { client, stop } = await listenerOf((_, response) => void response.end(large), {
      answerMillis: 20_000
    })
    const one = client(closing("/large"))
    await sleep(500)
    one.read()
    await until(() => one.isClosed)
    assert.isAtLeast(one.text.length, large.length)
    await stop()
  })

  it("is not ended while its answer is still being made", async () => {
    const { client, stop } = await listenerOf(
      (_, response) => void setTimeout(() => response.end("late"), 1_000),
      { answerMillis: 100 }
    )
    const one = client(closing("/late"))
    one.read()
    await until(() => one.isClosed)
    assert.include(one.text, "late")
    await stop()
  })

  it("gets the answer of what it asked before what cannot be read", async () => {
    const { client, stop } = await listenerOf(telling)
    const one = client(`${post("/before", "y")}nonsense\r\n\r\n`)
    one.read()
    await until(() => one.isClosed)
    assert.deepStrictEqual(answers(one.text), [200], one.text)
    assert.include(one.text, "[/before 1]")
    await stop()
  })

  it("too many are refused, and those that are open go on", async () => {
    const { client, stop } = await listenerOf(telling, { maxConnections: 2 })
    const first = client()
    const second = client(get("/second"))
    second.read()
    await until(() => second.text.includes("[/second 0]"))
    const third = client(get("/third"))
    third.read()
    await until(() => third.isClosed)
    assert.strictEqual(third.text, "")
    first.read()
    first.socket.write(closing("/first"))
    await until(() => first.text.includes("[/first 0]"))
    await stop()
  })

  it("takes its time for headers and bodies only as long as it is told", async () => {
    const { client, stop } = await listenerOf(telling, { headersMillis: 300, requestMillis: 600 })
    const slow = [client("GET / HTTP/1.1\r\n"), client(post("/half", "yyyy").slice(0, -2))]
    for (const one of slow) {
      one.read()
      await until(() => one.isClosed)
      assert.deepStrictEqual(answers(one.text), [408])
      assert.include(one.text, '"error":"RequestTimeout"')
      assert.include(one.text, '"code":"REQUEST_TIMEOUT"')
    }
    await stop()
  })
})

describe("a request that no app is asked about", () => {
  const refused = {
    "has no Host": ["GET /a HTTP/1.1\r\n\r\n", 400, "BadRequest"],
    "expects what nobody knows": [
      "POST /a HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nContent-Length: 2\r\n\r\n",
      417,
      "ExpectationFailed"
    ],
    "asks for a tunnel": [
      "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n",
      405,
      "MethodNotAllowed"
    ]
  } as const

  for (const [what, [text, status, error]] of Object.entries(refused)) {
    const envelopeOf = (answer: string) =>
      JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? "{}") as Readonly<Record<string, unknown>>

    it(`because it ${what}, is answered in the envelope, and its connection ends`, async () => {
      const { client, seen, stop } = await listenerOf(telling)
      const one = client(text)
      one.read()
      assert.isTrue(await until(() => one.isClosed))
      assert.deepStrictEqual(answers(one.text), [status], one.text)
      assert.match(one.text, /^connection: close\r$/im)
      assert.match(one.text, /^content-type: application\/json\r$/im)
      const { error: told, message, statusCode, timestamp } = envelopeOf(one.text)
      assert.deepStrictEqual([statusCode, told], [status, error])
      assert.isString(message)
      assert.isString(timestamp)
      assert.strictEqual(seen.begun, 0)
      await stop()
    })

    it(`because it ${what}, comes after the answer of what was asked before it`, async () => {
      const { client, stop } = await listenerOf(telling)
      const one = client(`${post("/before", "y")}${text}`)
      one.read()
      assert.isTrue(await until(() => one.isClosed))
      assert.strictEqual(answers(one.text)[0], 200, one.text)
      assert.include(one.text, "[/before 1]")
      await stop()
    })
  }

  it("is none of an older HTTP, which has no Host, nor one that waits to be told to go on", async () => {
    const { client, stop } = await listenerOf(telling)
    const old = client("GET /old HTTP/1.0\r\n\r\n")
    old.read()
    await until(() => old.isClosed)
    assert.include(old.text, "[/old 0]")
    const polite = client(
      "POST /polite HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n"
    )
    polite.read()
    await until(() => polite.text.includes("100 Continue"))
    polite.socket.write("{}")
    await until(() => polite.isClosed)
    assert.include(polite.text, "[/polite 2]")
    await stop()
  })
})

describe("connections that are refused", () => {
  /** What is logged and counted, by itself. */
  const observed = () => {
    const lines: Array<string> = []
    const logger = Logger.make((options) => void lines.push(Logger.formatJson.log(options)))
    const registry = Layer.succeed(Metric.MetricRegistry, new Map())
    return { lines, layer: Layer.merge(Logger.layer([logger]), registry) }
  }
  const counted = (text: string) =>
    Number(/^http_server_connections_refused_total (\d+)$/m.exec(text)?.[1])

  it("are counted, and told of once", async () => {
    const { layer, lines } = observed()
    const context = await Effect.runPromise(Effect.scoped(Layer.build(layer)))
    const { client, stop } = await listenerOf(telling, { maxConnections: 1 }, context)
    const first = client(get("/first"))
    first.read()
    assert.isTrue(await until(() => first.text.includes("[/first 0]")))
    const late = [client(), client(), client()]
    for (const one of late) one.read()
    assert.isTrue(await until(() => late.every(({ isClosed }) => isClosed)))
    const text = await Effect.runPromise(Effect.provideContext(PrometheusMetrics.format(), context))
    assert.strictEqual(counted(text), 3)
    assert.lengthOf(lines, 1)
    assert.include(lines[0], "Connections are refused")
    assert.include(lines[0], '"connectionsMax":1')
    await stop()
  })

  it.effect("are told of again after a minute, with how many they were", () => {
    const { layer, lines } = observed()
    return Effect.gen(function* () {
      const refused = makeRefused()
      for (let times = 0; times < 3; times++) yield* refused(4242, 10)
      yield* TestClock.adjust("59 seconds")
      yield* refused(4242, 10)
      assert.lengthOf(lines, 1)
      yield* TestClock.adjust("1 second")
      yield* refused(4242, 10)
      assert.lengthOf(lines, 2)
      assert.include(lines[1], '"refused":4')
      assert.strictEqual(counted(yield* PrometheusMetrics.format()), 5)
    }).pipe(Effect.provide(layer))
  })

  it("are counted as the guide says", () => {
    const guide = readFileSync(new URL("../../../docs/guides/observe.md", import.meta.url), "utf8")
    const { help, name, type } = refusedMeasure
    assert.include(guide, `| \`${name}\` | ${type} | none | ${help} |`)
  })
})

describe("a process with 512 MB", () => {
  const flood = async (pagora: RunningPagora, path: string, count: number) => {
    const socket = connect(pagora.port, "127.0.0.1")
    socket.on("error", () => undefined)
    socket.pause()
    socket.write(get(path).repeat(count))
    await sleep(1_000)
    const started = performance.now()
    const { status } = await pagora.api("GET", "/openapi.json")
    socket.destroy()
    return { status, millis: performance.now() - started }
  }

  it("outlives 3,000 requests for documents on one connection, unread, and answers others meanwhile", async () => {
    const pagora = await startPagora([], { NODE_OPTIONS: "--max-old-space-size=512" })
    try {
      for (const path of ["/v2/docs", "/v2/openapi.json", "/v2/account"]) {
        const { millis, status } = await flood(pagora, path, 3_000)
        assert.strictEqual(status, 200)
        assert.isBelow(millis, 10_000, path)
      }
    } finally {
      await pagora.kill()
    }
  }, 120_000)
})
