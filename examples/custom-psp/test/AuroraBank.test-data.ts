import { BrCode, Money } from "@pagora/core"
import { isSame } from "@pagora/core/psp"
import { Result } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { signNotification, signRequest } from "../src/aurora/AuroraSignature.ts"

// Banco Aurora as its manual describes it, in memory: what the tests have in the place of its test environment.

export const keys = {
  clientId: "pagora",
  secret: "signs what we ask for",
  notificationSecret: "signs what the bank tells"
}

type Row = Record<string, unknown> & { readonly reference: string; status: string }
interface Payment {
  readonly endToEndId: string
  readonly amount: string
  readonly at: string
  readonly payer: { readonly name: string; readonly document: string }
}
interface Sent {
  readonly headers: Record<string, string>
  readonly body: Uint8Array
  readonly reference: string
}

/** How the bank spoils the next answers. */
export type Trouble =
  | "none"
  | "hangs after doing"
  | "breaks off after doing"
  | "fails after doing"
  | "answers another page"
  | "turns away"
  | "redirects"

export const startBank = async (listener?: (sent: Sent) => Promise<void>) => {
  const charges = new Map<string, Row & { payments: Array<Payment> }>()
  const payouts = new Map<string, Row>()
  const refunds = new Map<string, Row>()
  const notifications: Array<Sent> = []
  const bank = { trouble: "none" as Trouble, calls: 0, listener }
  let count = 0

  const tell = async (about: string, reference: string) => {
    const time = new Date().toISOString()
    const body = Buffer.from(JSON.stringify({ about, reference }))
    const signature = signNotification(keys.notificationSecret, time, body)
    const headers = { "x-aurora-time": time, "x-aurora-signature": signature }
    const sent = { headers, body, reference }
    notifications.push(sent)
    await bank.listener?.(sent)
  }

  const networkId = (letter: "E" | "D") => {
    const minute = new Date().toISOString().replaceAll(/[-:T]/g, "").slice(0, 12)
    return `${letter}12345678${minute}${String(++count).padStart(11, "0")}`
  }

  const putCharge = (txid: string, asked: Record<string, unknown>) => {
    const known = charges.get(txid)
    if (known !== undefined) return known
    const amount = amountOf(asked["amount"])
    const seconds = asked["expiresInSeconds"]
    if (!Number.isSafeInteger(seconds) || Number(seconds) < 1)
      throw refused("BAD_EXPIRY", "expiresInSeconds is a whole number above 0.")
    const createdAt = new Date()
    const charge = {
      reference: txid,
      txid,
      id: `chg_${++count}`,
      status: "OPEN",
      amount,
      copyPaste: Result.getOrThrow(
        BrCode.build({
          kind: "dynamic",
          merchantName: "Loja Azul",
          merchantCity: "Recife",
          location: `pix.aurora.example/v2/${txid}`,
          amount: Result.getOrThrow(Money.parseBacenAmount(amount))
        })
      ),
      createdAt: createdAt.toISOString(),
      expiresAt: new Date(createdAt.getTime() + Number(seconds) * 1_000).toISOString(),
      payments: []
    }
    charges.set(txid, charge)
    return charge
  }

  const removeCharge = (txid: string) => {
    const charge = found(charges.get(txid))
    if (charge.status === "OPEN") charge.status = "REMOVED"
    return charge
  }

  const putPayout = (reference: string, asked: Record<string, unknown>) => {
    const known = payouts.get(reference)
    if (known !== undefined) return known
    const amount = amountOf(asked["amount"])
    if (asked["key"] === "nobody@example.com") throw refused("NO_SUCH_KEY", "Nobody has this key.")
    const payout = { reference, id: `out_${++count}`, status: "RUNNING", amount }
    payouts.set(reference, payout)
    return payout
  }

  const putRefund = (endToEndId: string, reference: string, asked: Record<string, unknown>) => {
    const known = refunds.get(reference)
    if (known !== undefined) return known
    const amount = amountOf(asked["amount"])
    const payment = found(
      [...charges.values()]
        .flatMap((each) => each.payments)
        .find((each) => each.endToEndId === endToEndId)
    )
    const before = [...refunds.values()].filter(
      (each) => each["endToEndId"] === endToEndId && each.status !== "REFUSED"
    )
    const total = before.reduce((sum, each) => sum + cents(String(each["amount"])), cents(amount))
    if (total > cents(payment.amount)) throw refused("TOO_MUCH", "More than was paid.")
    const refund = { reference, endToEndId, status: "RUNNING", amount }
    refunds.set(reference, refund)
    return refund
  }

  const answer = (method: string, path: string, asked: Record<string, unknown>): unknown => {
    const [, , kind, first = "", below, second = ""] = path.split("/").map(decodeURIComponent)
    switch (`${method} ${kind} ${below ?? ""}`.trim()) {
      case "PUT charges":
        return putCharge(first, asked)
      case "GET charges":
        return found(charges.get(first))
      case "DELETE charges":
        return removeCharge(first)
      case "PUT payouts":
        return putPayout(first, asked)
      case "GET payouts":
        return found(payouts.get(first))
      case "PUT payments refunds":
        return putRefund(first, second, asked)
      case "GET refunds":
        return found(refunds.get(first))
      default:
        throw refused("NOT_FOUND", "There is no such path.", 404)
    }
  }

  const server = createServer((request, response) => {
    bank.calls++
    void handle(request, response, bank.trouble, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return Object.assign(bank, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    notifications,
    /** What it holds for us, in centavos: received, less what has left. */
    holds: () => {
      const received = [...charges.values()].flatMap(({ payments }) => payments)
      const left = [...payouts.values(), ...refunds.values()].filter(
        ({ status }) => status === "SETTLED"
      )
      return sum(received.map(({ amount }) => amount)) - sum(left.map((row) => row["amount"]))
    },
    payouts: () => [...payouts.keys()],
    refunds: () => [...refunds.keys()],
    pay: async (txid: string, amount?: string) => {
      const charge = found(charges.get(txid))
      const at = new Date().toISOString()
      const payer = { name: "Maria Clara Oliveira", document: "52998224725" }
      charge.payments.push({
        endToEndId: networkId("E"),
        amount: amount ?? String(charge["amount"]),
        at,
        payer
      })
      charge.status = "PAID"
      await tell("charge", txid)
    },
    settlePayout: async (reference: string, end: "completed" | "failed" | "reversed") => {
      const at = new Date().toISOString()
      Object.assign(
        found(payouts.get(reference)),
        {
          completed: { status: "SETTLED", endToEndId: networkId("E"), settledAt: at },
          failed: {
            status: "REFUSED",
            refusal: { code: "ACCOUNT_CLOSED", message: "It is closed." }
          },
          reversed: { status: "RETURNED", returned: { id: networkId("D"), at, code: "AC03" } }
        }[end]
      )
      await tell("payout", reference)
    },
    settleRefund: async (reference: string, end: "confirmed" | "error") => {
      const at = new Date().toISOString()
      Object.assign(
        found(refunds.get(reference)),
        {
          confirmed: { status: "SETTLED", returnId: networkId("D"), settledAt: at },
          error: { status: "REFUSED", refusal: { code: "AB03", message: "It took too long." } }
        }[end]
      )
      await tell("refund", reference)
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  })
}

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(code: string, message: string, status: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

const refused = (code: string, message: string, status = 422) => new Refusal(code, message, status)

const found = <A>(row: A | undefined): A => {
  if (row === undefined) throw refused("NOT_FOUND", "There is nothing under this name.", 404)
  return row
}

const cents = (amount: string) => Number(amount.replace(".", ""))

const sum = (amounts: ReadonlyArray<unknown>) =>
  amounts.reduce<number>((total, amount) => total + cents(String(amount)), 0)

const amountOf = (amount: unknown): string => {
  if (typeof amount === "string" && /^\d{1,10}\.\d\d$/.test(amount) && cents(amount) > 0)
    return amount
  throw refused("BAD_AMOUNT", "An amount is written like 12.34 and above 0.")
}

const handle = async (
  request: IncomingMessage,
  response: ServerResponse,
  trouble: Trouble,
  answer: (method: string, path: string, asked: Record<string, unknown>) => unknown
) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString("utf8")
  const { method = "", url: path = "" } = request
  const header = (name: string) => String(request.headers[name] ?? "")
  const send = (status: number, json: unknown) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json))
  }
  const time = header("x-aurora-time")
  const signature = signRequest(keys.secret, { time, method, path, body })
  const isOurs = header("x-aurora-client") === keys.clientId
  const isFresh = Math.abs(Date.parse(time) - Date.now()) < 60_000
  if (!isOurs || !isFresh || !isSame(signature, header("x-aurora-signature")))
    return send(401, { code: "BAD_SIGNATURE", message: "The signature does not hold." })
  if (trouble === "turns away") return send(429, { code: "SLOW_DOWN", message: "Not so fast." })
  if (trouble === "answers another page") return void response.writeHead(404).end("<h1>404</h1>")
  if (trouble === "redirects") return void response.writeHead(302, { location: "/" }).end()
  try {
    const json = answer(method, path, body === "" ? {} : JSON.parse(body))
    if (trouble === "hangs after doing") return
    if (trouble === "breaks off after doing") return void response.destroy()
    if (trouble === "fails after doing") return send(500, { code: "OOPS", message: "Sorry." })
    send(method === "PUT" ? 201 : 200, json)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    send(error.status, { code: error.code, message: error.message })
  }
}
