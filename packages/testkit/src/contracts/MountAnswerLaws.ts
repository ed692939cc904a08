import { assert } from "@effect/vitest"
import { request } from "node:http"
import { gunzipSync } from "node:zlib"
import type { MountLaw, MountUnderTest } from "./MountUnderTest.ts"

const always = { "cache-control": "no-store", "x-content-type-options": "nosniff" }
const json = { ...always, "content-type": "application/json" }

interface Answer {
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: Buffer
}

/** A GET with a token, its body as it came. */
const take = ({ mount, port, token }: MountUnderTest, path: string, encoding: string) =>
  new Promise<Answer>((done, fail) => {
    const headers = { authorization: `Bearer ${token}`, "accept-encoding": encoding }
    request({ port, headers, path: `${mount}${path}`, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("error", fail)
      response.once("end", () => done({ headers: response.headers, bytes: Buffer.concat(chunks) }))
    })
      .once("error", fail)
      .end()
  })

/** What an answer keeps whatever the host put around it, such as compression, logs and sessions. */
export const answerLaws: ReadonlyArray<MountLaw> = [
  {
    title: "keeps the headers of its answers",
    law: async ({ api, shop }) => {
      const headers = { "idempotency-key": "headers-0001" }
      const sent = { body: { amount: 3, externalReference: "headers" }, headers }
      const created = await shop("POST", "/pix", sent)
      assert.strictEqual(created.status, 201, created.text)
      assert.deepInclude(created.headers, json)
      const again = await shop("POST", "/pix", sent)
      assert.deepInclude(again.headers, { ...json, "idempotent-replayed": "true" })
      assert.deepInclude((await shop("GET", "/account")).headers, json)
      assert.deepInclude((await shop("GET", "/nothing")).headers, json)
      assert.deepInclude((await shop("HEAD", "/pix")).headers, { ...always, allow: "POST" })
      assert.deepInclude((await api("GET", "/docs")).headers, {
        "content-type": "text/html; charset=utf-8",
        "referrer-policy": "no-referrer"
      })
    }
  },
  {
    title: "tells whoever is sent away when to come back",
    law: async ({ tenant }) => {
      const { over } = await tenant()
      const first = await over("GET", "/projects")
      assert.strictEqual(first.status, 200, first.text)
      assert.deepInclude(first.headers, { "ratelimit-policy": '"projects";q=1;w=60' })
      const refused = await over("GET", "/projects")
      assert.strictEqual(refused.status, 429, refused.text)
      assert.deepInclude(refused.headers, json)
      const seconds = Number(refused.headers["retry-after"])
      assert.isTrue(seconds > 0 && seconds <= 60, JSON.stringify(refused.headers))
    }
  },
  {
    title: "answers the same to a client that takes gzip",
    law: async (test) => {
      await test.shop("POST", "/pix", { body: { amount: 4, externalReference: "in-gzip" } })
      for (const path of ["/openapi.json", "/docs", "/transactions/in-gzip"]) {
        const plain = await take(test, path, "identity")
        const packed = await take(test, path, "gzip")
        const isPacked = packed.headers["content-encoding"] === "gzip"
        assert.strictEqual(isPacked, test.traits.isCompressing === true, path)
        const bytes = isPacked ? gunzipSync(packed.bytes) : packed.bytes
        assert.isTrue(bytes.equals(plain.bytes), path)
        assert.strictEqual(packed.headers["content-type"], plain.headers["content-type"], path)
      }
    }
  }
]
