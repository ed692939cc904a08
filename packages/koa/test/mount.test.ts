import { bodyParser } from "@koa/bodyparser"
import { pagoraKoa } from "@pagora/koa"
import { listening, mountContract } from "@pagora/testkit"
import type { MountStart } from "@pagora/testkit"
import Koa from "koa"
import type { Middleware } from "koa"

/** Reads JSON as many a hand-written middleware does, and keeps only what it parsed. */
const forgetful: Middleware = async (ctx, next) => {
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

/** A shop in Koa, with what its author put before the mount. */
const shopWith =
  (isOwnParserNeeded: boolean, ...parsers: ReadonlyArray<Middleware>): MountStart =>
  ({ pagora, prefix }) => {
    const app = new Koa()
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

mountContract("Koa 3", { body: "untouched", passes: "node" }, shopWith(true))

mountContract(
  "Koa 3 behind a parser that keeps the bytes",
  { body: "kept", passes: "node" },
  shopWith(false, bodyParser())
)

mountContract(
  "Koa 3 behind a parser that keeps nothing",
  { body: "lost", passes: "node" },
  shopWith(false, forgetful)
)
