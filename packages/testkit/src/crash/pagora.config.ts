import { pspFromPromises, PspOutcome } from "@pagora/core"
import type { PlainPsp, PromisePsp, PspCharge, PspPayout, PspRefund } from "@pagora/core"
import { WebhookTransportNode } from "@pagora/core/node"
import { bankId } from "./Bank.ts"
import type { BankCharge, BankTransfer } from "./BankBook.ts"

const { CRASH_BANK: bank = "", CRASH_BANK_MINDS: minds } = process.env

/** What the bank answers; undefined where it has no such thing. Whatever else goes wrong throws, and is unknown. */
const asked = async <A>(
  signal: AbortSignal,
  method: string,
  path: string,
  body?: object
): Promise<A | "refused" | undefined> => {
  const response = await fetch(`${bank}/${path}`, {
    method,
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (response.status === 404) return undefined
  if (response.status === 422) return "refused"
  if (response.status !== 200) throw new Error(`The bank answered ${response.status}.`)
  return (await response.json()) as A
}

const chargeOf = (charge: BankCharge): PlainPsp<PspCharge> => ({
  reference: charge.reference,
  pspPaymentId: charge.id,
  status: charge.payments.length > 0 ? "paid" : charge.isRemoved ? "removed" : "active",
  amount: BigInt(charge.amount),
  pixCopyPaste: `pix-${charge.id}`,
  createdAt: charge.createdAt,
  expiresAt: charge.expiresAt,
  payments: charge.payments.map((payment) => ({ ...payment, amount: BigInt(payment.amount) }))
})

const settledOf = ({ settledAt }: BankTransfer) => (settledAt === undefined ? {} : { settledAt })

const payoutOf = (transfer: BankTransfer): PlainPsp<PspPayout> => ({
  reference: transfer.reference,
  pspReference: transfer.id,
  status: transfer.status === "done" ? "completed" : "processing",
  amount: BigInt(transfer.amount),
  endToEndId: transfer.endToEndId,
  ...settledOf(transfer)
})

const refundOf = (transfer: BankTransfer): PlainPsp<PspRefund> => ({
  reference: transfer.reference,
  endToEndId: transfer.payment,
  status: transfer.status === "done" ? "confirmed" : "processing",
  amount: BigInt(transfer.amount),
  returnId: transfer.endToEndId,
  ...settledOf(transfer)
})

/** The answer to what must be there, or must be done. */
const surely = <A, B>(answer: A | "refused" | undefined, read: (value: A) => B) =>
  answer === undefined || answer === "refused"
    ? PspOutcome.rejected("refused", "The bank refused it.")
    : PspOutcome.done(read(answer))

const perhaps = <A, B>(answer: A | "refused" | undefined, read: (value: A) => B) =>
  PspOutcome.done(answer === undefined || answer === "refused" ? undefined : read(answer))

const functions: PromisePsp = {
  provider: "bank",
  environment: "sandbox",
  capabilities: {
    idempotentByReference: minds === "true",
    knowsPayer: false,
    notFoundIsFinalAfter: "2 seconds",
    settlementLag: "2 seconds"
  },
  createCharge: async ({ amount, expiresInSeconds, reference }, { signal }) =>
    surely(
      await asked<BankCharge>(signal, "PUT", `charges/${reference}`, {
        amount: Number(amount),
        expiresInSeconds
      }),
      chargeOf
    ),
  findCharge: async (reference, { signal }) =>
    perhaps(await asked<BankCharge>(signal, "GET", `charges/${reference}`), chargeOf),
  cancelCharge: async (reference, { signal }) =>
    surely(await asked<BankCharge>(signal, "DELETE", `charges/${reference}`), chargeOf),
  sendPayout: async ({ amount, reference }, { signal }) =>
    surely(
      await asked<BankTransfer>(signal, "PUT", `payouts/${reference}`, { amount: Number(amount) }),
      payoutOf
    ),
  findPayout: async ({ reference }, { signal }) =>
    perhaps(await asked<BankTransfer>(signal, "GET", `payouts/${reference}`), payoutOf),
  refund: async ({ amount, endToEndId, reference }, { signal }) =>
    surely(
      await asked<BankTransfer>(signal, "PUT", `refunds/${reference}`, {
        amount: Number(amount),
        endToEndId
      }),
      refundOf
    ),
  findRefund: async ({ reference }, { signal }) =>
    perhaps(await asked<BankTransfer>(signal, "GET", `refunds/${reference}`), refundOf),
  readNotification: ({ body }) => {
    const { about, reference } = JSON.parse(new TextDecoder().decode(body)) as {
      readonly about: "charge" | "payout" | "refund"
      readonly reference: string
    }
    const tags = { charge: "Charge", payout: "Payout", refund: "Refund" } as const
    return [{ _tag: tags[about], reference }]
  }
}

/** The deployment of the crashes: a bank outside, and webhooks to a receiver on this machine. */
export default {
  psp: { default: bankId, psps: { [bankId]: pspFromPromises(functions) } },
  transport: WebhookTransportNode.layer({ allowLoopbackHttp: true })
}
