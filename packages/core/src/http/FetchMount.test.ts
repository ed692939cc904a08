import { assert, describe, it } from "@effect/vitest"
import { fetchBelow } from "./FetchMount.ts"

/** Stands for the service: tells what reached it. */
const telling = {
  fetch: async (request: Request, origin?: { readonly remoteAddress?: string | undefined }) => {
    const { method, url } = request
    const from = origin?.remoteAddress
    return Response.json({ method, url, text: await request.text(), from }, { status: 201 })
  }
}
const payments = fetchBelow("/payments/v2/", telling)
const shop = "https://shop.example.com"

describe("fetchBelow", () => {
  it("is told when there is nothing to mount", () => {
    for (const nothing of [undefined, {}, Promise.resolve(telling)])
      assert.throws(
        () => fetchBelow("/v2", nothing as never),
        /mount what Pagora\.start resolves to/
      )
  })

  it("passes a request on without its prefix, and what the host knows of it", async () => {
    const request = new Request(`${shop}/payments/v2/pix?a=1`, {
      method: "POST",
      body: '{ "a":1 }'
    })
    const answer = await payments(request, { remoteAddress: "192.0.2.1" })
    assert.strictEqual(answer.status, 201)
    assert.deepStrictEqual(await answer.json(), {
      method: "POST",
      url: `${shop}/pix?a=1`,
      text: '{ "a":1 }',
      from: "192.0.2.1"
    })
  })

  it("leaves what lies elsewhere to the host, or answers 404", async () => {
    const elsewhere = () => new Request(`${shop}/payments/v22`)
    assert.strictEqual((await payments(elsewhere())).status, 404)
    const own = fetchBelow("/payments/v2", telling, async () => new Response("own"))
    assert.strictEqual(await (await own(elsewhere())).text(), "own")
  })

  it("refuses a body that was read, with the sentence that mends it", async () => {
    const request = new Request(`${shop}/payments/v2/pix`, { method: "POST", body: "{}" })
    await request.json()
    const answer = await payments(request)
    assert.strictEqual(answer.status, 500)
    const json = (await answer.json()) as { readonly message: string; readonly details: object }
    assert.deepStrictEqual(json.details, { code: "BODY_ALREADY_PARSED" })
    assert.match(json.message, /Or read a copy: await request\.clone\(\)\.json\(\)\.$/)
  })
})
