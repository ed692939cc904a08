import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { once } from "node:events"
import type { HostRequest } from "../../src/node/HandOver.ts"
import { handOver } from "../../src/node/HandOver.ts"
import type { Listener } from "../../src/node/Listener.ts"

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Tells what reached it. */
const telling: Listener = (request, response) =>
  void bytesOf(request).then((bytes) => {
    const { headers, method, rawHeaders, url } = request
    const { originalUrl } = request as { originalUrl?: string }
    const text = bytes.toString("latin1")
    response.end(JSON.stringify({ method, url, originalUrl, headers, rawHeaders, text }))
  })

type Given = Partial<Pick<HostRequest, "body" | "rawBody" | "url">>

/** One request to a host that does something before it hands over. */
const exchange = async (
  body: string | undefined,
  before: (request: IncomingMessage) => Promise<Given>,
  listener: Listener = telling
) => {
  let urlAfter: string | undefined
  const server = createServer((request, response) => {
    void before(request)
      .then((given) =>
        handOver(listener, {
          request,
          response,
          url: "/below",
          rawBody: undefined,
          body: undefined,
          remedy: "Mount it first.",
          ...given
        })
      )
      .then(() => {
        urlAfter = request.url
      })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/above/below`, {
    method: "POST",
    headers: { connection: "close", "content-encoding": "gzip" },
    ...(body === undefined ? {} : { body })
  })
  const json = (await answer.json()) as Record<string, unknown>
  server.close()
  await once(server, "close")
  return { status: answer.status, json, urlAfter, headers: json["headers"] as object }
}

const nothing = async (): Promise<Given> => ({})

describe("handing over a request", () => {
  it("leaves a body that nobody has read as it is", async () => {
    const { headers, json, urlAfter } = await exchange("{ }", nothing)
    assert.deepInclude(json, { url: "/below", originalUrl: "/above/below", text: "{ }" })
    assert.propertyVal(headers, "content-encoding", "gzip")
    assert.strictEqual(urlAfter, "/above/below")
  })

  it("gives kept bytes anew, as the host kept them: bytes, text, or the body itself", async () => {
    const keepings: ReadonlyArray<(bytes: Buffer) => Given> = [
      (bytes) => ({ rawBody: bytes, body: {} }),
      (bytes) => ({ rawBody: new Uint8Array(bytes), body: {} }),
      (bytes) => ({ rawBody: bytes.toString("utf8"), body: {} }),
      (bytes) => ({ body: bytes })
    ]
    for (const keep of keepings) {
      const { headers, json, status } = await exchange("{ é }", async (request) =>
        keep(await bytesOf(request))
      )
      assert.strictEqual(status, 200)
      assert.strictEqual(Buffer.from(String(json["text"]), "latin1").toString("utf8"), "{ é }")
      assert.propertyVal(headers, "content-length", "6")
      assert.notProperty(headers, "content-encoding")
      assert.include(json["rawHeaders"] as Array<string>, "content-encoding")
      assert.deepInclude(json, { method: "POST", url: "/below", originalUrl: "/above/below" })
    }
  })

  it("does not take a parsed text for the bytes", async () => {
    const { json, status } = await exchange('"text"', async (request) => {
      request.headers["content-type"] = "application/json"
      return { body: JSON.parse((await bytesOf(request)).toString()) }
    })
    assert.strictEqual(status, 500)
    assert.deepInclude(json["details"], { code: "BODY_ALREADY_PARSED" })
    assert.match(String(json["message"]), /its bytes were not kept\. Mount it first\.$/)
  })

  it("knows that a body which was read, and was none, is empty", async () => {
    const { json, status } = await exchange(undefined, async (request) => {
      await bytesOf(request)
      return { body: {} }
    })
    assert.strictEqual(status, 200)
    assert.strictEqual(json["text"], "")
  })

  it("takes the host off a target that names it", async () => {
    const { json } = await exchange("", async () => ({ url: "http://x/below?a=1" }))
    assert.strictEqual(json["url"], "/below?a=1")
  })

  it("answers for a listener that throws", async () => {
    const { json, status } = await exchange("{}", nothing, () => {
      throw new Error("broken")
    })
    assert.strictEqual(status, 500)
    assert.deepInclude(json, { statusCode: 500, error: "InternalError" })
    assert.notInclude(JSON.stringify(json), "broken")
  })

  it("ends at once when the client has left before", async () => {
    let listened = 0
    const left = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      response.once("close", () => {
        const host = { request, response, url: "/", rawBody: "{}", body: {}, remedy: "" }
        void handOver(() => listened++, host).then(left.resolve)
      })
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await once(server, "request")
    socket.destroy()
    await left.promise
    assert.strictEqual(listened, 0)
    server.close()
  })
})
