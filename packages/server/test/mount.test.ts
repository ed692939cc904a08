import { assert, it } from "@effect/vitest"
import { serve } from "@pagora/server"
import { mountContract } from "@pagora/testkit"
import type { MountStart } from "@pagora/testkit"
import { Effect, Exit, Scope } from "effect"
import type { IncomingMessage } from "node:http"

const jsonOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString("utf8"))
}

/** The standalone server's listener, with two more mounts beside the service. */
const start: MountStart = async ({ pagora, prefix }) => {
  const scope = Scope.makeUnsafe()
  const port = await Effect.runPromise(
    Scope.provide(
      serve({
        host: "127.0.0.1",
        port: 0,
        mounts: [
          { prefix: "/hello", listener: (_, response) => response.end("hello") },
          {
            prefix: "/echo",
            listener: (request, response) =>
              void jsonOf(request).then((json) => {
                response.setHeader("content-type", "application/json")
                response.end(JSON.stringify(json))
              })
          },
          { prefix, listener: pagora.listener }
        ]
      }),
      scope
    )
  )
  return { port, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

mountContract("the standalone server", { body: "untouched", passes: "node" }, start)

it("tells where the paths are, of which the asked one is none", async () => {
  const scope = Scope.makeUnsafe()
  const mounts = ["/v2", "/operator/v1"].map((prefix) => ({ prefix, listener: () => {} }))
  const port = await Effect.runPromise(
    Scope.provide(serve({ host: "127.0.0.1", port: 0, mounts }), scope)
  )
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  assert.strictEqual(answer.status, 404)
  const text = await answer.text()
  assert.include(text, "Paths begin with /v2 or /operator/v1.")
  assert.include(text, '"code":"ROUTE_NOT_FOUND"')
  await Effect.runPromise(Scope.close(scope, Exit.void))
})
