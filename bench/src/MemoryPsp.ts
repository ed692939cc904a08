import type { Charge, PspCharge, PspShape } from "@pagora/core"
import { BrCode, EndToEndId, Money, PspOutcome } from "@pagora/core"
import { DateTime, Duration, Effect, Result } from "effect"

/** A PSP in memory that takes everything and answers at once: its time is not what is measured. */
export const memoryPsp = () => {
  const charges = new Map<string, PspCharge>()
  let moved = 0
  const shape: PspShape = {
    provider: "bench",
    environment: "sandbox",
    capabilities: {
      idempotentByReference: true,
      knowsPayer: true,
      notFoundIsFinalAfter: Duration.zero,
      settlementLag: Duration.zero
    },
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
    cancelCharge: (reference) => Effect.die(new Error(`Nobody cancels ${reference} here.`)),
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
    readNotification: () => Effect.succeed([])
  }
  const pay = (charge: Charge): void => {
    charges.set(charge.reference, {
      reference: charge.reference,
      pspPaymentId: charge.reference,
      status: "paid",
      amount: charge.amount,
      pixCopyPaste: charge.pixCopyPaste ?? "",
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
