import type { Payment, PaymentReturn } from "../world/Payment.ts"
import type { Payout } from "../world/Payout.ts"
import type { World, WorldEvent } from "../world/World.ts"
import {
  chargeShape,
  disputeShape,
  paymentShape,
  payoutReturnShape,
  payoutShape,
  returnShape
} from "./WooviShapes.ts"

type Told = { readonly event: string } & Readonly<Record<string, unknown>>

const company = { id: "624f46f9e93f9f521c8308d7", name: "Loja Azul", taxID: "04252011000110" }
const account = { clientId: "ZOJ64B9B-ZM1W-89MI-4UCI-OP2LVIU6NY75" }

/** What Woovi tells of what happened: its events by their names, and their bodies (docs/webhook/examples). */
export const eventsOf = (world: World, event: WorldEvent): ReadonlyArray<Told> => {
  switch (event.type) {
    case "payment_received":
      return received(world, event.payment)
    case "return_changed":
      return returned(world, event.payment, event.back)
    case "payout_changed":
      return moved(event.payout)
    // That something has begun is told to nobody.
    case "return_begun":
    case "payout_begun":
      return []
    case "infraction_changed": {
      const dispute = disputeShape(event.infraction)
      const { status } = event.infraction
      // That it was answered is told to nobody.
      if (status === "defended") return []
      return [
        { event: `OPENPIX:DISPUTE_${status === "open" ? "CREATED" : dispute.status}`, dispute }
      ]
    }
  }
}

const received = (world: World, payment: Payment): ReadonlyArray<Told> => {
  const pix = paymentShape(world, payment)
  const charge = world.charges.find(({ payments }) => payments.includes(payment))
  const about = { pix, company, account }
  const arrived = {
    event: "OPENPIX:TRANSACTION_RECEIVED",
    charge: pix.charge,
    pixQrCode: null,
    ...about,
    refunds: []
  }
  if (charge === undefined) return [arrived]
  const paid = { event: "OPENPIX:CHARGE_COMPLETED", charge: chargeShape(world, charge), ...about }
  return [arrived, paid]
}

const returned = (world: World, payment: Payment, back: PaymentReturn): ReadonlyArray<Told> => {
  const isDone = back.status === "DEVOLVIDO"
  return [
    {
      event: `PIX_TRANSACTION_REFUND_SENT_${isDone ? "CONFIRMED" : "REJECTED"}`,
      refundTransaction: returnShape(back),
      originalTransaction: { ...paymentShape(world, payment), charge: undefined },
      company,
      account,
      ...(isDone ? {} : { error: "ED05 - Pagamento rejeitado pelo PSP do recebedor" })
    }
  ]
}

const moved = (payout: Payout): ReadonlyArray<Told> => {
  const { error, payment, transaction } = payoutShape(payout)
  const { status } = payout
  if (status === "completed" && payout.returns.length === 0)
    return [{ event: "OPENPIX:MOVEMENT_CONFIRMED", payment, transaction }]
  const last = payout.returns.at(-1)
  const cameBack =
    last === undefined
      ? []
      : [
          {
            event: "PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED",
            refundTransaction: payoutReturnShape(payout, last),
            originalTransaction: { ...transaction, type: "PAYMENT", status: "CONFIRMED" },
            company,
            account
          }
        ]
  const failed =
    error === undefined ? [] : [{ event: "OPENPIX:MOVEMENT_FAILED", payment, transaction, error }]
  return [...cameBack, ...failed]
}
