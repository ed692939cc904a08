import { assert, describe, it } from "@effect/vitest"
import { memory, WebhookDispatcher } from "@pagora/core"
import { WebhookTransportNode } from "@pagora/core/node"
import type { Answer } from "@pagora/testkit"
import { layerPagora, TestPagora } from "@pagora/testkit"
import { Effect, Layer } from "effect"
import { acceptedUrls, refusedUrls, special } from "../../src/node/AddressVectors.test-data.ts"
import { codeOf, existing } from "../world/ServiceWorld.test-data.ts"

/** The whole service with the transport of production; names resolve as a test tells. */
const world = (lookup: (name: string) => Promise<ReadonlyArray<string>>) =>
  layerPagora(Layer.fresh(memory()), WebhookTransportNode.layerIn({ lookup }))

const nobody = world(() => Promise.reject(new Error("Nobody asks for a name.")))

const good = "https://hooks.shop.com.br/pix"

/** How each kind of refusal tells what to do. */
const remedies = {
  scheme: /^url: webhooks are sent by https only\.$/,
  port: /^url: webhooks are sent to port 443 only\.$/,
  address: /^url: webhooks are sent to public addresses only\.$/,
  url: /^url: send a complete URL without credentials, such as https:/
}

const isAddress = (text: string) => /^[\d.]+$|^[\da-f:.]+$/i.test(text)

/** The addresses that nothing is sent to, as the host of a URL. */
const asHosts: ReadonlyArray<string> = special
  .map(([address]) => address)
  .filter((address) => isAddress(address) && URL.canParse(`https://[${address}]/`))
  .map((address) => `https://[${address}]/`)

const listed = <Row>({ json }: Answer<{ readonly data: ReadonlyArray<Row> }>) => json.data

/** All that the log says of an address that nothing is sent to: no time that it took, no address. */
const told = JSON.stringify({
  number: 1,
  outcome: "blocked_address",
  httpStatus: null,
  durationMillis: 0
})

describe("addresses of webhook endpoints", () => {
  it.effect(
    "that nothing is sent to are refused at once, by tenants' and operator's API alike",
    () =>
      Effect.gen(function* () {
        const { operator, tenant } = yield* TestPagora
        const shop = yield* tenant()
        const own = "/webhook-endpoints"
        const operators = `/accounts/${shop.id}/webhook-endpoints`
        const { json: endpoint } = yield* shop.call("POST", own, { body: { url: good } })
        const path = `/${endpoint.id}` as const
        const cases = [...refusedUrls, ...asHosts.map((url) => [url, "address"] as const)]
        assert.isAtLeast(cases.length, 250)
        for (const [url, refusal] of cases) {
          const body = { url }
          const answers = [
            yield* shop.call("POST", own, { body }),
            yield* shop.call("PATCH", own + path, { body }),
            yield* operator("POST", operators, { body }),
            yield* operator("PATCH", operators + path, { body })
          ]
          for (const answer of answers) {
            assert.strictEqual(answer.status, 400, `${JSON.stringify(url)} ${answer.text}`)
            // Too short, too long, or of characters that no text may have: told before anybody reads it as a URL.
            const code = codeOf(answer)
            if (code === "URL_REFUSED") assert.match(String(answer.json.message), remedies[refusal])
            else {
              assert.include(["VALIDATION_ERROR", "MALFORMED_JSON"], code, url)
              assert.strictEqual(refusal, "url", url)
            }
          }
        }
        const left = listed(yield* shop.call("GET", own)).map(({ url }) => url)
        assert.deepStrictEqual(left, [good])
      }).pipe(Effect.provide(nobody))
  )

  it.effect("that are public may all be registered", () =>
    Effect.gen(function* () {
      const { operator, tenant } = yield* TestPagora
      const shop = yield* tenant()
      for (const [url] of acceptedUrls) {
        const { json, status, text } = yield* shop.call("POST", "/webhook-endpoints", {
          body: { url }
        })
        assert.deepStrictEqual([status, json.url], [201, url], text)
        const path = `/accounts/${shop.id}/webhook-endpoints/${json.id}` as const
        assert.strictEqual((yield* operator("DELETE", path)).status, 204)
      }
    }).pipe(Effect.provide(nobody))
  )

  it.effect("whose name leads inside get nothing, and the log does not tell what is there", () => {
    let answer: ReadonlyArray<string> = []
    const asked: Array<string> = []
    const lookup = (name: string) => {
      asked.push(name)
      return Promise.resolve(answer)
    }
    return Effect.gen(function* () {
      const { operator, tenant } = yield* TestPagora
      const dispatcher = yield* WebhookDispatcher
      const shop = yield* tenant()
      const path = `/accounts/${shop.id}/webhook-endpoints` as const
      const { json } = yield* operator("POST", path, { body: { url: good } })
      const seen = new Set<string>()
      const answers = [
        ["10.0.0.1"],
        ["8.8.8.8", "169.254.169.254"],
        ["64:ff9b::7f00:1"],
        ["fd00::1"]
      ]
      for (const next of answers) {
        answer = next
        yield* operator("POST", `${path}/${json.id}/test`)
        yield* dispatcher.drain
        const log = yield* operator("GET", `/accounts/${shop.id}/deliveries`)
        const [latest] = listed(log)
        const attempts = existing(latest).attempts
        for (const { at: _, ...attempt } of attempts) seen.add(JSON.stringify(attempt))
      }
      assert.deepStrictEqual([...seen], [told])
      assert.deepStrictEqual(
        asked,
        answers.map(() => "hooks.shop.com.br")
      )
    }).pipe(Effect.provide(world(lookup)))
  })
})
