import { assert, describe, it } from "@effect/vitest"
import { X509Certificate } from "node:crypto"
import { rootCertificates } from "node:tls"
import type { Deployment, Env } from "./ServeWorld.test-data.ts"
import { productionConfig, worldOf } from "./ServeWorld.test-data.ts"

// Any two will do: the proxy has verified what it passes on.
const [banks = "", others = ""] = rootCertificates
const fingerprint = new X509Certificate(banks).fingerprint256.replaceAll(":", "").toLowerCase()
const webhook = "/psp/0190a1b2-0000-7000-8000-0000000000ba/webhook"

const deployment: Env = { PAGORA_CONFIG: productionConfig, BANK_FINGERPRINT: fingerprint }
const header: Env = { PAGORA_CLIENT_CERTIFICATE_HEADER: "Client-Cert" }

/** As RFC 9440 writes a certificate in a header. */
const inHeader = (certificate: string) =>
  `:${new X509Certificate(certificate).raw.toString("base64")}:`

const notify = async ({ api }: Deployment, headers: Env = {}): Promise<number> =>
  (await api("POST", webhook, { body: {}, headers })).status

describe("pagora serve behind a proxy that ends TLS", { timeout: 120_000 }, () => {
  it("hears the bank by the certificate that the proxy passes on", async (context) => {
    const world = await worldOf(context)
    const trusted = { PAGORA_TRUSTED_PROXIES: "127.0.0.0/8,::1" }
    const serving = await world.start({ ...deployment, ...header, ...trusted })
    assert.strictEqual(await notify(serving, { "client-cert": inHeader(banks) }), 200)
    assert.strictEqual(await notify(serving, { "client-cert": encodeURIComponent(banks) }), 200)
    assert.strictEqual(await notify(serving, { "client-cert": inHeader(others) }), 401)
    assert.strictEqual(await notify(serving, { "ssl-client-cert": inHeader(banks) }), 401)
    assert.strictEqual(await notify(serving), 401)
  })

  it("hears nobody by a header that somebody else wrote, or that it was not told of", async (context) => {
    const world = await worldOf(context)
    const [elsewhere, untold] = await Promise.all([
      world.start({ ...deployment, ...header, PAGORA_TRUSTED_PROXIES: "192.0.2.7" }),
      world.start({ ...deployment, PAGORA_TRUSTED_PROXIES: "127.0.0.0/8,::1" })
    ])
    for (const serving of [elsewhere, untold])
      assert.strictEqual(await notify(serving, { "client-cert": inHeader(banks) }), 401)
  })
})
