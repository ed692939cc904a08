import { pagoraKoa } from "@pagora/koa"
import { listening } from "@pagora/testkit"
import type { MountStart } from "@pagora/testkit"
import type Koa from "koa"
import type { Middleware } from "koa"

/** Reads JSON as many a hand-written middleware does, and keeps only what it parsed. */
export const forgetful: Middleware = async (ctx, next) => {
  if (ctx.request.is("json") !== false && ctx.request.is("json") !== null) {
    const chunks: Array<Buffer> = []
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString("utf8")
    try {
      Object.assign(ctx.request, { body: text === "" ? {} : JSON.parse(text) })
    } catch {
      ctx.throw(400)
    }
  }
  await next()
}

/** A shop in Koa, of whichever version, with what its author put before the mount. */
export const shopIn =
  (
    Host: typeof Koa,
    isOwnParserNeeded: boolean,
    ...parsers: ReadonlyArray<Middleware>
  ): MountStart =>
  ({ pagora, prefix }) => {
    const app = new Host()
    app.on("error", () => undefined)
    for (const parser of parsers) app.use(parser)
    const echo: Middleware = (ctx) => {
      ctx.body = (ctx.request as { body?: unknown }).body
    }
    app.use(async (ctx, next) => {
      if (ctx.path === "/hello") ctx.body = "hello"
      else if (ctx.path !== "/echo") await next()
      else if (isOwnParserNeeded) await forgetful(ctx, async () => echo(ctx, next))
      else await echo(ctx, next)
    })
    app.use(pagoraKoa(pagora, { prefix }))
    return listening(app.callback())
  }
