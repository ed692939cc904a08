import { assert } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import type { Socket } from "node:net"
import { gzipSync } from "node:zlib"
import type { TransportLaw, TransportUnderTest } from "./TransportLaws.ts"
import { requestTo, withoutTime } from "./TransportLaws.ts"
import { deserted, rawReceiver, receiver } from "./TransportServers.ts"

const timeout = { _tag: "Failed", reason: "timeout" } as const
/** How late a deadline may be on a busy machine. */
const slackMillis = 3_000

/** The outcome, which has to be there when the deadline is over. */
const inTime = Effect.fnUntraced(function* (
  { deadlineMillis, transport }: TransportUnderTest,
  url: string
) {
  const started = yield* Clock.currentTimeMillis
  const outcome = yield* transport.send(requestTo(url))
  const took = (yield* Clock.currentTimeMillis) - started
  assert.isBelow(took, deadlineMillis + slackMillis)
  return { outcome: withoutTime(outcome), took }
})

/** Writes again and again, as fast as it is read or every so many milliseconds, until the other side is gone. */
const keepWriting = (socket: Socket, bytes: string | Uint8Array, everyMillis: number): void => {
  const write = () => {
    if (socket.destroyed) return
    if (everyMillis > 0) {
      socket.write(bytes)
      setTimeout(write, everyMillis).unref()
    } else socket.write(bytes, () => setImmediate(write))
  }
  write()
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

export const troubleLaws: ReadonlyArray<TransportLaw> = [
  {
    title: "a receiver that is not there has failed at the connection",
    law: Effect.fnUntraced(function* (test) {
      const { outcome } = yield* inTime(test, yield* deserted)
      assert.deepStrictEqual(outcome, { _tag: "Failed", reason: "connection" })
    })
  },
  {
    title: "a receiver that hangs up without a word has failed at the connection",
    law: Effect.fnUntraced(function* (test) {
      const { url } = yield* rawReceiver((socket) => socket.once("data", () => socket.destroy()))
      const { outcome } = yield* inTime(test, url)
      assert.deepStrictEqual(outcome, { _tag: "Failed", reason: "connection" })
    })
  },
  {
    title: "a receiver that does not speak HTTP has failed at the protocol",
    law: Effect.fnUntraced(function* (test) {
      for (const words of [
        "220 smtp ready\r\n",
        "\0\0\0\0",
        `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`
      ]) {
        const { url } = yield* rawReceiver((socket) => socket.once("data", () => socket.end(words)))
        const { outcome } = yield* inTime(test, url)
        assert.deepStrictEqual(
          outcome,
          { _tag: "Failed", reason: "protocol" },
          JSON.stringify(words)
        )
      }
    })
  },
  {
    title: "a receiver that says nothing costs the deadline, and its connection is closed",
    law: Effect.fnUntraced(function* (test) {
      const { closed, url } = yield* rawReceiver((socket) => socket.resume())
      const { outcome, took } = yield* inTime(test, url)
      assert.deepStrictEqual(outcome, timeout)
      assert.isAtLeast(took, test.deadlineMillis * 0.9)
      yield* closed
    })
  },
  {
    title: "a receiver whose headers never end costs the deadline",
    law: Effect.fnUntraced(function* (test) {
      const { url } = yield* rawReceiver((socket) => {
        socket.write(head)
        keepWriting(socket, "X-Slow: 1\r\n", 20)
      })
      const { outcome } = yield* inTime(test, url)
      assert.deepStrictEqual(outcome, timeout)
    })
  },
  {
    title: "more headers than anybody needs have failed at the protocol",
    law: Effect.fnUntraced(function* (test) {
      const { url } = yield* rawReceiver((socket) => {
        socket.write(head)
        keepWriting(socket, `X-Long: ${"a".repeat(4_096)}\r\n`, 0)
      })
      const { outcome } = yield* inTime(test, url)
      assert.deepStrictEqual(outcome, { _tag: "Failed", reason: "protocol" })
    })
  },
  {
    title: "an answer whose body never ends counts by its status, and is not read on",
    law: Effect.fnUntraced(function* (test) {
      for (const everyMillis of [0, 20]) {
        let written = 0
        const { closed, url } = yield* rawReceiver((socket) => {
          socket.write(`${head}\r\n`)
          keepWriting(socket, "x".repeat(everyMillis === 0 ? 65_536 : 1), everyMillis)
          socket.on("close", () => {
            written = socket.bytesWritten
          })
        })
        const { outcome, took } = yield* inTime(test, url)
        assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200 })
        yield* closed
        // What comes fast passes any bound long before the deadline.
        if (everyMillis === 0) assert.isBelow(took, test.deadlineMillis)
        // What the system buffers on the way is not ours to bound.
        assert.isBelow(written, 32 * 1024 * 1024)
      }
    })
  },
  {
    title: "an answer that breaks off counts by its status",
    law: Effect.fnUntraced(function* (test) {
      const { url } = yield* rawReceiver((socket) =>
        socket.once("data", () => socket.end(`${head}Content-Length: 100\r\n\r\nshort`))
      )
      const { outcome } = yield* inTime(test, url)
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200 })
    })
  },
  {
    title: "a compressed answer is not unpacked",
    law: Effect.fnUntraced(function* (test) {
      const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
      const { url } = yield* receiver((response) => {
        response.writeHead(200, { "Content-Encoding": "gzip" }).end(bomb)
      })
      const { outcome } = yield* inTime(test, url)
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 200 })
    })
  },
  {
    title: "an interrupted request closes its connection",
    law: Effect.fnUntraced(function* ({ transport }) {
      const { closed, url } = yield* rawReceiver((socket) => socket.resume())
      const fiber = yield* Effect.forkChild(transport.send(requestTo(url)))
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(fiber)
      yield* closed
    })
  },
  {
    title: "a receiver that says nothing holds up no other",
    law: Effect.fnUntraced(function* (test) {
      const silent = yield* rawReceiver((socket) => socket.resume())
      const quick = yield* receiver((response) => response.writeHead(204).end())
      const waiting = yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: 32 }),
          () => test.transport.send(requestTo(silent.url)),
          {
            concurrency: "unbounded"
          }
        )
      )
      yield* Effect.sleep("20 millis")
      const { outcome, took } = yield* inTime(test, quick.url)
      assert.deepStrictEqual(outcome, { _tag: "Answered", status: 204 })
      assert.isBelow(took, test.deadlineMillis)
      yield* Fiber.interrupt(waiting)
    })
  }
]
