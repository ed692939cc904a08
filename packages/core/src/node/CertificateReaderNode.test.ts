import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { X509Certificate } from "node:crypto"
import { createServer, request } from "node:https"
import type { AddressInfo } from "node:net"
import type { CertificateReader } from "../http/Sender.ts"
import { CertificateReading } from "../http/Sender.ts"
import { layer } from "./CertificateReaderNode.ts"
import { authority, certificate, privateKey } from "./Certificates.test-data.ts"

const reader = Effect.provide(CertificateReading, layer)
const fingerprint = new X509Certificate(certificate).fingerprint256
  .replaceAll(":", "")
  .toLowerCase()
const subject = "CN=hooks.shop.com.br"

/** What a listener reads of the connection of somebody who shows this. */
const readBy = (
  reading: CertificateReader,
  ca: string | undefined,
  shown: { readonly cert?: string; readonly key?: string }
) =>
  Effect.promise(
    () =>
      new Promise<unknown>((resolve, reject) => {
        const options = { cert: certificate, key: privateKey, requestCert: true }
        const server = createServer(
          { ...options, rejectUnauthorized: false, ...(ca === undefined ? {} : { ca }) },
          (incoming, response) => {
            const read = reading.ofConnection(incoming)
            response.end(() => server.close(() => resolve(read)))
          }
        )
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          const at = { host: "127.0.0.1", port, agent: false, rejectUnauthorized: false }
          request({ ...at, ...shown }, (answer) => answer.resume())
            .on("error", reject)
            .end()
        })
      })
  )

describe("the certificate of a connection", () => {
  const shown = { cert: certificate, key: privateKey }

  it.live("is told with its subject and its fingerprint, and that its authority is trusted", () =>
    Effect.gen(function* () {
      const read = yield* readBy(yield* reader, authority, shown)
      assert.deepStrictEqual(read, { verified: true, subject, fingerprint })
    })
  )

  it.live("is not verified where its authority is nobody's", () =>
    Effect.gen(function* () {
      const read = yield* readBy(yield* reader, undefined, shown)
      assert.deepStrictEqual(read, { verified: false, subject, fingerprint })
    })
  )

  it.live("is none where none is shown, or where there is no TLS", () =>
    Effect.gen(function* () {
      const reading = yield* reader
      assert.isUndefined(yield* readBy(reading, authority, {}))
      assert.isUndefined(reading.ofConnection({ socket: {} }))
      assert.isUndefined(reading.ofConnection({}))
    })
  )
})

describe("the certificate in a header", () => {
  it.effect("is read of RFC 9440, and of a PEM that is percent-encoded", () =>
    Effect.gen(function* () {
      const { ofHeader } = yield* reader
      const bytes = new X509Certificate(certificate).raw.toString("base64")
      for (const value of [`:${bytes}:`, encodeURIComponent(certificate)])
        assert.deepStrictEqual(ofHeader(value), { verified: true, subject, fingerprint })
    })
  )

  it.effect("is none in anything else", () =>
    Effect.gen(function* () {
      const { ofHeader } = yield* reader
      for (const value of ["", ":", "::", ":AAAA:", "%", "-----BEGIN CERTIFICATE-----", "CN=bank"])
        assert.isUndefined(ofHeader(value), value)
    })
  )
})
