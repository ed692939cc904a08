import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { WooviBook } from "./WooviBook.ts"
import * as Book from "./WooviBook.ts"
import { makeWooviApi } from "./WooviApi.ts"
import type { SendCallback } from "./WooviCallbacks.ts"
import { makeWooviCallbacks, makeWooviKeys } from "./WooviCallbacks.ts"

export interface FakeWooviOptions {
  readonly appId?: string
  /** In centavos; R$ 100,000.00 unless told. */
  readonly balance?: number
  /** The time that it goes by; the machine's, unless told. */
  readonly now?: () => Date
  /** Most transactions of a page; 100 unless told, as at Woovi. */
  readonly pageMax?: number
  /** Sends callbacks; by HTTP, unless told. */
  readonly send?: SendCallback
}

/** How it spoils an answer. */
export interface WooviFault {
  /** Requests whose method and path have this in them; all, unless told. */
  readonly to?: string
  /** `before` it has done what it was asked, or `after`; `before` unless told. */
  readonly when?: "before" | "after"
  /** It answers so, or breaks the connection off, or never answers. */
  readonly with: "break" | "hang" | WooviFaultAnswer
  /** So often; once, unless told. */
  readonly times?: number
}

export interface WooviFaultAnswer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

const byHttp: SendCallback = async (url, { body, headers }) => {
  const response = await fetch(url, { method: "POST", headers, body: Buffer.from(body) })
  await response.arrayBuffer()
  return response.status
}

/** Woovi on a socket of this machine, with all that it knows in memory, and the hands of payers and of other banks. */
export const startFakeWoovi = async (options: FakeWooviOptions = {}) => {
  const { appId = "app-id-of-the-test", send = byHttp } = options
  const keys = makeWooviKeys()
  const callbacks = makeWooviCallbacks(keys, send)
  const book: WooviBook = Book.makeWooviBook({
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.balance === undefined ? {} : { balance: options.balance }),
    tell: (event) => callbacks.tell(book, event)
  })
  const faults: Array<WooviFault & { left: number }> = []
  const calls: Array<string> = []
  const api = makeWooviApi(book, {
    publicKeys: keys.published,
    ...(options.pageMax === undefined ? {} : { pageMax: options.pageMax })
  })

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { body, url } = await readRequest(request)
    const { method = "" } = request
    const path = url.pathname.replace(/^\/api\/v1/, "")
    calls.push(`${method} ${path}`)
    const fault = faults.find(({ left, to = "" }) => left > 0 && `${method} ${path}`.includes(to))
    if (fault !== undefined) fault.left--
    if (fault?.when !== "after" && spoil(fault, response)) return
    const isOpen = path === "/webhook/public-keys" || request.headers.authorization === appId
    const count = book.webhooks.length
    const answer = isOpen
      ? answerOf(() => api({ method, path, query: url.searchParams, body }))
      : { status: 401, json: { error: "appID inválido" } }
    for (const webhook of book.webhooks.slice(count)) callbacks.test(webhook, book.now())
    if (spoil(fault, response)) return
    response.writeHead(answer.status, { "content-type": "application/json" })
    response.end(JSON.stringify(answer.json))
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return {
    appId,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    book,
    keys,
    ...handsOn(book),
    /** The callbacks that were made, whoever was told. */
    callbacks: callbacks.made,
    /** Until those on their way are answered. */
    idle: callbacks.idle,
    /** Methods and paths that it was asked for. */
    calls,
    fault: (fault: WooviFault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await callbacks.idle()
    }
  }
}

/** What payers, other banks and Woovi itself do. */
const handsOn = (book: WooviBook) => ({
  pay: (correlationID: string) =>
    Book.receive(book, { charge: Book.chargeOf(book, correlationID) }),
  payKey: (value: number) => Book.receive(book, { value }),
  endPayout: (
    correlationID: string,
    end: "completed" | "failed" | "reversed",
    failure?: Book.WooviFailure
  ) => Book.endPayout(book, correlationID, end, failure),
  endRefund: (correlationID: string, end: "CONFIRMED" | "REJECTED") =>
    Book.endRefund(book, correlationID, end),
  /** Woovi gives a payment back by itself. */
  giveBack: (endToEndId: string) => {
    const refund = Book.giveBack(book, Book.paymentOf(book, endToEndId), {})
    Book.endRefund(book, refund.correlationID, "CONFIRMED")
  },
  dispute: (endToEndId: string) => Book.dispute(book, endToEndId),
  endDispute: (endToEndId: string, end: "ACCEPTED" | "REJECTED" | "CANCELED") =>
    Book.endDispute(book, endToEndId, end)
})

export type FakeWoovi = Awaited<ReturnType<typeof startFakeWoovi>>

const readRequest = async (request: IncomingMessage) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString("utf8")
  const body: unknown = text === "" ? undefined : JSON.parse(text)
  return { body, url: new URL(request.url ?? "/", "http://woovi.test") }
}

const answerOf = (answer: () => unknown): { readonly status: number; readonly json: unknown } => {
  try {
    return { status: 200, json: answer() }
  } catch (error) {
    if (!(error instanceof Book.WooviRefusal)) throw error
    const { errorCode, message: said, status } = error
    return { status, json: { error: said, ...(errorCode === undefined ? {} : { errorCode }) } }
  }
}

/** Whether the answer is spoiled already. */
const spoil = (fault: WooviFault | undefined, response: ServerResponse): boolean => {
  if (fault === undefined) return false
  if (fault.with === "break") response.destroy()
  else if (fault.with !== "hang")
    response.writeHead(fault.with.status, { ...fault.with.headers }).end(fault.with.body ?? "")
  return true
}
