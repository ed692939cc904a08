import type { PspCharge } from "@pagora/core"
import * as Psp from "@pagora/core/psp"
import { DateTime, Effect } from "effect"
import { saysThatNo } from "./WooviErrors.ts"
import { readPayments } from "./WooviReceived.ts"

/** `ChargePayload.expiresIn`: five minutes at least. Pagora ends a shorter one itself. */
const secondsMin = 300
/** How long a charge was asked to live stands beside it: at Woovi it lives for five minutes at least, and ends when cancelled. */
const lifetime = (seconds: number) => ({ key: "Validade", value: `${seconds} s` })

/** Charges by their `correlationID`. */
export const makeCharges = ({ ask, find, order }: Psp.JsonApi) => {
  const withPayments = (charge: PspCharge) => {
    const paid = ask(readPayments, `/transaction?charge=${charge.reference}&type=PAYMENT`)
    return Effect.map(paid, ({ received }) => {
      const payments = received.map(({ payment }) => payment)
      return Psp.withPayments(charge, payments)
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
    cancelCharge: (reference) => {
      const end = Effect.flatMap(DateTime.now, (now) =>
        order(() => true, "PATCH", `/charge/${reference}`, { expiresDate: DateTime.formatIso(now) })
      )
      return Psp.endCharge(findCharge(reference), end)
    }
  })
}

const statuses = { active: "ACTIVE", paid: "COMPLETED", removed: "EXPIRED" }

const readCharge = (answer: Psp.Fields): PspCharge => {
  const charge = answer.at("charge")
  const createdAt = charge.time("createdAt")
  const expiresDate = charge.time("expiresDate")
  const notes = charge.listIf("additionalInfo")
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
