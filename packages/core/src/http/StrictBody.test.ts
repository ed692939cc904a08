import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { readBody } from "./StrictBody.ts"

/** A request of Node whose body is never there when it is asked for. */
const unread = (headers: Readonly<Record<string, string>>) =>
  ({
    headers,
    source: { rawHeaders: [], body: null },
    arrayBuffer: Effect.die(new Error("The body was asked for."))
  }) as unknown as HttpServerRequest.HttpServerRequest

const read = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.exit(Effect.provideService(readBody, HttpServerRequest.HttpServerRequest, request))

describe("a body", () => {
  it.effect("that a request says it does not have is not waited for", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read(unread({})))._tag, "Success")
    })
  )

  it.effect("is read wherever the headers tell of one, whatever the host left beside it", () =>
    Effect.gen(function* () {
      for (const headers of [{ "content-length": "2" }, { "transfer-encoding": "chunked" }])
        assert.strictEqual((yield* read(unread(headers)))._tag, "Failure")
    })
  )

  it.effect("of a web request is read where there is one, though no header tells", () =>
    Effect.gen(function* () {
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('{"a":1}'))
          controller.close()
        }
      })
      const request = new Request("http://localhost/", { method: "POST", body, duplex: "half" })
      assert.isNull(request.headers.get("content-length"))
      const exit = yield* read(HttpServerRequest.fromWeb(request))
      assert.strictEqual(JSON.stringify(exit._tag === "Success" && exit.value), '{"a":1}')
      const none = yield* read(HttpServerRequest.fromWeb(new Request("http://localhost/")))
      assert.isTrue(none._tag === "Success" && none.value === undefined)
    })
  )
})
