import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { DeliveryId } from "../kernel/Ids.ts"
import type { Hmac, Message } from "./Signature.ts"
import { signedHeaders } from "./Signature.ts"

const hmac: Hmac = (key, text) =>
  Effect.sync(() => createHmac("sha256", Redacted.value(key)).update(text, "utf8").digest())

const body =
  '{"event":"payment_completed","eventId":"6f1c2f0e-4a0e-4c57-9d2d-0d6b1a2b3c4d",' +
  '"timestamp":"2026-11-20T12:00:00.000Z","subAccount":null,' +
  '"data":{"transactionId":"6f1c2f0e-4a0e-4c57-9d2d-0d6b1a2b3c4d","amount":10.5}}'
const known = "sha256=c409bb0dc1dd647d58fdff114063e01622982c890dd7ad6996fe6d914bc79b55"

const message: Message = {
  delivery: DeliveryId.make("019a2b3c-0000-7000-8000-00000000000d"),
  event: "payment_completed",
  body,
  epochMillis: 1_795_176_000_123,
  secret: Redacted.make("whsec_test_secret")
}

const noOpenssl = spawnSync("openssl", ["version"]).status !== 0
const withOpenssl = it.effect.skipIf(noOpenssl) // needs the openssl command

/** As a receiver would check it, by a tool that is not ours. */
const openssl = (key: Uint8Array, text: string): string =>
  execFileSync(
    "openssl",
    ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${Buffer.from(key).toString("hex")}`],
    {
      input: text
    }
  )
    .toString()
    .trim()
    .replace(/^.*= */, "")

describe("Signature", () => {
  it.effect("writes exactly the headers of the spec", () =>
    Effect.gen(function* () {
      const headers = yield* signedHeaders(hmac, message)
      assert.deepStrictEqual(headers, {
        "Content-Type": "application/json",
        "User-Agent": "Service-Webhook/1.0",
        "X-Service-Event": "payment_completed",
        "X-Service-Webhook-ID": message.delivery,
        "X-Service-Timestamp": "1795176000123",
        "X-Service-Signature": known
      })
    })
  )

  withOpenssl("agrees with openssl, keyed with the secret as it is written", () =>
    Effect.gen(function* () {
      for (const [secret, text] of [
        ["whsec_test_secret", body],
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", '{"name":"São João 😀"}'],
        ["chave ção", ""]
      ] as const) {
        const signing = { ...message, body: text, secret: Redacted.make<string>(secret) }
        const headers = yield* signedHeaders(hmac, signing)
        assert.strictEqual(
          headers["X-Service-Signature"],
          `sha256=${openssl(new TextEncoder().encode(secret), text)}`
        )
      }
    })
  )

  it.effect("signs as Standard Webhooks do, keyed with the bytes behind whsec_", () =>
    Effect.gen(function* () {
      // The example of the Standard Webhooks specification.
      const example: Message = {
        ...message,
        delivery: "msg_p5jXN8AQM9LWM0D4loKWxJek" as DeliveryId,
        body: '{"test": 2432232314}',
        epochMillis: 1_614_265_330_999,
        secret: Redacted.make("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
      }
      const headers = yield* signedHeaders(hmac, example)
      assert.strictEqual(headers["webhook-id"], "msg_p5jXN8AQM9LWM0D4loKWxJek")
      assert.strictEqual(headers["webhook-timestamp"], "1614265330")
      assert.strictEqual(
        headers["webhook-signature"],
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
      )
    })
  )

  it.effect("signs with both secrets while one replaces the other", () =>
    Effect.gen(function* () {
      const old = Redacted.make(`whsec_${Buffer.alloc(32, 1).toString("base64")}`)
      const fresh = Redacted.make(`whsec_${Buffer.alloc(32, 2).toString("base64")}`)
      const before = yield* signedHeaders(hmac, { ...message, secret: old })
      const during = yield* signedHeaders(hmac, { ...message, secret: fresh, previous: old })
      const after = yield* signedHeaders(hmac, { ...message, secret: fresh })
      assert.strictEqual(during["X-Service-Signature"], after["X-Service-Signature"])
      assert.strictEqual(during["X-Service-Signature-Previous"], before["X-Service-Signature"])
      assert.strictEqual(
        during["webhook-signature"],
        `${after["webhook-signature"]} ${before["webhook-signature"]}`
      )
      assert.isFalse("X-Service-Signature-Previous" in after)
    })
  )

  it.effect("gives the same signature for the same body at every attempt", () =>
    Effect.gen(function* () {
      const first = yield* signedHeaders(hmac, message)
      const second = yield* signedHeaders(hmac, {
        ...message,
        epochMillis: message.epochMillis + 2_000
      })
      assert.strictEqual(first["X-Service-Signature"], second["X-Service-Signature"])
      assert.strictEqual(first["X-Service-Webhook-ID"], second["X-Service-Webhook-ID"])
      assert.notStrictEqual(first["X-Service-Timestamp"], second["X-Service-Timestamp"])
    })
  )
})
