import type { Mountable } from "@pagora/core/node"
import { handOver, mounted, mountPrefix, pathBelow } from "@pagora/core/node"
import type { Middleware } from "koa"

const remedy =
  'Mount it before the parser: app.use(pagoraKoa(pagora, { prefix: "/payments" })) above app.use(bodyParser()). ' +
  "Or use a parser that keeps the bytes in ctx.request.rawBody, as @koa/bodyparser does for JSON."

/**
 * Pagora as middleware of Koa 3: `app.use(pagoraKoa(pagora, { prefix: "/payments/v2" }))`. It answers everything below
 * its prefix and passes on the rest. The client's address is the socket's: Koa's `proxy` does not count, Pagora's
 * trusted proxies do.
 */
export const pagoraKoa = (
  pagora: Mountable,
  /** Where it is mounted. The root, unless told otherwise; `koa-mount` may have taken the prefix off already. */
  options: { readonly prefix?: string } = {}
): Middleware => {
  const listener = mounted(pagora)
  const prefix = mountPrefix(options.prefix ?? "/")
  return async (ctx, next) => {
    const { req: request, res: response } = ctx
    const url = pathBelow(request.url ?? "/", prefix)
    if (url === undefined) return next()
    // Koa itself has nothing to answer any more.
    ctx.respond = false
    const { body, rawBody } = ctx.request as { readonly body?: unknown; readonly rawBody?: unknown }
    Object.assign(request, { originalUrl: ctx.originalUrl })
    await handOver(listener, { request, response, url, rawBody, body, remedy })
  }
}
