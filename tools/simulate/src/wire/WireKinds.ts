import type { IndoorRequest } from "@pagora/fake-bank"
import type { WireKind } from "./WireFaults.ts"

/** What a request asks for, and about what. */
export interface WireSubject {
  readonly kind: WireKind
  readonly subject: string
}

const shapes: ReadonlyArray<readonly [WireKind, string, RegExp]> = [
  ["token", "POST", /\/oauth\//],
  ["createCharge", "PUT", /\/cob\/(\w+)$/],
  ["findCharge", "GET", /\/cob\/(\w+)$/],
  ["cancelCharge", "PATCH", /\/cob\/(\w+)$/],
  ["refund", "PUT", /\/devolucao\/(\w+)$/],
  ["findRefund", "GET", /\/devolucao\/(\w+)$/],
  ["sendPayout", "PUT", /\/v3\/gn\/pix\/(\w+)$/],
  ["sendPayout", "POST", /\/banking\/v2\/pix$/],
  ["findPayout", "GET", /\/gn\/pix\/enviados\/id-envio\/(\w+)$/],
  ["findPayout", "GET", /\/banking\/v2\/pix\/([\w-]+)$/],
  ["findPayment", "GET", /\/pix\/(E\w+)$/],
  ["listPayments", "GET", /\/pix$/],
  ["listInfractions", "GET", /\/gn\/infracoes$/],
  ["defendInfraction", "POST", /\/gn\/infracoes\/([\w-]+)\/defesa$/],
  ["findBalance", "GET", /\/saldo$/]
]

/** Undefined where no simulation asks for it. */
export const subjectOf = ({ headers, method, url }: IndoorRequest): WireSubject | undefined => {
  const { pathname } = new URL(url)
  for (const [kind, by, shape] of shapes) {
    const found = by === method ? shape.exec(pathname) : null
    // Inter's orders name what they are about in a header.
    if (found !== null) return { kind, subject: found[1] ?? headers["x-id-idempotente"] ?? "" }
  }
  return undefined
}
