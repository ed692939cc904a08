import type { PspCharge } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { DateTime, Effect } from "effect"
import { saysThatNo } from "./WooviCalls.ts"
import { readPayments } from "./WooviReceived.ts"

/** `ChargePayload.expiresIn`: five minutes at least. Pagora ends a shorter one itself. */
const secondsMin = 300
/** How long a charge was asked to live stands beside it: at Woovi it lives for five minutes at least, and ends when cancelled. */
const lifetime = (seconds: number) => ({ key: "Validade", value: `${seconds} s` })
const noCharge = PspOutcome.rejected("charge_not_found", "Woovi has no such charge.")

/** Charges by their `correlationID`. */
export const makeCharges = ({ ask, find, order }: Psp.JsonApi) => {
  /** With what was paid for it. The filter is held against the answer: what pays another is none of its payments. */
  const withPayments = (charge: PspCharge): Psp.Asked<PspCharge> => {
    const { reference } = charge
    const paid = ask(readPayments, `/transaction?charge=${reference}&type=PAYMENT`)
    return Effect.map(paid, ({ received }) => {
      const all = received.map(({ payment }) => payment)
      const payments = all.filter((payment) => payment.reference === reference)
      return payments.length > 0 ? { ...charge, payments, status: "paid" } : charge
    })
  }

  const findCharge = (reference: string) => {
    const found = find(readCharge, `/charge/${reference}`, saysThatNo("charge|cobran"))
    return Psp.whereThere(found, withPayments)
  }

  return Psp.someCalls({
    createCharge: ({ amount, description, expiresInSeconds, payer, reference }) =>
      order(readCharge, "POST", "/charge?return_existing=true", {
        correlationID: reference,
        value: Number(amount),
        expiresIn: Math.max(secondsMin, expiresInSeconds),
        additionalInfo: [lifetime(expiresInSeconds)],
        comment: description,
        customer: payer && { name: payer.name, taxID: payer.document }
      }).pipe(Effect.flatMap((made) => Psp.onceTaken(withPayments(made)))),
    findCharge,

    /** Ends it now, and does not delete it: what is deleted cannot be asked about when somebody has paid it after all. */
    cancelCharge: (reference) =>
      Effect.gen(function* () {
        const charge = Psp.orFail(findCharge(reference), noCharge)
        const before = yield* charge
        if (before.status !== "active") return before
        const end = { expiresDate: DateTime.formatIso(yield* DateTime.now) }
        const ended = order(() => true, "PATCH", `/charge/${reference}`, end)
        // It may have been paid in between, and so refused.
        const isOver = Effect.map(charge, ({ status }) => status !== "active" || undefined)
        yield* Psp.unlessThere(ended, isOver)
        return yield* Psp.onceTaken(charge)
      })
  })
}

const statuses = { ACTIVE: "active", COMPLETED: "paid", EXPIRED: "removed" } as const

const readCharge = (answer: Psp.Fields): PspCharge => {
  const charge = answer.at("charge")
  const createdAt = charge.time("createdAt")
  const expiresDate = charge.time("expiresDate")
  const notes = charge.list("additionalInfo")
  const note = notes.find((one) => one.textIf("key") === lifetime(0).key)
  const seconds = Number.parseInt(note?.textIf("value") ?? "", 10)
  return {
    reference: charge.text("correlationID"),
    pspPaymentId: charge.text("paymentLinkID"),
    status: charge.word("status", statuses),
    amount: charge.centavos("value"),
    pixCopyPaste: charge.text("brCode"),
    createdAt,
    expiresAt: seconds > 0 ? DateTime.add(createdAt, { seconds }) : expiresDate,
    payments: []
  }
}
