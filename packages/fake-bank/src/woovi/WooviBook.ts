import { randomBytes, randomUUID } from "node:crypto"

// What Woovi knows, in plain memory: it shows none of it to whoever has no AppID, and moves it only as it would.

export interface WooviPerson {
  readonly name: string
  readonly taxID: string
}

export interface WooviCharge {
  readonly correlationID: string
  readonly value: number
  readonly comment?: string
  readonly customer?: WooviPerson
  readonly additionalInfo: ReadonlyArray<{ readonly key: string; readonly value: string }>
  readonly transactionID: string
  readonly paymentLinkID: string
  readonly brCode: string
  readonly createdAt: Date
  expiresDate: Date
  payment?: WooviPayment
}

/** Money that came in. */
export interface WooviPayment {
  readonly endToEndId: string
  readonly value: number
  readonly time: Date
  readonly payer: WooviPerson
  readonly charge?: WooviCharge
  readonly refunds: Array<WooviRefund>
}

export interface WooviRefund {
  readonly correlationID: string
  readonly value: number
  readonly comment?: string
  readonly endToEndId: string
  readonly time: Date
  status: "IN_PROCESSING" | "CONFIRMED" | "REJECTED"
}

export interface WooviPayout {
  readonly correlationID: string
  readonly value: number
  readonly destinationAlias: string
  readonly destinationAliasType: string
  readonly endToEndId: string
  status: "CREATED" | "APPROVED" | "CONFIRMED" | "FAILED"
  time?: Date
  failure?: WooviFailure
  /** The return by which it came back. */
  back?: { readonly endToEndId: string; readonly time: Date }
}

export interface WooviFailure {
  /** Woovi's own (docs/payment/payment-failed-errors). */
  readonly code: string
  /** The network's (docs/flows/error-codes-payment). */
  readonly network?: string
  readonly description: string
}

export interface WooviDispute {
  readonly id: string
  readonly endToEndId: string
  readonly type: "MED" | "CHARGEBACK"
  status: "IN_REVIEW" | "OPENED" | "ACCEPTED" | "REJECTED" | "CANCELED"
}

export interface WooviWebhook {
  readonly id: string
  readonly name: string
  readonly event: string
  readonly url: string
  readonly authorization?: string
  readonly isActive: boolean
  readonly hmacSecretKey: string
}

/** What happened, for whoever is told of it: an event of Woovi's and what it is about. */
export type WooviEvent =
  | { readonly event: "charge" | "charge_expired"; readonly charge: WooviCharge }
  | { readonly event: "received"; readonly payment: WooviPayment }
  | { readonly event: "refund"; readonly payment: WooviPayment; readonly refund: WooviRefund }
  | { readonly event: "movement" | "returned"; readonly payout: WooviPayout }
  | { readonly event: "dispute"; readonly dispute: WooviDispute; readonly isNew: boolean }

export interface WooviBook {
  readonly now: () => Date
  readonly charges: Map<string, WooviCharge>
  readonly payments: Map<string, WooviPayment>
  readonly payouts: Map<string, WooviPayout>
  readonly disputes: Map<string, WooviDispute>
  readonly webhooks: Array<WooviWebhook>
  /** In centavos. */
  balance: number
  /** For look-ups of keys: one that is not found costs 20, and below 20 none is made (docs/payment/pix-key-token-bucket). */
  tokens: number
  readonly tell: (event: WooviEvent) => void
}

export interface WooviBookOptions {
  readonly now?: () => Date
  readonly balance?: number
  readonly tell?: (event: WooviEvent) => void
}

export const makeWooviBook = ({
  balance = 10_000_000,
  now = () => new Date(),
  tell = () => {}
}: WooviBookOptions = {}): WooviBook => ({
  now,
  charges: new Map(),
  payments: new Map(),
  payouts: new Map(),
  disputes: new Map(),
  webhooks: [],
  balance,
  tokens: 500,
  tell
})

/** What Woovi does not do, in its words. Its API answers it with 400 unless it says otherwise. */
export class WooviRefusal extends Error {
  override readonly name = "WooviRefusal"
  readonly status: number
  readonly errorCode: string | undefined
  constructor(message: string, status = 400, errorCode?: string) {
    super(message)
    this.status = status
    this.errorCode = errorCode
  }
}

/** The participants: Woovi itself, and whoever is on the other side. */
const woovi = "54811417"
const other = "99999004"

const networkId = (book: WooviBook, letter: "E" | "D", ispb: string): string => {
  const minute = book.now().toISOString().replaceAll(/\D/g, "").slice(0, 12)
  return `${letter}${ispb}${minute}${randomBytes(6).toString("hex").slice(0, 11)}`
}

export const newWooviId = (book: WooviBook): string => {
  const second = Math.floor(book.now().getTime() / 1_000)
  return second.toString(16).padStart(8, "0") + randomBytes(8).toString("hex")
}

const found = <A>(one: A | undefined, what: string): A => {
  if (one === undefined) throw new WooviRefusal(`${what} não encontrado(a)`)
  return one
}

export const chargeOf = (book: WooviBook, correlationID: string): WooviCharge =>
  found(book.charges.get(correlationID), "Cobrança")
export const payoutOf = (book: WooviBook, correlationID: string): WooviPayout =>
  found(book.payouts.get(correlationID), "Pagamento")
export const paymentOf = (book: WooviBook, endToEndId: string): WooviPayment =>
  found(book.payments.get(endToEndId), "Transação")

export const chargeStatus = (book: WooviBook, { expiresDate, payment }: WooviCharge) =>
  payment !== undefined ? "COMPLETED" : expiresDate <= book.now() ? "EXPIRED" : "ACTIVE"

/** Somebody pays the charge, once and the amount that it asks for; or the key itself. */
export const receive = (
  book: WooviBook,
  asked: { readonly charge?: WooviCharge; readonly value?: number; readonly payer?: WooviPerson }
): WooviPayment => {
  const { charge, payer = { name: "Maria Clara Oliveira", taxID: "52998224725" } } = asked
  if (charge !== undefined && chargeStatus(book, charge) !== "ACTIVE")
    throw new WooviRefusal("A cobrança não pode ser paga")
  const payment: WooviPayment = {
    endToEndId: networkId(book, "E", other),
    value: charge?.value ?? asked.value ?? 100,
    time: book.now(),
    payer,
    refunds: [],
    ...(charge === undefined ? {} : { charge })
  }
  book.payments.set(payment.endToEndId, payment)
  book.balance += payment.value
  if (charge !== undefined) charge.payment = payment
  book.tell({ event: "received", payment })
  if (charge !== undefined) book.tell({ event: "charge", charge })
  return payment
}

export const returnedOf = ({ refunds }: WooviPayment): number =>
  refunds.reduce((sum, { status, value }) => (status === "REJECTED" ? sum : sum + value), 0)

/** Begins a return. The money is away at once, and comes back should it be rejected. */
export const giveBack = (
  book: WooviBook,
  payment: WooviPayment,
  asked: { readonly correlationID?: string; readonly value?: number; readonly comment?: string }
): WooviRefund => {
  const { correlationID = randomUUID(), value = payment.value - returnedOf(payment) } = asked
  if (refundsIn(book).some(({ refund }) => refund.correlationID === correlationID))
    throw new WooviRefusal("Já existe um reembolso com o correlationID fornecido")
  if (!Number.isSafeInteger(value) || value < 1 || value > payment.value - returnedOf(payment))
    throw new WooviRefusal("O valor do reembolso é maior que o valor disponível")
  if (value > book.balance) throw new WooviRefusal("Você não possui saldo o suficiente")
  const refund: WooviRefund = {
    correlationID,
    value,
    endToEndId: networkId(book, "D", woovi),
    time: book.now(),
    status: "IN_PROCESSING",
    ...(asked.comment === undefined ? {} : { comment: asked.comment })
  }
  payment.refunds.push(refund)
  book.balance -= value
  return refund
}

export const refundsIn = (book: WooviBook) =>
  [...book.payments.values()].flatMap((payment) =>
    payment.refunds.map((refund) => ({ payment, refund }))
  )

export const endRefund = (
  book: WooviBook,
  correlationID: string,
  status: "CONFIRMED" | "REJECTED"
): void => {
  const one = refundsIn(book).find(({ refund }) => refund.correlationID === correlationID)
  const { payment, refund } = found(one, "Reembolso")
  if (refund.status !== "IN_PROCESSING") throw new WooviRefusal("O reembolso já terminou")
  refund.status = status
  if (status === "REJECTED") book.balance += refund.value
  book.tell({ event: "refund", payment, refund })
}

const needsTokens = 20

/** A request for a payout. Nothing leaves by it. */
export const requestPayout = (
  book: WooviBook,
  asked: Pick<WooviPayout, "correlationID" | "value" | "destinationAlias" | "destinationAliasType">
): WooviPayout => {
  if (book.payouts.has(asked.correlationID))
    throw new WooviRefusal("Já existe um pagamento com o correlationID fornecido")
  if (!Number.isSafeInteger(asked.value) || asked.value < 1)
    throw new WooviRefusal("Valor inválido")
  if (book.tokens < needsTokens) {
    const message = "You tried to consult many Pix keys that do not exist."
    throw new WooviRefusal(message, 429, "TOO_MANY_REQUESTS")
  }
  // A key of the test environment that nobody has (docs/test-environment).
  const isNobodys = asked.destinationAlias === "pix-key-not-found@openpix.com"
  book.tokens -= isNobodys ? needsTokens : 1
  if (isNobodys)
    throw new WooviRefusal("Chave pix informada não encontrada", 400, "PIX_KEY_INFO_NOT_FOUND")
  const payout: WooviPayout = {
    ...asked,
    endToEndId: networkId(book, "E", woovi),
    status: "CREATED"
  }
  book.payouts.set(asked.correlationID, payout)
  return payout
}

export const approvePayout = (book: WooviBook, payout: WooviPayout): void => {
  if (payout.status !== "CREATED") throw new WooviRefusal("O pagamento já foi aprovado")
  if (payout.value > book.balance)
    throw new WooviRefusal("You do not have enough balance to make this payment")
  book.balance -= payout.value
  payout.status = "APPROVED"
}

const accountClosed: WooviFailure = {
  code: "PAY_PIX_KEY_ERROR",
  network: "AC07",
  description: "Número da conta transacional do usuário recebedor encerrada"
}

/** It arrives, it fails, or it comes back after it had arrived. */
export const endPayout = (
  book: WooviBook,
  correlationID: string,
  end: "completed" | "failed" | "reversed",
  failure = accountClosed
): void => {
  const payout = payoutOf(book, correlationID)
  if (payout.status !== (end === "reversed" ? "CONFIRMED" : "APPROVED"))
    throw new WooviRefusal(`O pagamento está ${payout.status}`)
  if (end === "completed") {
    payout.status = "CONFIRMED"
    payout.time = book.now()
  } else {
    payout.status = "FAILED"
    payout.failure = failure
    book.balance += payout.value
  }
  if (end === "reversed") {
    payout.back = { endToEndId: networkId(book, "D", other), time: book.now() }
    book.tell({ event: "returned", payout })
  }
  book.tell({ event: "movement", payout })
}

/** Somebody says that a payment was fraud. */
export const dispute = (book: WooviBook, endToEndId: string): WooviDispute => {
  paymentOf(book, endToEndId)
  const one: WooviDispute = { id: newWooviId(book), endToEndId, type: "MED", status: "IN_REVIEW" }
  book.disputes.set(endToEndId, one)
  book.tell({ event: "dispute", dispute: one, isNew: true })
  return one
}

/** A dispute that is accepted gives the payment back. */
export const endDispute = (
  book: WooviBook,
  endToEndId: string,
  status: "ACCEPTED" | "REJECTED" | "CANCELED"
): void => {
  const one = found(book.disputes.get(endToEndId), "Disputa")
  one.status = status
  book.tell({ event: "dispute", dispute: one, isNew: false })
  if (status !== "ACCEPTED") return
  const refund = giveBack(book, paymentOf(book, endToEndId), {})
  endRefund(book, refund.correlationID, "CONFIRMED")
}
