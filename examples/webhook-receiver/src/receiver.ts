import { verifyWebhook, WebhookError } from "@pagora/core/webhook"
import type { IncomingMessage, RequestListener } from "node:http"
import type { Orders } from "./orders.ts"

/** The service sends less than this. */
const bytesMax = 256 * 1024

/** Mistakes of ours, not of the sender: answered so that the delivery comes again when they are mended. */
const ours: ReadonlyArray<string> = ["SECRET_MISSING", "BODY_NOT_RAW"]

/**
 * Takes deliveries. `secrets` are those of the endpoint: one, or two while one replaces another. `now` is there for
 * tests.
 */
export const receiver =
  (orders: Pick<Orders, "take">, secrets: ReadonlyArray<string>, now = Date.now): RequestListener =>
  (request, response) => {
    const answer = (status: number, text = "") => void response.writeHead(status).end(text)
    const receive = async (): Promise<void> => {
      const body = await bodyOf(request)
      if (body === undefined) return answer(413)
      const event = await verifyWebhook({
        body,
        headers: request.headers,
        secrets,
        // A delivery that somebody recorded does not pass again later.
        requireSignedTimestamp: true,
        now: now()
      })
      answer(200, orders.take(event))
    }
    receive().catch((error: unknown) => {
      const isForeign = error instanceof WebhookError && !ours.includes(error.code)
      console.error(isForeign ? error.code : error)
      answer(isForeign ? 400 : 500)
    })
  }

const bodyOf = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
