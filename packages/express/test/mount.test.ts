import { assert, describe, it } from "@effect/vitest"
import { mountContract } from "@pagora/testkit"
import { memory, Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { pagoraExpress } from "@pagora/express"
import express from "express"
import { keptBytes, shopIn } from "./ExpressShop.test-data.ts"

mountContract("Express 5", { body: "untouched", passes: "node" }, shopIn(express))

mountContract(
  "Express 5 behind a parser that keeps the bytes",
  { body: "kept", passes: "node" },
  shopIn(express, express.json(keptBytes))
)

mountContract(
  "Express 5 behind a parser that keeps nothing",
  { body: "lost", passes: "node" },
  shopIn(express, express.json())
)

describe("a mount in Express", () => {
  it("answers a form with 415 where the host's parsers have read it, and a lost notice with 500", async () => {
    const pagora = await Pagora.start({
      storage: memory(),
      psp: sandbox({ settleAfter: "manual" }),
      workers: false,
      logger: false
    })
    const parsers = [express.json(keptBytes), express.urlencoded({ extended: true })]
    const host = await shopIn(express, ...parsers)({ pagora, prefix: "/payments/v2" })
    const send = async (path: string, type: string, body: string) => {
      const answer = await fetch(`http://127.0.0.1:${host.port}/payments/v2${path}`, {
        method: "POST",
        headers: { "content-type": type, connection: "close" },
        body
      })
      return { status: answer.status, text: await answer.text() }
    }
    const form = "application/x-www-form-urlencoded"
    const pix = await send("/pix", form, "amount=1")
    assert.strictEqual(pix.status, 415, pix.text)
    assert.include(pix.text, "UNSUPPORTED_MEDIA_TYPE")
    const auth = await send("/auth", form, "client_id=a&client_secret=b")
    assert.deepStrictEqual(Object.keys(JSON.parse(auth.text) as object), ["error", "message"])
    assert.strictEqual(auth.status, 415, auth.text)
    assert.strictEqual((await send("/nothing", form, "a=b")).status, 404)
    assert.strictEqual((await send("/pix", "application/json", "{}")).status, 401)
    const notice = await send("/psp/00000000-0000-7000-8000-00000000005b/webhook", form, "a=b")
    assert.strictEqual(notice.status, 500, notice.text)
    assert.include(notice.text, "BODY_ALREADY_PARSED")
    await host.stop()
    await pagora.stop()
  })

  it("is told when there is nothing to mount", () => {
    for (const nothing of [undefined, {}, Promise.resolve({ listener: () => undefined })])
      assert.throws(() => pagoraExpress(nothing as never), /mount what Pagora\.start resolves to/)
  })
})
