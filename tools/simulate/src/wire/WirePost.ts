import type { NewCallback } from "@pagora/fake-bank"
import type { RawNotification } from "@pagora/core"
import type { CallbackProof } from "@pagora/psp-bacen"
import type { Forging, Letter } from "@pagora/testkit/simulation"
import type { Chance } from "./WireFaults.ts"

/** By what callbacks of a bank are told from others, and where they go. */
export interface WireProof {
  readonly proof: CallbackProof
  /** What the bank was told. */
  readonly url: string
}

/** In the place of the certificate that a connection shows: the service has none here, and its proxy would tell it so. */
const certificateHeader = "x-shown-certificate"

const commonName = "webhooks of the bank"
const place = "https://pagora.example/webhook"

export const drawProof = (chance: Chance): WireProof => {
  if (chance.happens(0.5)) return { proof: { by: "mutualTls", commonName }, url: place }
  const secret = `secret${chance.below(1_000_000_000)}of-callbacks`
  return { proof: { by: "secret", secret, addresses: [] }, url: `${place}?hmac=${secret}&ignorar=` }
}

/** The letter to a callback, and what somebody else could make of it. */
export const letterOf = (
  { body, headers = {}, kind, url }: NewCallback,
  by: CallbackProof["by"],
  anyReference: () => string
): Letter => {
  const { pathname, searchParams } = new URL(url)
  const text = JSON.stringify(body)
  const written = (bytes: string, more: Partial<RawNotification> = {}): RawNotification => ({
    headers: { ...headers, ...(by === "mutualTls" ? shown(`CN=${commonName},O=Bank`) : {}) },
    body: new TextEncoder().encode(bytes),
    query: Object.fromEntries(searchParams),
    path: pathname.endsWith("/pix") ? "/pix" : "",
    ...more
  })
  const reference = /"(?:txid|idEnvio|codigoSolicitacao)":"([^"]+)"/.exec(text)?.[1] ?? ""
  const common: ReadonlyArray<Forging> = [
    {
      how: "that cannot be read",
      mayBeTaken: false,
      make: () => written(`<pix>${reference}</pix>`)
    },
    {
      how: "about what did not happen",
      mayBeTaken: true,
      make: () => written(text.replaceAll(reference, anyReference()))
    },
    {
      how: "that tells another amount",
      mayBeTaken: true,
      make: () => written(text.replace(/"valor":"\d+/, '"valor":"9'))
    }
  ]
  const strangers: ReadonlyArray<Forging> =
    by === "mutualTls"
      ? [
          unproven("without a certificate", () => written(text, { headers })),
          unproven("by a certificate of somebody else", () =>
            written(text, { headers: { ...headers, ...shown("CN=somebody,O=Else") } })
          )
        ]
      : [
          unproven("without the secret", () => written(text, { query: {} })),
          unproven("with another secret", () => written(text, { query: { hmac: "x".repeat(24) } }))
        ]
  return {
    about: `${kind} ${reference}`,
    reference,
    notification: written(text),
    forgings: [...common, ...strangers]
  }
}

const unproven = (how: string, make: () => RawNotification): Forging => ({
  how,
  mayBeTaken: false,
  make
})

const shown = (subject: string) => ({ [certificateHeader]: subject })

/** What the platform tells of who sent it, from what stands in the place of the connection. */
export const withCertificate = (notification: RawNotification): RawNotification => {
  const subject = notification.headers[certificateHeader]
  return subject === undefined
    ? notification
    : { ...notification, clientCertificate: { verified: true, subject, fingerprint: "" } }
}
