import type { FakeBank } from "@pagora/fake-bank"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { Server } from "node:http"
import { createServer as createPlainServer } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { Listener } from "./Listener.ts"

const host = "127.0.0.1"

/** Where a bank calls back, for notifications of PSPs alone. Answers its address. */
export type CallbackDoor = (listener: Listener) => Effect.Effect<string, never, Scope.Scope>

/** HTTPS on this machine, for whoever shows a certificate of the bank. */
export const certifiedDoor =
  ({ callbacks }: FakeBank): CallbackDoor =>
  (listener) => {
    const { certificate, key } = callbacks.receiver
    const tls = { cert: certificate, key, ca: callbacks.ca, minVersion: "TLSv1.2" } as const
    const server = createServer(
      { ...tls, requestCert: true, rejectUnauthorized: true },
      noticesAlone(listener)
    )
    return Effect.map(opened(server), (port) => `https://${host}:${port}`)
  }

/** HTTP on this machine, for whoever signs what it sends. */
export const plainDoor: CallbackDoor = (listener) =>
  Effect.map(opened(createPlainServer(noticesAlone(listener))), (port) => `http://${host}:${port}`)

const noticesAlone =
  (listener: Listener): Listener =>
  (request, response) => {
    if (/^\/psp\/[^/?]+\/webhook(?:\/pix)?(?:\?|$)/.test(request.url ?? ""))
      listener(request, response)
    else response.writeHead(404).end()
  }

const opened = (
  server: Pick<Server, "address" | "close" | "closeAllConnections" | "listen">
): Effect.Effect<number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, host, () => resume(Effect.succeed((server.address() as AddressInfo).port)))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
