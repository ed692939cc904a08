import { assert, describe, it } from "@effect/vitest"
import { pagoraKoa } from "@pagora/koa"
import { listening } from "@pagora/testkit"
import Koa from "koa"
import type { Middleware } from "koa"
import type { IncomingMessage, ServerResponse } from "node:http"

/** Stands for the service: tells what reached it. */
const telling = {
  listener: (request: IncomingMessage, response: ServerResponse) => {
    const { originalUrl, url } = request as { originalUrl?: string; url?: string }
    response.writeHead(201).end(JSON.stringify({ url, originalUrl }))
  }
}

const ask = async (path: string, ...middleware: ReadonlyArray<Middleware>) => {
  const app = new Koa()
  for (const each of middleware) app.use(each)
  const { port, stop } = await listening(app.callback())
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  const text = await answer.text()
  await stop()
  return { status: answer.status, text }
}

describe("what is around a mount in Koa", () => {
  it("sees the whole path and the status again, once it is answered", async () => {
    const seen: Array<unknown> = []
    const log: Middleware = async (ctx, next) => {
      await next()
      ctx.set("x-late", "1")
      seen.push(ctx.status, ctx.url)
    }
    const { status, text } = await ask("/pay/pix?a=1", log, pagoraKoa(telling, { prefix: "/pay/" }))
    assert.strictEqual(status, 201)
    assert.deepStrictEqual(JSON.parse(text), { url: "/pix?a=1", originalUrl: "/pay/pix?a=1" })
    assert.deepStrictEqual(seen, [201, "/pay/pix?a=1"])
  })

  it("may have taken the prefix off, as koa-mount does", async () => {
    const strip: Middleware = (ctx, next) => {
      ctx.path = ctx.path.replace("/pay", "")
      return next()
    }
    const { text } = await ask("/pay/pix", strip, pagoraKoa(telling))
    assert.deepStrictEqual(JSON.parse(text), { url: "/pix", originalUrl: "/pay/pix" })
  })

  it("is told when the prefix is none", () => {
    assert.throws(() => pagoraKoa(telling, { prefix: "pay" }), /Begin it with a slash/)
  })

  it("is told when there is nothing to mount", () => {
    for (const nothing of [undefined, {}, Promise.resolve(telling)])
      assert.throws(() => pagoraKoa(nothing as never), /mount what Pagora\.start resolves to/)
  })
})
