import type { Mountable } from "@pagora/core/node"
import { handOver, mounted } from "@pagora/core/node"
import type { Request, RequestHandler } from "express"

const remedy =
  'Mount it before the parser: app.use("/payments", pagoraExpress(pagora)) above app.use(express.json()). ' +
  "Or keep the bytes: express.json({ verify: (request, _response, bytes) => { request.rawBody = bytes } })."

/**
 * Pagora as middleware of Express 5 or 4: `app.use("/payments/v2", pagoraExpress(pagora))`. It answers everything below its
 * path, never calls `next`, and takes the client's address from the socket: Express's `trust proxy` does not count,
 * Pagora's trusted proxies do.
 */
export const pagoraExpress = (pagora: Mountable): RequestHandler => {
  const listener = mounted(pagora)
  return (request, response) => {
    const { body, rawBody } = request as typeof request & { rawBody?: unknown }
    void handOver(listener, { request, response, url: urlBelow(request), rawBody, body, remedy })
  }
}

/** What lies below the mount. Express 4 takes a slash too much off `/payments//account`, which is not `/account`. */
const urlBelow = ({ baseUrl, originalUrl, url }: Request): string => {
  const whole = originalUrl.slice(baseUrl.length)
  return whole === `/${url}` ? whole : url
}
