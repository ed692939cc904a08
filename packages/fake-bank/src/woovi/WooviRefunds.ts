import type { Asked, Route } from "../door/Exchange.ts"
import { member, textAt } from "../door/Exchange.ts"
import type { Payment, PaymentReturn } from "../world/Payment.ts"
import { returnable } from "../world/Payment.ts"
import { beginReturn } from "../world/Returns.ts"
import { chargeAt, isWhole } from "./WooviCharges.ts"
import type { WooviOffice } from "./WooviOffice.ts"
import { notFound, refused } from "./WooviRefusals.ts"
import { refundShape, singleRefundShape } from "./WooviShapes.ts"
import { paymentNamed } from "./WooviTransactions.ts"

const base = "/api/v1/refund"
const ofCharge = "/api/v1/charge/:id/refund"

/** Money that goes back, by its `correlationID` or below its charge. */
export const refundRoutes = (office: WooviOffice): ReadonlyArray<Route> => [
  {
    operation: "createReturn",
    method: "POST",
    path: base,
    handle: (asked) => {
      const payment = paymentNamed(office, textAt(asked.json, "transactionEndToEndId"))
      return { status: 200, body: { refund: singleRefundShape(giveBack(office, payment, asked)) } }
    }
  },
  {
    operation: "createReturnOfCharge",
    method: "POST",
    path: ofCharge,
    handle: (asked) => {
      const [payment] = chargeAt(office, asked).payments
      if (payment === undefined) throw refused("A cobrança não foi paga")
      return { status: 200, body: { refund: refundShape(giveBack(office, payment, asked)) } }
    }
  },
  {
    operation: "findReturn",
    method: "GET",
    path: `${base}/:id`,
    handle: ({ params }) => {
      const back = returnsIn(office).find(({ id }) => id === params["id"])
      if (back === undefined) throw notFound("Reembolso")
      return { status: 200, body: { pixTransactionRefund: singleRefundShape(back) } }
    },
    lie: () => {
      throw notFound("Reembolso")
    }
  },
  {
    operation: "listReturnsOfCharge",
    method: "GET",
    path: ofCharge,
    handle: (asked) => {
      const backs = chargeAt(office, asked).payments.flatMap(({ returns }) => returns)
      return { status: 200, body: { refunds: backs.map(refundShape) } }
    },
    lie: () => ({ status: 200, body: { refunds: [] } })
  }
]

const returnsIn = ({ world }: WooviOffice): ReadonlyArray<PaymentReturn> =>
  [...world.payments.values()].flatMap(({ returns }) => returns)

const commentMax = 140

const giveBack = (office: WooviOffice, payment: Payment, { json }: Asked): PaymentReturn => {
  const { settling, world } = office
  const id = textAt(json, "correlationID") ?? ""
  const description = textAt(json, "comment") ?? ""
  const value = member(json, "value") ?? returnable(payment)
  if (id === "") throw refused("correlationID é obrigatório")
  if (description.length > commentMax) throw refused("O comentário é maior que 140 caracteres")
  if (returnsIn(office).some((back) => back.id === id))
    throw refused("Já existe um reembolso com o correlationID fornecido")
  if (!isWhole(value) || value < 1) throw refused("Valor inválido")
  const back = beginReturn(world, payment, {
    id,
    centavos: value,
    ...(description === "" ? {} : { description })
  })
  settling.back(payment, id)
  return back
}
