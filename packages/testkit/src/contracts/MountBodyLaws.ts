import { assert } from "@effect/vitest"
import { gzipSync } from "node:zlib"
import { charge, post } from "./RawFraming.ts"
import type { MountLaw } from "./MountUnderTest.ts"

const json = { "content-type": "application/json" }

/** What holds where the bytes of a body can be had. */
export const bodyLaws: ReadonlyArray<MountLaw> = [
  {
    title: "gives a token, makes a charge and finds it again",
    law: async ({ api, tenant }) => {
      const { clientId, clientSecret } = await tenant()
      const body = { client_id: clientId, client_secret: clientSecret }
      const auth = await api("POST", "/auth", { body })
      assert.strictEqual(auth.status, 200, auth.text)
      const headers = { authorization: `Bearer ${String(auth.json["access_token"])}` }
      const sent = { amount: 10.5, description: "São João 😀", externalReference: "first" }
      const made = await api("POST", "/pix", { body: sent, headers })
      assert.strictEqual(made.status, 201, made.text)
      const found = await api("GET", "/transactions/first", { headers })
      assert.strictEqual(found.json["id"], made.json["id"])
      assert.strictEqual(Number(found.json["amount"]), 10.5)
    }
  },
  {
    title: "sees the bytes that were sent, not what a parser made of them",
    law: async ({ isThere, shop }) => {
      const twice = '{"amount":1,"amount":2,"externalReference":"twice"}'
      const tooFine = '{"amount":1.0000000000000000001,"externalReference":"too-fine"}'
      for (const body of [twice, tooFine]) {
        const { status, text } = await shop("POST", "/pix", { body })
        assert.strictEqual(status, 400, text)
      }
      assert.isFalse(await isThere("twice"))
      assert.isFalse(await isThere("too-fine"))
    }
  },
  {
    title: "does a request with an Idempotency-Key once",
    law: async ({ shop }) => {
      const headers = { "idempotency-key": "mounted-0001" }
      const body = { amount: 2 }
      const [first, second] = [
        await shop("POST", "/pix", { body, headers }),
        await shop("POST", "/pix", { body, headers })
      ]
      assert.deepStrictEqual([first.status, second.status], [201, 201])
      assert.strictEqual(first.json["id"], second.json["id"])
      const other = await shop("POST", "/pix", { body: { amount: 3 }, headers })
      assert.strictEqual(other.status, 422, other.text)
    }
  },
  {
    title: "refuses a body that is empty, no JSON, of another type, or too large",
    law: async ({ isThere, shop, traits }) => {
      const large = { amount: 1, externalReference: "large", description: "x".repeat(70_000) }
      const cases: ReadonlyArray<readonly [number, string, Record<string, string>]> = [
        [400, "", { ...json, "content-length": "0" }],
        [400, '{"amount":', json],
        [415, charge("typed"), { "content-type": "text/plain" }],
        [413, JSON.stringify(large), json]
      ]
      for (const [expected, body, headers] of cases) {
        const answer = await shop("POST", "/pix", { body, headers })
        assert.strictEqual(answer.status, expected, answer.text)
        if (traits.body === "untouched") assert.isDefined(answer.json["timestamp"], answer.text)
      }
      assert.isFalse(await isThere("typed"))
      assert.isFalse(await isThere("large"))
    }
  },
  {
    title: "takes a compressed body only where the host unpacks it",
    law: async ({ isThere, shop, traits }) => {
      const { status, text } = await shop("POST", "/pix", {
        body: gzipSync(charge("packed")),
        headers: { ...json, "content-encoding": "gzip" }
      })
      assert.strictEqual(status, traits.body === "kept" ? 201 : 400, text)
      assert.strictEqual(await isThere("packed"), status === 201)
    }
  },
  {
    title: "takes a body byte by byte, in chunks, and after 100 Continue",
    law: async ({ isThere, mount, raw, token }) => {
      const good = (ref: string) => post({ mount, ref, token })
      assert.deepStrictEqual((await raw([...good("by-byte")])).statuses, [201])
      const chunks = [...charge("in-chunks")].map((char) => `1;ext=1\r\n${char}\r\n`).join("")
      const chunked = good("x").replace(
        /Content-Length[^]*/,
        `Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
      )
      assert.deepStrictEqual((await raw([chunked])).statuses, [201])
      const [headers = "", body = ""] = good("continued").split("\r\n\r\n")
      const pieces = [`${headers}\r\nExpect: 100-continue\r\n\r\n`, body]
      assert.deepStrictEqual((await raw(pieces, { pause: 50, answers: 2 })).statuses, [100, 201])
      for (const ref of ["by-byte", "in-chunks", "continued"])
        assert.isTrue(await isThere(ref), ref)
    }
  },
  {
    title: "answers one request after the other on a connection, the host's among them",
    law: async ({ isThere, mount, raw, token }) => {
      const hello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"
      const sent = post({ mount, ref: "one", token }) + hello + post({ mount, ref: "two", token })
      const { statuses, text } = await raw([sent], { answers: 3 })
      assert.deepStrictEqual(statuses, [201, 200, 201], text)
      assert.isTrue((await isThere("one")) && (await isThere("two")))
    }
  }
]

/** What holds where a host's parser has read the body and kept nothing. */
export const lostBodyLaws: ReadonlyArray<MountLaw> = [
  {
    title: "refuses a body that was parsed, tells how to mount, and does nothing",
    law: async ({ api, audit, isThere, shop }) => {
      for (const [call, path] of [
        [shop, "/pix"],
        [shop, "/withdrawals"],
        [api, "/auth"]
      ] as const) {
        const { json: body, status } = await call("POST", path, {
          body: { amount: 1, externalReference: "lost" }
        })
        assert.strictEqual(status, 500)
        assert.strictEqual(String(body["error"]), "InternalError")
        assert.strictEqual(Number(body["statusCode"]), 500)
        assert.strictEqual(String(body["details"]?.["code"]), "BODY_ALREADY_PARSED")
        const sentence =
          /^The body was parsed before Pagora saw it, and its bytes were not kept\. (Mount it|Pass the request on) before .+\(.+\)\. Or .+\.$/
        assert.match(String(body["message"]), sentence)
        assert.isDefined(body["timestamp"])
      }
      assert.isFalse(await isThere("lost"))
      await audit()
    }
  },
  {
    title: "answers what has no body, or one that the parser left alone",
    law: async ({ shop }) => {
      assert.strictEqual((await shop("GET", "/account")).status, 200)
      const id = "019a2b3c-dead-7000-8000-00000000beef"
      assert.strictEqual((await shop("POST", `/transactions/${id}/refund`)).status, 404)
      const empty = { ...json, "content-length": "0" }
      assert.strictEqual((await shop("POST", "/pix", { headers: empty })).status, 400)
      const text = { "content-type": "text/plain" }
      assert.strictEqual((await shop("POST", "/pix", { body: "x", headers: text })).status, 415)
    }
  }
]
