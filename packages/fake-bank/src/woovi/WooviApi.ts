import { createHash, randomUUID } from "node:crypto"
import type { WooviBook, WooviCharge, WooviPerson, WooviWebhook } from "./WooviBook.ts"
import {
  approvePayout,
  chargeOf,
  giveBack,
  newWooviId,
  paymentOf,
  payoutOf,
  refundsIn,
  requestPayout,
  WooviRefusal
} from "./WooviBook.ts"
import {
  chargeShape,
  disputeShape,
  paymentShape,
  payoutShape,
  refundShape,
  returnShape,
  singleRefundShape
} from "./WooviShapes.ts"

export interface WooviRequest {
  readonly method: string
  /** What follows `/api/v1`, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

type Row = Readonly<Record<string, unknown>>
type Route = (request: WooviRequest, id: string) => unknown

const rowOf = (json: unknown): Row =>
  typeof json === "object" && json !== null ? (json as Row) : {}
const textOf = (row: Row, name: string): string => (typeof row[name] === "string" ? row[name] : "")

/** The API as Woovi's openapi describes it: what is answered with 200; whatever is refused is thrown. */
export const makeWooviApi = (
  book: WooviBook,
  options: { readonly publicKeys: () => ReadonlyArray<string>; readonly pageMax?: number }
) => {
  const routes: Readonly<Record<string, Route>> = {
    ...chargeRoutes(book),
    ...transactionRoutes(book, options.pageMax ?? 100),
    ...refundRoutes(book),
    ...payoutRoutes(book),
    ...webhookRoutes(book, options.publicKeys)
  }
  return (request: WooviRequest): unknown => {
    const [, kind = "", id = "", below = ""] = request.path.split("/").map(decodeURIComponent)
    const named = `${request.method} /${kind}/${id}`
    const route =
      routes[named] ?? routes[`${request.method} /${kind}${id && "/:id"}${below && `/${below}`}`]
    if (route === undefined) throw new WooviRefusal("Not Found", 404)
    return route(request, id)
  }
}

const lifeMin = 300
const lifeUsual = 2_592_000

const chargeRoutes = (book: WooviBook): Readonly<Record<string, Route>> => ({
  "POST /charge": ({ body, query }) => {
    const asked = rowOf(body)
    const correlationID = textOf(asked, "correlationID")
    const known = book.charges.get(correlationID)
    if (known !== undefined && query.get("return_existing") !== "true")
      throw new WooviRefusal("Já existe uma cobrança com o correlationID fornecido")
    const charge = known ?? newCharge(book, correlationID, asked)
    book.charges.set(correlationID, charge)
    const shape = chargeShape(book, charge)
    return { charge: shape, correlationID, brCode: charge.brCode }
  },
  "GET /charge/:id": (_, id) => ({ charge: chargeShape(book, chargeOf(book, id)) }),
  "PATCH /charge/:id": ({ body }, id) => {
    const charge = chargeOf(book, id)
    const expiresDate = new Date(textOf(rowOf(body), "expiresDate"))
    if (Number.isNaN(expiresDate.getTime()) || charge.payment !== undefined)
      throw new WooviRefusal("A cobrança não pode ser alterada")
    charge.expiresDate = expiresDate
    return { charge: chargeShape(book, charge) }
  },
  "DELETE /charge/:id": (_, id) => {
    const charge = chargeOf(book, id)
    if (charge.payment !== undefined) throw new WooviRefusal("A cobrança já foi paga")
    book.charges.delete(id)
    return { status: "OK", id }
  }
})

const newCharge = (book: WooviBook, correlationID: string, asked: Row): WooviCharge => {
  const { customer, expiresIn = lifeUsual, value } = asked
  if (correlationID === "") throw new WooviRefusal("correlationID é obrigatório")
  if (!Number.isSafeInteger(value) || Number(value) < 1) throw new WooviRefusal("Valor inválido")
  if (!Number.isSafeInteger(expiresIn) || Number(expiresIn) < lifeMin)
    throw new WooviRefusal("O tempo de expiração mínimo é de 5 minutos")
  const createdAt = book.now()
  const transactionID = createHash("sha256").update(correlationID).digest("hex").slice(0, 32)
  const { name, taxID } = rowOf(customer)
  const comment = textOf(asked, "comment")
  return {
    correlationID,
    value: Number(value),
    additionalInfo: (asked["additionalInfo"] as WooviCharge["additionalInfo"] | undefined) ?? [],
    transactionID,
    paymentLinkID: randomUUID(),
    brCode: brCode(transactionID, Number(value)),
    createdAt,
    // Its documents show an end that is counted from a little before.
    expiresDate: new Date(createdAt.getTime() + Number(expiresIn) * 1_000 - 190),
    ...(comment === "" ? {} : { comment }),
    ...(typeof name === "string" && typeof taxID === "string"
      ? { customer: { name, taxID } satisfies WooviPerson }
      : {})
  }
}

/** A field of a BR Code (EMV QR Code Specification): its id, its length and its text. */
const field = (id: string, text: string): string =>
  `${id}${String(text.length).padStart(2, "0")}${text}`

const brCode = (transactionID: string, value: number): string => {
  const reais = `${Math.floor(value / 100)}.${String(value % 100).padStart(2, "0")}`
  const location = `qr.woovi.test/v2/${transactionID}`
  const text = [
    field("00", "01"),
    field("01", "12"),
    field("26", field("00", "br.gov.bcb.pix") + field("25", location)),
    field("52", "0000"),
    field("53", "986"),
    field("54", reais),
    field("58", "BR"),
    field("59", "Loja Azul"),
    field("60", "Recife"),
    field("62", field("05", "***")),
    "6304"
  ].join("")
  return text + crc16(text)
}

/** CRC-16/CCITT-FALSE, by which a BR Code ends. */
const crc16 = (text: string): string => {
  let crc = 0xffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, "0")
}

const transactionRoutes = (book: WooviBook, pageMax: number): Readonly<Record<string, Route>> => ({
  "GET /transaction": ({ query }) => {
    const start = new Date(query.get("start") ?? 0)
    const end = new Date(query.get("end") ?? 8.64e15)
    const all = transactionsIn(book)
      .filter(({ charge }) => (query.has("charge") ? charge === query.get("charge") : true))
      .filter(({ payout }) => (query.has("withdrawal") ? payout === query.get("withdrawal") : true))
      .filter(({ shape }) => (query.has("type") ? shape.type === query.get("type") : true))
      .filter(({ shape }) => new Date(shape.time) >= start && new Date(shape.time) <= end)
      .toSorted((one, two) => two.shape.time.localeCompare(one.shape.time))
      .map(({ shape }) => shape)
    const skip = Number(query.get("skip") ?? 0)
    const limit = Math.min(pageMax, Number(query.get("limit") ?? pageMax))
    const pageInfo = {
      skip,
      limit,
      totalCount: all.length,
      hasPreviousPage: skip > 0,
      hasNextPage: skip + limit < all.length
    }
    return { pageInfo, transactions: all.slice(skip, skip + limit) }
  },
  "GET /transaction/:id": (_, id) => ({ transaction: paymentShape(book, paymentOf(book, id)) }),
  "GET /dispute/:id": (_, id) => {
    const dispute = book.disputes.get(id)
    if (dispute === undefined) throw new WooviRefusal("Dispute not found")
    return { dispute: disputeShape(dispute) }
  }
})

/** All that moved, with the charge or the payout that it belongs to. */
const transactionsIn = (book: WooviBook) => {
  const received = [...book.payments.values()].map((payment) => ({
    charge: payment.charge?.correlationID,
    payout: undefined,
    shape: paymentShape(book, payment)
  }))
  const given = refundsIn(book).map(({ payment, refund }) => ({
    charge: payment.charge?.correlationID,
    payout: undefined,
    shape: returnShape(refund, refund.value, refund.status)
  }))
  const cameBack = [...book.payouts.values()].flatMap(({ back, endToEndId, value }) => {
    if (back === undefined) return []
    const withdraw = { endToEndId, value }
    const shape = { ...returnShape(back, value, "CONFIRMED"), withdraw }
    return [{ charge: undefined, payout: endToEndId, shape }]
  })
  return [...received, ...given, ...cameBack]
}

const refundRoutes = (book: WooviBook): Readonly<Record<string, Route>> => {
  const askedBy = (body: unknown) => {
    const { value } = rowOf(body)
    const correlationID = textOf(rowOf(body), "correlationID")
    const comment = textOf(rowOf(body), "comment")
    if (correlationID === "") throw new WooviRefusal("correlationID é obrigatório")
    if (comment.length > 140) throw new WooviRefusal("O comentário é maior que 140 caracteres")
    const amount = value === undefined ? {} : { value: Number(value) }
    return { correlationID, ...amount, ...(comment === "" ? {} : { comment }) }
  }
  return {
    "POST /refund": ({ body }) => {
      const payment = paymentOf(book, textOf(rowOf(body), "transactionEndToEndId"))
      return { refund: singleRefundShape(giveBack(book, payment, askedBy(body))) }
    },
    "GET /refund/:id": (_, id) => {
      const one = refundsIn(book).find(({ refund }) => refund.correlationID === id)
      if (one === undefined) throw new WooviRefusal("Reembolso não encontrado")
      return { pixTransactionRefund: singleRefundShape(one.refund) }
    },
    "POST /charge/:id/refund": ({ body }, id) => {
      const { payment } = chargeOf(book, id)
      if (payment === undefined) throw new WooviRefusal("A cobrança não foi paga")
      return { refund: refundShape(giveBack(book, payment, askedBy(body))) }
    },
    "GET /charge/:id/refund": (_, id) => ({
      refunds: (chargeOf(book, id).payment?.refunds ?? []).map(refundShape)
    })
  }
}

const payoutRoutes = (book: WooviBook): Readonly<Record<string, Route>> => ({
  "POST /payment": ({ body }) => {
    const asked = rowOf(body)
    const payout = requestPayout(book, {
      correlationID: textOf(asked, "correlationID"),
      value: Number(asked["value"]),
      destinationAlias: textOf(asked, "destinationAlias"),
      destinationAliasType: textOf(asked, "destinationAliasType")
    })
    if (asked["autoApprove"] === true) approvePayout(book, payout)
    return payoutShape(payout)
  },
  "POST /payment/approve": ({ body }) => {
    const payout = payoutOf(book, textOf(rowOf(body), "correlationID"))
    approvePayout(book, payout)
    return payoutShape(payout)
  },
  "GET /payment/:id": (_, id) => payoutShape(payoutOf(book, id))
})

const webhookRoutes = (
  book: WooviBook,
  publicKeys: () => ReadonlyArray<string>
): Readonly<Record<string, Route>> => {
  const shape = ({ hmacSecretKey: _, ...webhook }: WooviWebhook) => webhook
  return {
    "GET /company": () => ({ company: { id: newWooviId(book), name: "Loja Azul" } }),
    "GET /webhook": ({ query }) => ({
      webhooks: book.webhooks
        .filter(({ url }) => (query.has("url") ? url === query.get("url") : true))
        .map(shape),
      pageInfo: { skip: 0, limit: 100, hasPreviousPage: false, hasNextPage: false }
    }),
    "POST /webhook": ({ body }) => {
      const asked = rowOf(rowOf(body)["webhook"])
      const url = textOf(asked, "url")
      if (!URL.canParse(url)) throw new WooviRefusal("url inválida")
      const webhook: WooviWebhook = {
        id: newWooviId(book),
        name: textOf(asked, "name"),
        event: textOf(asked, "event") || "OPENPIX:TRANSACTION_RECEIVED",
        url,
        isActive: asked["isActive"] !== false,
        hmacSecretKey: randomUUID(),
        ...(asked["authorization"] === undefined
          ? {}
          : { authorization: textOf(asked, "authorization") })
      }
      book.webhooks.push(webhook)
      return { webhook: shape(webhook) }
    },
    "GET /webhook/public-keys": () => ({
      public_keys: publicKeys().map((key, index, all) => ({
        key_identifier: createHash("sha256").update(key).digest("hex"),
        is_current: index === all.length - 1,
        key
      }))
    })
  }
}
