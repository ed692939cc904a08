import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { isWithin, parseIp, spell } from "../kernel/IpAddress.ts"
import { present } from "../kernel/Present.ts"
import type { ClientCertificate } from "../ports/Psp.ts"
import { clientAddress, proxiesOf, TrustedProxies } from "./ClientAddress.ts"

/** Reads the certificates of those who connect, where the platform can. */
export interface CertificateReader {
  /** The one that was shown on the connection of a request, as the host has it. */
  readonly ofConnection: (source: object) => ClientCertificate | undefined
  /** The one in a header's value: of RFC 9440 (`:MIIB…:`), or a PEM that is percent-encoded, as nginx writes it. */
  readonly ofHeader: (value: string) => ClientCertificate | undefined
}

/** What reads certificates; none are seen unless the platform brings it. */
export const CertificateReading = Context.Reference<CertificateReader>(
  "@pagora/core/http/CertificateReading",
  { defaultValue: () => ({ ofConnection: () => undefined, ofHeader: () => undefined }) }
)

/**
 * The header in which trusted proxies pass on the certificate that a client has shown to them and that they have verified.
 * None unless configured: a proxy that does not write it would pass on what the client wrote there.
 */
export const CertificateHeader = Context.Reference<string | undefined>(
  "@pagora/core/http/CertificateHeader",
  { defaultValue: () => undefined }
)

/** Who sent a request, as far as can be told. */
export interface Sender {
  /** Such as `192.0.2.1`. */
  readonly remoteAddress?: string
  readonly clientCertificate?: ClientCertificate
}

/** Tells who sent the request. Where a trusted proxy is before us, that is whom the proxy tells of. */
export const makeSenderOf = Effect.gen(function* () {
  const proxies = proxiesOf(yield* TrustedProxies)
  const header = (yield* CertificateHeader)?.toLowerCase()
  const reading = yield* CertificateReading
  return ({ headers, remoteAddress, source }: HttpServerRequest.HttpServerRequest): Sender => {
    const socket = Option.getOrUndefined(remoteAddress)
    const peer = socket === undefined ? undefined : parseIp(socket)
    const isProxied = peer !== undefined && proxies.some((proxy) => isWithin(peer, proxy))
    const passedOn = header === undefined ? undefined : headers[header]
    const address = clientAddress(socket, headers["x-forwarded-for"], proxies)
    return present({
      remoteAddress: address && spell(address),
      // What a proxy shows on its own connection to us proves nothing of whom it speaks for.
      clientCertificate: isProxied
        ? passedOn === undefined
          ? undefined
          : reading.ofHeader(passedOn)
        : reading.ofConnection(source)
    })
  }
})
