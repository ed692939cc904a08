import type { Desk } from "./Desk.ts"
import type { WrittenAnswer } from "./Wire.ts"
import { receivedFrom, written } from "./Wire.ts"

/** A request in the place of one that comes through a door. */
export interface IndoorRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** Asks a bank without a door. Undefined where the connection would have ended without an answer. */
export type Indoors = (request: IndoorRequest) => Promise<WrittenAnswer | undefined>

/** Where nothing listens: a name that leads nowhere (RFC 2606). */
export const indoorOrigin = "https://bank.example"

export const indoors =
  ({ serve }: Desk): Indoors =>
  async ({ body = "", headers, method, url }) => {
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    const request = { method, url, headers: Object.fromEntries(named), body: Buffer.from(body) }
    const answer = await serve(receivedFrom(request))
    return answer && written(answer)
  }
