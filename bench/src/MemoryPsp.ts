import type { Charge, PspCharge, PspShape, RawNotification } from "@pagora/core"
import { BrCode, EndToEndId, Money, NotificationRefused, PspOutcome } from "@pagora/core"
import { DateTime, Duration, Effect, Result } from "effect"
import { timingSafeEqual } from "node:crypto"

/** What it tells of a payment: here, as nowhere else, the notice is what makes the payment. */
interface Notice {
  readonly txid: string
  readonly endToEndId: string
  readonly amount: number
  readonly paidAt: string
  readonly payer: { readonly name: string; readonly document: string }
}

const capabilities: PspShape["capabilities"] = {
  idempotentByReference: true,
  knowsPayer: true,
  notFoundIsFinalAfter: Duration.zero,
  settlementLag: Duration.zero
}

/**
 * A PSP in memory that takes everything and answers at once: its time is not what is measured. `secret` is what its
 * notices carry. What it moves is counted from `moved` on, so that the names of two processes differ.
 */
export const memoryPsp = (secret = "", moved = 0) => {
  const charges = new Map<string, PspCharge>()
  const shape: PspShape = {
    provider: "bench",
    environment: "sandbox",
    capabilities,
    createCharge: ({ amount, expiresInSeconds, reference }) =>
      Effect.map(DateTime.now, (now) =>
        PspOutcome.done({
          reference,
          pspPaymentId: reference,
          status: "active" as const,
          amount,
          pixCopyPaste: brCode(reference, amount),
          createdAt: now,
          expiresAt: DateTime.add(now, { seconds: expiresInSeconds }),
          payments: []
        })
      ),
    findCharge: (reference) => Effect.sync(() => PspOutcome.done(charges.get(reference))),
    // It remembers what is paid and nothing else.
    cancelCharge: (reference) =>
      Effect.succeed(PspOutcome.rejected("not_found", `There is no charge ${reference}.`)),
    sendPayout: ({ amount, reference }) =>
      Effect.map(DateTime.now, (now) =>
        PspOutcome.done({
          reference,
          pspReference: reference,
          status: "completed" as const,
          amount,
          endToEndId: endToEndId(now, ++moved),
          settledAt: now
        })
      ),
    findPayout: () => Effect.succeed(PspOutcome.done(undefined)),
    refund: ({ reference }) => Effect.die(new Error(`Nobody sends ${reference} back here.`)),
    findRefund: () => Effect.succeed(PspOutcome.done(undefined)),
    readNotification: (notification) =>
      Effect.suspend(() => {
        if (!isOurs(notification, secret))
          return Effect.fail(new NotificationRefused({ reason: "Unauthenticated" }))
        const paid = paidBy(JSON.parse(Buffer.from(notification.body).toString()) as Notice)
        charges.set(paid.reference, paid)
        return Effect.succeed([{ _tag: "Charge" as const, reference: paid.reference }])
      })
  }
  const pay = (charge: Charge): void => {
    charges.set(charge.reference, {
      reference: charge.reference,
      pspPaymentId: charge.reference,
      status: "paid",
      amount: charge.amount,
      pixCopyPaste: charge.pixCopyPaste ?? paidCode,
      createdAt: charge.createdAt,
      expiresAt: charge.expiresAt,
      payments: [
        {
          endToEndId: endToEndId(charge.createdAt, ++moved),
          amount: charge.amount,
          paidAt: charge.createdAt,
          payer: { name: "Maria da Silva", document: "52998224725" }
        }
      ]
    })
  }
  return { shape, pay, forget: () => charges.clear() }
}

const isOurs = ({ headers }: RawNotification, secret: string): boolean => {
  const given = Buffer.from(headers["authorization"] ?? "")
  const expected = Buffer.from(`Bearer ${secret}`)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const paidBy = ({ amount: brl, endToEndId: id, paidAt: text, payer, txid }: Notice): PspCharge => {
  const paidAt = DateTime.makeUnsafe(text)
  const amount = BigInt(Math.round(brl * 100)) as Money.Centavos
  return {
    reference: txid,
    pspPaymentId: txid,
    status: "paid",
    amount,
    pixCopyPaste: paidCode,
    createdAt: paidAt,
    expiresAt: paidAt,
    payments: [{ endToEndId: id, amount, paidAt, payer }]
  }
}

const brCode = (reference: string, amount: Money.Centavos): string =>
  Result.getOrThrow(
    BrCode.build({
      kind: "dynamic",
      use: "single",
      location: `pix.example.com/qr/v2/${reference}`,
      amount,
      merchantName: "LOJA AZUL",
      merchantCity: "SAO PAULO"
    })
  )

/** No PSP answers a charge without a code, and nobody looks at that of one that is paid. */
const paidCode = brCode("paid", Money.oneCentavo)

/** The form of the PIX network, so that the keys are as long as real ones and as random at their end. */
const endToEndId = (minute: DateTime.Utc, number: number): string =>
  Result.getOrThrow(
    EndToEndId.make({
      ispb: "12345678",
      minute,
      // A multiplication by an odd number is one to one within 32 bits.
      suffix: (Math.imul(number, 2_654_435_761) >>> 0).toString(36).padStart(11, "0")
    })
  )
