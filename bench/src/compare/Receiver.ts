import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A receiver of webhooks on this machine that answers at once. */
export const startReceiver = Effect.gen(function* () {
  const received = new Set<string>()
  let wanted = 0
  let firstAt = 0
  let done: ((millis: number) => void) | undefined
  const server = createServer((request, response) => {
    if (received.size === 0) firstAt = performance.now()
    received.add(String(request.headers["x-service-webhook-id"]))
    request.resume()
    response.writeHead(200, { "content-length": "0" }).end()
    if (received.size === wanted) done?.(performance.now() - firstAt)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Waits until so many deliveries came, and answers how many milliseconds after the first one the last one did. */
    all: (count: number) =>
      Effect.callback<number>((resume) => {
        wanted = count
        done = (millis) => resume(Effect.succeed(millis))
      })
  }
})
