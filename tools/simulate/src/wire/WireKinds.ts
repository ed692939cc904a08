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
  ["findBalance", "GET", /\/saldo$/],
  // Woovi's; its orders name what they are about in their body.
  ["createCharge", "POST", /\/v1\/charge\?/],
  ["findCharge", "GET", /\/v1\/charge\/(\w+)$/],
  ["findPaymentsOfCharge", "GET", /\/v1\/transaction\?charge=(\w+)/],
  ["cancelCharge", "PATCH", /\/v1\/charge\/(\w+)$/],
  ["refund", "POST", /\/v1\/refund$/],
  ["findRefund", "GET", /\/v1\/refund\/(\w+)$/],
  ["findReturnsOfCharge", "GET", /\/v1\/charge\/(\w*)\/refund$/],
  ["sendPayout", "POST", /\/v1\/payment$/],
  ["approvePayout", "POST", /\/v1\/payment\/approve$/],
  ["findPayout", "GET", /\/v1\/payment\/(\w+)$/],
  ["findReturnOfPayout", "GET", /\/v1\/transaction\?withdrawal=(\w+)/],
  ["findPayment", "GET", /\/v1\/transaction\/(\w+)$/],
  ["listPayments", "GET", /\/v1\/transaction\?type=/],
  ["findInfraction", "GET", /\/v1\/dispute\/(\w+)$/],
  ["findBalance", "GET", /\/v1\/account\/$/]
]

/** Undefined where no simulation asks for it. */
export const subjectOf = (request: IndoorRequest): WireSubject | undefined => {
  const { pathname, search } = new URL(request.url)
  // Of a list by a period the query is no matter of its kind.
  const places = [pathname, `${pathname}${search}`]
  for (const [kind, by, shape] of shapes) {
    if (by !== request.method) continue
    const found = places.map((place) => shape.exec(place)).find((each) => each !== null)
    if (found) return { kind, subject: found[1] ?? orderedIn(request) }
  }
  return undefined
}

/** Inter's orders name what they are about in a header, Woovi's in their body. */
const orderedIn = ({ body = "", headers }: IndoorRequest): string =>
  headers["x-id-idempotente"] ?? /"correlationID":"(\w+)"/.exec(body)?.[1] ?? ""
