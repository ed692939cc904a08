import { request as plainRequest } from "node:http"
import { request as tlsRequest } from "node:https"
import type { Certified } from "../tls/Certificates.ts"

/** What a receiver answered, or why there was no answer. */
export type Posted = { readonly status: number } | { readonly failure: string }

export interface PostOptions {
  readonly url: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** What the sender shows; nothing where absent. */
  readonly certificate?: Certified
  /** Whom the sender trusts, as PEM. */
  readonly trust: ReadonlyArray<string>
  readonly timeoutMillis: number
}

/** Sends one callback on a connection of its own. It never throws. */
export const post = (options: PostOptions): Promise<Posted> =>
  new Promise((resolve) => {
    const { body, certificate, headers, timeoutMillis, trust, url } = options
    const isPlain = url.startsWith("http:")
    const settings = {
      method: "POST",
      agent: false,
      timeout: timeoutMillis,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        ...headers
      },
      ...(isPlain ? {} : { ca: [...trust], minVersion: "TLSv1.2" as const }),
      ...(isPlain || certificate === undefined
        ? {}
        : { cert: certificate.certificate, key: certificate.key })
    }
    const failed = (failure: string) => resolve({ failure })
    try {
      const sent = (isPlain ? plainRequest : tlsRequest)(url, settings, (response) => {
        response.resume()
        response.on("end", () => resolve({ status: response.statusCode ?? 0 }))
        response.on("error", ({ message }) => failed(message))
      })
      sent.on("timeout", () => sent.destroy(new Error("No answer in time.")))
      sent.on("error", ({ message }) => failed(message))
      sent.end(body)
    } catch (error) {
      failed(error instanceof Error ? error.message : String(error))
    }
  })
