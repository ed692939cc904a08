import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { MountedHost } from "./MountUnderTest.ts"

const sweepMillis = 20

/** Serves a host on a free port of the loopback interface. It stops as a host should: running requests are answered. */
export const listening = async (host: RequestListener): Promise<MountedHost> => {
  const server = createServer(host)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((done) => {
        // A connection whose last request was just answered would be kept alive.
        const sweep = setInterval(() => server.closeIdleConnections(), sweepMillis)
        server.close(() => {
          clearInterval(sweep)
          done()
        })
      })
  }
}
