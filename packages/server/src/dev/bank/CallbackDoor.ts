import type { FakeBank } from "@pagora/fake-bank"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"

const host = "127.0.0.1"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Where the bank calls back: HTTPS on this machine, for whoever shows a certificate of the bank, and for notifications of PSPs alone.
 * Answers its address.
 */
export const openCallbackDoor = (
  { callbacks }: FakeBank,
  listener: Listener
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const { certificate, key } = callbacks.receiver
        const server = createServer(
          {
            cert: certificate,
            key,
            ca: callbacks.ca,
            requestCert: true,
            rejectUnauthorized: true,
            minVersion: "TLSv1.2"
          },
          (request, response) => {
            if (/^\/psp\/[^/?]+\/webhook(?:\/pix)?(?:\?|$)/.test(request.url ?? ""))
              listener(request, response)
            else response.writeHead(404).end()
          }
        )
        server.listen(0, host, () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => `https://${host}:${(server.address() as AddressInfo).port}`
  )
