import type { Centavos, PspCharge, PspPayout, PspRefund, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { DateTime, Duration, Effect } from "effect"

const { done } = PspOutcome

/** Two banks of one deployment. */
export const bankA = "00000000-0000-7000-8000-00000000000a"
export const bankB = "00000000-0000-7000-8000-00000000000b"

/** A bank in the memory of the process, and the hands of its payers. */
export interface PlainBank {
  readonly psp: PspShape
  /** Somebody pays a charge in full. */
  readonly pay: (reference: string) => void
  /** What somebody paid of a charge. */
  readonly payments: (reference: string) => PspCharge["payments"]
  /** How often each method was asked. */
  readonly asked: Map<string, number>
  readonly payouts: ReadonlyMap<string, PspPayout>
}

let payments = 0

export const plainBank = (settings: Partial<PspShape> = {}): PlainBank => {
  const charges = new Map<string, PspCharge>()
  const payouts = new Map<string, PspPayout>()
  const refunds = new Map<string, PspRefund>()
  const asked = new Map<string, number>()
  const now = DateTime.nowUnsafe
  const asking = <A>(name: string, answer: () => A) =>
    Effect.sync(() => {
      asked.set(name, (asked.get(name) ?? 0) + 1)
      return done(answer())
    })
  const once = <A>(all: Map<string, A>, reference: string, make: () => A): A => {
    const known = all.get(reference) ?? make()
    all.set(reference, known)
    return known
  }
  const psp: PspShape = {
    provider: "plain",
    environment: "production",
    capabilities: {
      idempotentByReference: true,
      knowsPayer: false,
      notFoundIsFinalAfter: Duration.minutes(1),
      settlementLag: Duration.minutes(1)
    },
    createCharge: ({ amount, expiresInSeconds, reference }) =>
      asking("createCharge", () =>
        once(charges, reference, () => ({
          reference,
          pspPaymentId: reference,
          status: "active",
          amount,
          pixCopyPaste: `00020126${reference}6304ABCD`,
          createdAt: now(),
          expiresAt: DateTime.add(now(), { seconds: expiresInSeconds }),
          payments: []
        }))
      ),
    findCharge: (reference) => asking("findCharge", () => charges.get(reference)),
    cancelCharge: (reference) =>
      asking("cancelCharge", () => {
        const charge = charges.get(reference) as PspCharge
        if (charge.status === "active") charges.set(reference, { ...charge, status: "removed" })
        return charges.get(reference) as PspCharge
      }),
    sendPayout: ({ amount, reference }) =>
      asking("sendPayout", () =>
        once(payouts, reference, () => ({
          reference,
          pspReference: `P${reference}`,
          status: "completed",
          amount,
          endToEndId: endToEnd(),
          settledAt: now()
        }))
      ),
    findPayout: ({ reference }) => asking("findPayout", () => payouts.get(reference)),
    refund: ({ amount, endToEndId, reference }) =>
      asking("refund", () =>
        once(refunds, reference, () => ({
          reference,
          endToEndId,
          status: "confirmed",
          amount,
          returnId: `D${reference}`,
          settledAt: now()
        }))
      ),
    findRefund: ({ reference }) => asking("findRefund", () => refunds.get(reference)),
    readNotification: ({ body }) =>
      Effect.sync(() => [{ _tag: "Charge", reference: new TextDecoder().decode(body) }]),
    ...settings
  }
  const pay = (reference: string) => {
    const charge = charges.get(reference)
    if (charge === undefined) throw new Error(`There is no charge ${reference}.`)
    const paid = { endToEndId: endToEnd(), amount: charge.amount as Centavos, paidAt: now() }
    charges.set(reference, { ...charge, status: "paid", payments: [paid] })
  }
  return {
    psp,
    pay,
    payments: (reference) => charges.get(reference)?.payments ?? [],
    asked,
    payouts
  }
}

const endToEnd = () => `E9999999920261121120${String(payments++).padStart(12, "0")}`
