import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Duration, Effect, Exit, Fiber, Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import { createServer, request as ask } from "node:http"
import { connect } from "node:net"
import type { AddressInfo } from "node:net"
import type { Front } from "../http/App.ts"
import { Exchange } from "../http/Exchange.ts"
import { bytesOf } from "../http/StrictBody.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { answering, isUsual } from "./Answering.ts"

type Answered = ReturnType<Front["answered"]>

const now = Effect.succeed(DateTime.makeUnsafe(0))
const time = ServiceTime.of({
  now,
  bounds: Effect.map(now, (at) => ({ earliest: at, latest: at })),
  real: now,
  offset: Effect.succeed(Duration.zero),
  setOffset: () => Effect.void
})
const said = (text: string) => HttpServerResponse.text(text)

/** An app that answers so, and what was counted of it. */
const standing = Effect.fnUntraced(function* (answered: (exchange: Exchange) => Answered) {
  const counted: Array<number | undefined> = []
  let giveUp = (): void => undefined
  const scope = yield* Scope.make()
  const front: Front = {
    home: Context.make(ServiceTime, time) as Context.Context<never>,
    watch: (_most, late) => {
      giveUp = late
      return { end: () => undefined, watching: undefined }
    },
    begin: (request) => new Exchange(request, undefined, "trace"),
    answered,
    count: () => (status) => void counted.push(status)
  }
  const answer = yield* Scope.provide(answering(front), scope)
  const server = createServer((request, response) => {
    assert.isTrue(isUsual(request))
    answer(request, response)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>(
      (resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))
    ),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  return { counted, giveUp: () => giveUp(), port, scope }
})

const asked = (port: number, body?: string) =>
  Effect.callback<{ readonly status: number; readonly text: string }>((resume) => {
    const method = body === undefined ? "GET" : "POST"
    const headers = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const sent = ask({ port, method, headers, agent: false })
    sent.setHeader("connection", "keep-alive")
    sent.on("response", (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (part: string) => (text += part))
      answer.on("end", () => resume(Effect.succeed({ status: answer.statusCode ?? 0, text })))
    })
    sent.on("error", () => resume(Effect.succeed({ status: 0, text: "" })))
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  })

/** What a raw connection is told, to its end. */
const told = (port: number, text: string) =>
  Effect.callback<string>((resume) => {
    let received = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (chunk) => (received += chunk.toString()))
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

/** Work that never ends, and tells when it has begun and when it is cut off. */
const endless = () => {
  const seen = { begun: 0, cutOff: 0 }
  const work = Effect.andThen(
    Effect.sync(() => void seen.begun++),
    Effect.onInterrupt(Effect.never, () => Effect.sync(() => void seen.cutOff++))
  )
  return { seen, work }
}

const until = (isSo: () => boolean) =>
  Effect.promise(async () => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
  })

describe("a request that the listener answers by itself", () => {
  it.live("has the answer of its app, with the headers of every answer", () =>
    Effect.gen(function* () {
      const { counted, port } = yield* standing(() => Effect.succeed(said("here")))
      assert.deepStrictEqual(yield* asked(port), { status: 200, text: "here" })
      assert.deepStrictEqual(counted, [200])
    })
  )

  it.live("has its body read once, whole, however often it is asked for", () =>
    Effect.gen(function* () {
      const twice = ({ request }: Exchange) =>
        Effect.gen(function* () {
          const first = yield* Effect.orDie(bytesOf(request))
          yield* Effect.sleep("5 millis")
          const again = yield* Effect.orDie(bytesOf(request))
          return said(`${Buffer.from(first).toString()} ${Buffer.from(again).toString()}`)
        })
      const { port } = yield* standing(twice)
      const long = "é".repeat(20_000)
      for (const body of ["", "{}", long])
        assert.deepStrictEqual(yield* asked(port, body), { status: 200, text: `${body} ${body}` })
    })
  )

  it.live("is given up when its time is over: answered once, cut off, and counted as that", () =>
    Effect.gen(function* () {
      const { seen, work } = endless()
      const { counted, giveUp, port } = yield* standing(() => work)
      const answer = yield* Effect.forkChild(asked(port))
      yield* until(() => seen.begun === 1)
      giveUp()
      const { status, text } = yield* Fiber.join(answer)
      assert.strictEqual(status, 503)
      assert.include(text, "STORAGE_UNAVAILABLE")
      assert.strictEqual(seen.cutOff, 1)
      assert.deepStrictEqual(counted, [503])
    })
  )

  it.live("whose body stalls is told so, and its connection ends", () =>
    Effect.gen(function* () {
      let begun = 0
      const reading = ({ request }: Exchange) =>
        Effect.andThen(
          Effect.sync(() => void begun++),
          Effect.as(Effect.orDie(bytesOf(request)), said("whole"))
        )
      const { counted, giveUp, port } = yield* standing(reading)
      const head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n"
      const answer = yield* Effect.forkChild(told(port, `${head}{"client_id`))
      yield* until(() => begun === 1)
      giveUp()
      const text = yield* Fiber.join(answer)
      assert.match(text, /^HTTP\/1\.1 408 /)
      assert.match(text, /^connection: close\r$/im)
      assert.notMatch(text, /^retry-after/im)
      assert.include(text, '"code":"REQUEST_TIMEOUT"')
      assert.deepStrictEqual(counted, [408])
    })
  )

  it.live("is cut off when its client leaves, and counted as that", () =>
    Effect.gen(function* () {
      const { seen, work } = endless()
      const { counted, port } = yield* standing(() => work)
      const answer = yield* Effect.forkChild(asked(port))
      yield* until(() => seen.begun === 1)
      answer.interruptUnsafe()
      yield* until(() => seen.cutOff === 1)
      assert.deepStrictEqual(counted, [undefined])
    })
  )

  it.live("is cut off when the service ends, and nobody waits for nothing", () =>
    Effect.gen(function* () {
      const { seen, work } = endless()
      const { port, scope, ...rest } = yield* standing(() => work)
      const answer = yield* Effect.forkChild(asked(port))
      yield* until(() => seen.begun === 1)
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(seen.cutOff, 1)
      yield* until(() => answer.pollUnsafe() !== undefined)
      assert.deepStrictEqual(rest.counted, [undefined])
    })
  )
})
