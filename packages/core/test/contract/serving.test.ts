import { assert, describe, it, vi } from "@effect/vitest"
import { memory, Pagora } from "@pagora/core"
import type { PagoraInstance } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"

const paths = ["/docs", "/openapi.json", "/events.json"]
const started = (docs?: boolean) =>
  Pagora.start({
    storage: memory(),
    psp: sandbox({ settleAfter: "manual" }),
    logger: false,
    workers: false,
    docs
  })
const get = (pagora: PagoraInstance, path: string, headers: Record<string, string> = {}) =>
  pagora.fetch(new Request(`http://pagora.internal${path}`, { headers }))

describe("the documents of the API", () => {
  it("are answered once to a client that keeps them", async () => {
    const pagora = await started()
    const etags = new Set<string>()
    for (const path of paths) {
      const first = await get(pagora, path)
      const etag = first.headers.get("etag") ?? ""
      assert.match(etag, /^W\/"[0-9a-f]{32}"$/)
      etags.add(etag)
      assert.strictEqual(first.headers.get("cache-control"), "no-cache")
      const text = await first.text()
      for (const known of [etag, `"x", ${etag}`, etag.slice(2), "*"]) {
        const again = await get(pagora, path, { "if-none-match": known })
        assert.strictEqual(again.status, 304, `${path} ${known}`)
        assert.strictEqual(again.headers.get("etag"), etag)
        assert.strictEqual(await again.text(), "")
      }
      const other = await get(pagora, path, { "if-none-match": '"x"' })
      assert.strictEqual(other.status, 200)
      assert.strictEqual(await other.text(), text)
    }
    assert.strictEqual(etags.size, paths.length)
    await pagora.stop()
  })

  it("are rendered once, however often they are asked for", async ({ onTestFinished }) => {
    const pagora = await started()
    for (const path of paths) await get(pagora, path)
    const rendering = vi.spyOn(JSON, "stringify")
    onTestFinished(() => rendering.mockRestore())
    for (const path of paths) {
      rendering.mockClear()
      for (let times = 0; times < 3; times++)
        assert.strictEqual((await get(pagora, path)).status, 200)
      assert.strictEqual(rendering.mock.calls.length, 0, path)
    }
    await pagora.stop()
  })

  it("are not there when they are switched off", async () => {
    const pagora = await started(false)
    for (const path of paths) {
      const answer = await get(pagora, path)
      assert.strictEqual(answer.status, 404, path)
      assert.include(await answer.text(), "ROUTE_NOT_FOUND")
      const post = await pagora.fetch(
        new Request(`http://pagora.internal${path}`, { method: "POST" })
      )
      assert.strictEqual(post.status, 404, path)
    }
    assert.strictEqual((await get(pagora, "/account")).status, 401)
    await pagora.stop()
  })
})
