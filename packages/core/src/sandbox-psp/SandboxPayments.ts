import type { DateTime } from "effect"
import { Effect, Result, Schema } from "effect"
import * as Document from "../kernel/Document.ts"
import type { Centavos } from "../kernel/Money.ts"
import { bacenAmountMax } from "../kernel/Money.ts"
import type { SandboxCharge, SandboxPayment } from "./SandboxCharge.ts"
import { aPerson, newEndToEndId } from "./SandboxNetwork.ts"

/** How the simulated payer pays. What is absent is plausible: the charge's amount, one of a few people, once. */
export interface SandboxPaymentOptions {
  readonly amount?: Centavos
  readonly payerName?: string
  /** A valid CPF or CNPJ, with or without punctuation. */
  readonly payerDocument?: string
  /** That many payments, each with its own end-to-end id: 1 to 20. */
  readonly times?: number
}

const sentences = {
  amount: "The amount is not one that a Pix can have: 0.01 to 9999999999.99.",
  payerName: "The payer's name must have 1 to 200 characters.",
  payerDocument: "The payer's document is neither a CPF nor a CNPJ.",
  times: "A payer can pay 1 to 20 times at once."
} as const

/** No payer could do that. */
export class SandboxPaymentRefused extends Schema.TaggedError<SandboxPaymentRefused>()(
  "SandboxPaymentRefused",
  { field: Schema.Literals(Object.keys(sentences) as ReadonlyArray<keyof typeof sentences>) }
) {
  override get message(): string {
    return sentences[this.field]
  }
}

export interface SandboxOrder {
  readonly amount: Centavos | undefined
  readonly payerName: string | undefined
  readonly payerDocument: Document.Document | undefined
  readonly times: number
}

export const check = (
  options: SandboxPaymentOptions
): Result.Result<SandboxOrder, SandboxPaymentRefused> => {
  const { amount, payerName, times = 1 } = options
  const document =
    options.payerDocument === undefined ? undefined : Document.parse(options.payerDocument)
  if (amount !== undefined && (amount < 1n || amount > bacenAmountMax)) return refuse("amount")
  if (payerName !== undefined && (payerName.length < 1 || payerName.length > 200)) {
    return refuse("payerName")
  }
  if (document !== undefined && Result.isFailure(document)) return refuse("payerDocument")
  if (!Number.isInteger(times) || times < 1 || times > 20) return refuse("times")
  return Result.succeed({ amount, payerName, payerDocument: document?.success, times })
}

/** The payments as they happen now. Whoever writes them must see to it that no end-to-end id is known already. */
export const make = Effect.fnUntraced(function* (
  order: SandboxOrder,
  charge: Pick<SandboxCharge, "amount">,
  now: DateTime.Utc
) {
  const payer = yield* aPerson(order.payerDocument)
  const payment = Effect.map(newEndToEndId(now), (endToEndId): SandboxPayment => ({
    endToEndId,
    amount: order.amount ?? charge.amount,
    paidAt: now,
    payer: { ...payer, name: order.payerName ?? payer.name },
    isTold: false
  }))
  return yield* Effect.replicateEffect(payment, order.times)
})

const refuse = (field: SandboxPaymentRefused["field"]) =>
  Result.fail(new SandboxPaymentRefused({ field }))
