import type { PspCharge, PspShape } from "@pagora/core"
import { EndToEndId, PspOutcome } from "@pagora/core"
import { DateTime, Effect, Result } from "effect"
import { memoryPsp } from "../MemoryPsp.ts"

/** A PSP in memory that takes everything at once, and where charges are paid by hand. It may forget what has ended. */
export const growthPsp = () => {
  const { shape: base } = memoryPsp()
  const charges = new Map<string, PspCharge>()
  let moved = 0
  const newEndToEndId = (minute: DateTime.Utc): string =>
    Result.getOrThrow(
      EndToEndId.make({
        ispb: "87654321",
        minute,
        suffix: (++moved).toString(36).padStart(11, "0")
      })
    )
  const shape: PspShape = {
    ...base,
    createCharge: (charge) =>
      Effect.tap(base.createCharge(charge), (outcome) =>
        Effect.sync(() => {
          if (outcome._tag === "Done") charges.set(charge.reference, outcome.value)
        })
      ),
    findCharge: (reference) => Effect.sync(() => PspOutcome.done(charges.get(reference))),
    cancelCharge: (reference) =>
      Effect.sync(() => {
        const charge = charges.get(reference)
        if (charge === undefined) return PspOutcome.rejected("unknown", "There is no such charge.")
        const removed = { ...charge, status: "removed" as const }
        charges.set(reference, removed)
        return PspOutcome.done(removed)
      }),
    refund: ({ amount, endToEndId, reference }) =>
      Effect.map(DateTime.now, (now) =>
        PspOutcome.done({
          reference,
          endToEndId,
          amount,
          status: "confirmed" as const,
          returnId: newEndToEndId(now).replace(/^E/, "D"),
          settledAt: now
        })
      ),
    // The whole body is our reference.
    readNotification: ({ body }) =>
      Effect.succeed([{ _tag: "Charge", reference: new TextDecoder().decode(body) }])
  }
  const pay = (reference: string): void => {
    const charge = charges.get(reference)
    if (charge === undefined) throw new Error(`The PSP has no charge ${reference}.`)
    const payment = {
      endToEndId: newEndToEndId(charge.createdAt),
      amount: charge.amount,
      paidAt: charge.createdAt,
      payer: { name: "Maria da Silva", document: "52998224725" }
    }
    charges.set(reference, { ...charge, status: "paid", payments: [payment] })
  }
  return { shape, pay, forget: () => charges.clear() }
}
