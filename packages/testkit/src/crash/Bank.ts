import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { Chance } from "../fuzz/Chance.ts"
import type { HttpCall } from "../RunningPagora.ts"
import { BankBook } from "./BankBook.ts"
import type { BankTransfer } from "./BankBook.ts"

/** The id of this bank in every deployment. */
export const bankId = "00000000-0000-7000-8000-0000000000ba"

/** A bank outside of all processes, which keeps its book in memory and answers by HTTP. */
export interface Bank {
  readonly url: string
  readonly book: BankBook
  /** Whether it makes one transfer for a reference, however often it is told. */
  readonly mindsReferences: boolean
  /** Somebody pays a charge. Answers `200`, or `nothing there`, when the service was told. */
  readonly pay: (chargeId: string) => Promise<string>
  /** Whom it tells of what happens. */
  readonly notify: (processes: ReadonlyArray<{ readonly api: HttpCall }>) => void
  readonly close: () => Promise<void>
}

/** It answers after so long at most, and loses so much of its answers after it did what it was told. */
const answerMillisMax = 40
const lostAnswers = 0.02
const settleMillisMax = 2_000
const noticeMillis = 300
const noticesMax = 400

interface Answer {
  readonly status: number
  readonly body: object
}

const notFound: Answer = { status: 404, body: { code: "not_found" } }
const refused: Answer = { status: 422, body: { code: "not_enough" } }

const bodyOf = async (request: IncomingMessage): Promise<Record<string, unknown>> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
}

const found = (body: object | undefined): Answer =>
  body === undefined ? notFound : { status: 200, body }

/** What it does when it is asked. */
const answering =
  (book: BankBook, settleLater: (transfer: BankTransfer) => void) =>
  (
    method: string,
    [what = "", reference = ""]: ReadonlyArray<string>,
    body: Record<string, unknown>
  ): Answer => {
    if (what === "charges") {
      if (method === "PUT")
        return found(book.open(reference, Number(body["amount"]), Number(body["expiresInSeconds"])))
      const charge = book.charges.get(reference)
      if (method === "DELETE" && charge !== undefined) book.remove(charge)
      return found(charge)
    }
    const kind = what === "payouts" ? "payout" : "refund"
    if (method !== "PUT") return found(book.find(kind, reference))
    const made = book.transfers.length
    const payment = kind === "refund" ? String(body["endToEndId"]) : undefined
    const transfer = book.transfer(kind, reference, Number(body["amount"]), payment)
    if (transfer === undefined) return refused
    if (book.transfers.length > made) settleLater(transfer)
    return found(transfer)
  }

/** Tells one process after the other, until one has taken note of it. */
const makeNotices = (chance: Chance) => {
  let processes: ReadonlyArray<{ readonly api: HttpCall }> = []
  let isOpen = true
  return {
    to: (others: ReadonlyArray<{ readonly api: HttpCall }>): void => {
      processes = others
    },
    close: (): void => {
      isOpen = false
    },
    tell: async (about: string, reference: string): Promise<void> => {
      for (let tries = 0; tries < noticesMax && isOpen; tries++) {
        const taken =
          processes.length > 0 &&
          (await chance
            .pick(processes)
            .api("POST", `/psp/${bankId}/webhook`, { body: { about, reference } })
            .then(
              ({ status }) => status === 200,
              () => false
            ))
        if (taken) return
        await sleep(noticeMillis)
      }
    }
  }
}

/** Opens one. */
export const startBank = async (chance: Chance, mindsReferences: boolean): Promise<Bank> => {
  const book = new BankBook(chance, mindsReferences)
  const notices = makeNotices(chance)
  const settleLater = (transfer: BankTransfer): void => {
    setTimeout(() => {
      book.settle(transfer)
      void notices.tell(transfer.kind, transfer.reference)
    }, chance.below(settleMillisMax)).unref()
  }
  const answer = answering(book, settleLater)

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request)
    const path = (request.url ?? "").split("/").slice(1)
    const { body: told, status } = answer(request.method ?? "", path, body)
    await sleep(chance.below(answerMillisMax))
    if (chance.happens(lostAnswers)) return void response.destroy()
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(told))
  }
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    book,
    mindsReferences,
    pay: async (chargeId) => {
      const reference = chargeId.replaceAll("-", "")
      const charge = book.charges.get(reference)
      if (charge === undefined) return "nothing there"
      book.pay(charge)
      await notices.tell("charge", reference)
      return "200"
    },
    notify: notices.to,
    close: async () => {
      notices.close()
      await new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
    }
  }
}
