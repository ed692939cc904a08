import { assert, describe, it } from "@effect/vitest"
import { transportContract } from "@pagora/testkit"
import type { Scope } from "effect"
import { Effect, Fiber } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createHttpServer } from "node:http"
import { createServer } from "node:https"
import type { Server, Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import type { SendOutcome } from "../ports/WebhookTransport.ts"
import { WebhookTransport } from "../ports/WebhookTransport.ts"
import { special } from "./AddressVectors.test-data.ts"
import { authority, certificate, privateKey } from "./Certificates.test-data.ts"
import * as WebhookTransportNode from "./WebhookTransportNode.ts"

transportContract("node", {
  layer: WebhookTransportNode.layer({ allowLoopbackHttp: true, deadline: "1 second" }),
  deadline: "1 second"
})

interface Hooks {
  readonly port: number
  readonly requests: Array<{ readonly host: string | undefined; readonly sni: unknown }>
  readonly connections: Array<Socket>
}

const ok = (_request: IncomingMessage, response: ServerResponse) => response.end("ok")

const listen = (
  server: Server,
  connections: Array<Socket> = []
): Effect.Effect<number, never, Scope.Scope> => {
  server.on("connection", (socket: Socket) => {
    connections.push(socket)
    socket.on("error", () => undefined)
  })
  const open = Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0))
    })
  })
  return Effect.acquireRelease(open, () =>
    Effect.sync(() => {
      server.close()
      for (const socket of connections) socket.destroy()
    })
  )
}

/** A server for hooks.shop.com.br, on this machine. */
const hooks = Effect.fnUntraced(function* (
  answer: (request: IncomingMessage, response: ServerResponse) => void = ok
): Effect.fn.Return<Hooks, never, Scope.Scope> {
  const requests: Hooks["requests"] = []
  const connections: Array<Socket> = []
  const server = createServer({ key: privateKey, cert: certificate }, (request, response) => {
    requests.push({
      host: request.headers.host,
      sni: (request.socket as TLSSocket & { servername?: unknown }).servername
    })
    answer(request, response)
  })
  server.on("tlsClientError", () => undefined)
  return { port: yield* listen(server, connections), requests, connections }
})

/** A world in which 127.0.0.1 is a public address, and the only one. */
const world = (changes: Partial<WebhookTransportNode.World> = {}): WebhookTransportNode.World => ({
  lookup: () => Promise.resolve(["127.0.0.1"]),
  isAllowed: (address) => address === "127.0.0.1",
  certificateAuthority: authority,
  ...changes
})

const within = (
  settings: WebhookTransportNode.World,
  port: number,
  use: (
    send: (name?: string) => Effect.Effect<SendOutcome>
  ) => Effect.Effect<void, never, Scope.Scope>
) =>
  Effect.scoped(
    Effect.flatMap(WebhookTransport, (transport) =>
      use((name = "hooks.shop.com.br") =>
        transport.send({ url: `https://${name}:${port}/pix`, headers: {}, body: "{}" })
      )
    )
  ).pipe(
    Effect.provide(
      WebhookTransportNode.layerIn(settings, { ports: [port], deadline: "2 seconds" }),
      { local: true }
    )
  )

const tag = (outcome: SendOutcome): string =>
  outcome._tag === "Answered" ? `Answered ${outcome.status}` : `${outcome._tag} ${outcome.reason}`

describe("connections", () => {
  it.live("go to the checked address, under the name that was asked for", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { port, requests } = yield* hooks()
        const asked: Array<string> = []
        const lookup = (name: string) => {
          asked.push(name)
          return Promise.resolve(["127.0.0.1"])
        }
        yield* within(world({ lookup }), port, (send) =>
          Effect.gen(function* () {
            assert.strictEqual(tag(yield* send()), "Answered 200")
          })
        )
        assert.deepStrictEqual(asked, ["hooks.shop.com.br"])
        assert.deepStrictEqual(requests, [
          { host: `hooks.shop.com.br:${port}`, sni: "hooks.shop.com.br" }
        ])
      })
    )
  )

  it.live("a name that changes its address after the check is not looked up again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { port, requests } = yield* hooks()
        const answers = [
          ["127.0.0.1"],
          ["127.0.0.2"],
          ["127.0.0.1", "169.254.169.254"],
          ["127.0.0.1"]
        ]
        let asked = 0
        const lookup = () => Promise.resolve(answers[asked++] ?? [])
        yield* within(world({ lookup }), port, (send) =>
          Effect.gen(function* () {
            assert.strictEqual(tag(yield* send()), "Answered 200")
            assert.strictEqual(asked, 1)
            assert.strictEqual(tag(yield* send()), "Blocked address")
            // One bad address among good ones is enough.
            assert.strictEqual(tag(yield* send()), "Blocked address")
            assert.strictEqual(requests.length, 1)
            assert.strictEqual(tag(yield* send()), "Answered 200")
            assert.strictEqual(asked, 4)
          })
        )
      })
    )
  )

  it.live("no special address is ever dialled, alone or among public ones", () =>
    Effect.gen(function* () {
      for (const [address] of special) {
        for (const answer of [[address], ["8.8.8.8", address], [address, "2606:4700::1111"]]) {
          const lookup = () => Promise.resolve(answer)
          yield* within({ lookup }, 443, (send) =>
            Effect.gen(function* () {
              assert.deepStrictEqual(
                yield* send(),
                { _tag: "Blocked", reason: "address" },
                answer.join()
              )
            })
          )
        }
      }
    })
  )

  it.live("the other end is looked at once more before anything is sent", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { port, requests } = yield* hooks()
        let looked = 0
        // Passes the answer of the name server, and nothing after.
        const isAllowed = () => ++looked === 1
        yield* within(world({ isAllowed }), port, (send) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* send(), { _tag: "Blocked", reason: "address" })
          })
        )
        assert.strictEqual(looked, 2)
        assert.deepStrictEqual(requests, [])
      })
    )
  )

  it.live("so it is on a connection that is used again", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connections, port, requests } = yield* hooks()
        let looked = 0
        const isAllowed = () => ++looked <= 3
        yield* within(world({ isAllowed }), port, (send) =>
          Effect.gen(function* () {
            assert.strictEqual(tag(yield* send()), "Answered 200")
            yield* Effect.sleep("20 millis")
            assert.strictEqual(tag(yield* send()), "Blocked address")
          })
        )
        assert.deepStrictEqual([requests.length, connections.length, looked], [1, 1, 4])
      })
    )
  )

  it.live("are kept for the next request, and closed with the layer", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connections, port, requests } = yield* hooks()
        yield* within(world(), port, (send) =>
          Effect.gen(function* () {
            for (let nth = 0; nth < 5; nth++) {
              assert.strictEqual(tag(yield* send()), "Answered 200")
              yield* Effect.sleep("10 millis")
            }
            assert.deepStrictEqual([requests.length, connections.length], [5, 1])
            assert.isFalse(connections[0]?.destroyed)
          })
        )
        yield* Effect.sleep("50 millis")
        assert.isTrue(connections[0]?.destroyed)
      })
    )
  )

  it.live(
    "no more of them are kept for one receiver than it is sent at once, and not for long",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { connections, port } = yield* hooks()
          yield* within(world(), port, (send) =>
            Effect.gen(function* () {
              const open = () => connections.filter((socket) => !socket.destroyed).length
              yield* Effect.forEach(Array.from({ length: 40 }), () => send(), {
                concurrency: "unbounded"
              })
              assert.strictEqual(connections.length, 40)
              yield* Effect.sleep("100 millis")
              assert.strictEqual(open(), 32)
              yield* Effect.sleep("4500 millis")
              assert.strictEqual(open(), 0)
            })
          )
        })
      )
  )

  it.live("one over which something comes that nobody asked for is used no more", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connections, port, requests } = yield* hooks((request, response) => {
          response.end("ok")
          const { socket } = request
          setTimeout(() => socket.write("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"), 10)
        })
        yield* within(world(), port, (send) =>
          Effect.gen(function* () {
            for (let nth = 0; nth < 2; nth++) {
              assert.strictEqual(tag(yield* send()), "Answered 200")
              yield* Effect.sleep("50 millis")
            }
          })
        )
        assert.deepStrictEqual([requests.length, connections.length], [2, 2])
      })
    )
  )

  it.live("one whose answers come in chunks is kept, too", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connections, port, requests } = yield* hooks((_, response) => {
          response.write("thank ")
          response.end("you")
        })
        yield* within(world(), port, (send) =>
          Effect.gen(function* () {
            for (let nth = 0; nth < 3; nth++) assert.strictEqual(tag(yield* send()), "Answered 200")
          })
        )
        assert.deepStrictEqual([requests.length, connections.length], [3, 1])
      })
    )
  )

  it.live("one that its receiver closed meanwhile is replaced, once", () =>
    Effect.scoped(
      Effect.gen(function* () {
        let hangUps = 1
        const { connections, port, requests } = yield* hooks((request, response) => {
          if (requests.length > 1 && hangUps-- > 0) request.socket.destroy()
          else response.end("ok")
        })
        yield* within(world(), port, (send) =>
          Effect.gen(function* () {
            assert.strictEqual(tag(yield* send()), "Answered 200")
            yield* Effect.sleep("20 millis")
            assert.strictEqual(tag(yield* send()), "Answered 200")
            assert.deepStrictEqual([requests.length, connections.length], [3, 2])
            yield* Effect.sleep("20 millis")
            hangUps = 100
            assert.strictEqual(tag(yield* send()), "Failed connection")
            assert.isAtMost(requests.length, 5)
          })
        )
      })
    )
  )
})

describe("names", () => {
  it.live("that do not resolve have failed at DNS", () =>
    Effect.gen(function* () {
      for (const lookup of [
        () => Promise.resolve([]),
        () => Promise.reject(new Error("ENOTFOUND"))
      ]) {
        yield* within(world({ lookup }), 443, (send) =>
          Effect.gen(function* () {
            assert.strictEqual(tag(yield* send()), "Failed dns")
          })
        )
      }
    })
  )

  it.live("that never resolve cost the deadline", () =>
    within(world({ lookup: () => new Promise(() => undefined) }), 443, (send) =>
      Effect.gen(function* () {
        const outcome = yield* send()
        assert.strictEqual(tag(outcome), "Failed timeout")
        assert.isTrue(
          outcome._tag === "Failed" &&
            outcome.durationMillis >= 1_900 &&
            outcome.durationMillis < 5_000
        )
      })
    )
  )

  it.live("that resolve when nobody waits any more are not gone to", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { connections, port } = yield* hooks()
        let answer: (addresses: ReadonlyArray<string>) => void = () => undefined
        const lookup = () =>
          new Promise<ReadonlyArray<string>>((resolve) => {
            answer = resolve
          })
        yield* within(world({ lookup }), port, (send) =>
          Effect.gen(function* () {
            const sending = yield* Effect.forkChild(send(), { startImmediately: true })
            yield* Fiber.interrupt(sending)
            answer(["127.0.0.1"])
            yield* Effect.sleep("50 millis")
            assert.deepStrictEqual(connections, [])
          })
        )
      })
    )
  )

  it.live("that are addresses already are not looked up", () =>
    within(
      { lookup: () => Promise.reject(new Error("asked")), isAllowed: () => false },
      443,
      (send) =>
        Effect.gen(function* () {
          assert.strictEqual(tag(yield* send("8.8.8.8")), "Blocked address")
          assert.strictEqual(tag(yield* send("[2606:4700::1111]")), "Blocked address")
        })
    )
  )
})

describe("TLS", () => {
  const refused = (settings: Partial<WebhookTransportNode.World>, name?: string) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { port, requests } = yield* hooks()
        const { certificateAuthority: _, ...trusting } = world()
        const base = "certificateAuthority" in settings ? world() : trusting
        yield* within({ ...base, ...settings }, port, (send) =>
          Effect.gen(function* () {
            assert.strictEqual(tag(yield* send(name)), "Failed tls")
          })
        )
        assert.deepStrictEqual(requests, [])
      })
    )

  it.live("an authority that nobody trusts is refused", () => refused({}))

  it.live("a certificate for another name is refused", () =>
    refused({ certificateAuthority: authority }, "other.shop.com.br")
  )

  it.live("no environment variable makes it lenient", () =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
        process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
        return before
      }),
      () => refused({}),
      (before) =>
        Effect.sync(() => {
          if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]
          else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before
        })
    )
  )

  it.live("a server that speaks without it has failed at TLS", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* listen(createHttpServer(ok))
        yield* within(world(), port, (send) =>
          Effect.gen(function* () {
            assert.strictEqual(tag(yield* send()), "Failed tls")
          })
        )
      })
    )
  )
})

describe("production", () => {
  it.effect("knows no loopback", () =>
    Effect.gen(function* () {
      const transport = yield* WebhookTransport
      for (const url of ["http://127.0.0.1:3000/", "http://localhost:3000/"]) {
        assert.strictEqual(transport.refusal(url), "scheme")
        assert.deepStrictEqual(yield* transport.send({ url, headers: {}, body: "" }), {
          _tag: "Blocked",
          reason: "scheme"
        })
      }
      for (const url of ["https://127.0.0.1/", "https://localhost/"]) {
        assert.strictEqual(transport.refusal(url), "address")
        assert.deepStrictEqual(yield* transport.send({ url, headers: {}, body: "" }), {
          _tag: "Blocked",
          reason: "address"
        })
      }
      assert.strictEqual(transport.refusal("https://hooks.shop.com.br:8443/"), "port")
      assert.isUndefined(transport.refusal("https://hooks.shop.com.br/"))
    }).pipe(Effect.provide(WebhookTransportNode.layer()))
  )
})
