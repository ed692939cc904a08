import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { isRecord, member, Refused, textAt } from "../door/Exchange.ts"
import { fromReais } from "../world/Centavos.ts"
import type { Payment } from "../world/Payment.ts"
import { returnNatures } from "../world/Payment.ts"
import { beginReturn } from "../world/Returns.ts"
import type { World } from "../world/World.ts"
import type { BankProfile } from "./BankProfile.ts"
import { flag, pageOf, periodOf } from "./Pages.ts"
import { paymentView, returnView } from "./Views.ts"

/** What happens to a return once it was taken: nothing, or what the bank's own hand does. */
export type ReturnTaken = (payment: Payment, id: string) => void

export const pixRoutes = (
  world: World,
  { base, bases }: BankProfile,
  onTaken: ReturnTaken
): ReadonlyArray<Route> => {
  const pix = bases.pix ?? base
  const back = `${pix}/pix/:e2eid/devolucao/:id`
  return [
    {
      operation: "findPayment",
      method: "GET",
      path: `${pix}/pix/:e2eid`,
      scope: "pix.read",
      handle: (asked) => ({ status: 200, body: paymentView(paymentOf(world, asked)) }),
      lie: () => {
        throw noPayment()
      }
    },
    {
      operation: "listPayments",
      method: "GET",
      path: `${pix}/pix`,
      scope: "pix.read",
      handle: (asked) => listed(world, asked),
      lie: (truth, asked) => opposite(world, truth, asked)
    },
    {
      operation: "createReturn",
      method: "PUT",
      path: back,
      scope: "pix.write",
      handle: (asked) => sendBack(world, asked, onTaken)
    },
    {
      operation: "findReturn",
      method: "GET",
      path: back,
      scope: "pix.read",
      handle: (asked) => ({ status: 200, body: returnView(returnOf(world, asked)) }),
      lie: () => {
        throw noReturn()
      }
    }
  ]
}

const paymentOf = (world: World, { account, params }: Asked): Payment => {
  const payment = world.payments.get(params["e2eid"] ?? "")
  // Another customer's payment does not exist here.
  if (payment !== undefined && payment.account === account) return payment
  throw noPayment()
}

const noPayment = () => {
  const detail = "Pix não encontrado para o e2eid informado."
  return new Refused({ status: 404, type: "PixNaoEncontrado", detail })
}

const noReturn = () => {
  const detail = "Devolução não encontrada para o e2eid informado."
  return new Refused({ status: 404, type: "PixDevolucaoNaoEncontrada", detail })
}

const returnOf = (world: World, asked: Asked) => {
  const back = paymentOf(world, asked).returns.find(({ id }) => id === asked.params["id"])
  if (back !== undefined) return back
  throw noReturn()
}

const sendBack = (world: World, asked: Asked, onTaken: ReturnTaken): Answer => {
  const payment = paymentOf(world, asked)
  const id = asked.params["id"] ?? ""
  const centavos = fromReais(member(asked.json, "valor"))
  const nature = textAt(asked.json, "natureza") ?? "ORIGINAL"
  const known = returnNatures.find((each) => each === nature)
  const isAsked = known === "ORIGINAL" || known === "RETIRADA"
  if (!/^[a-zA-Z0-9]{1,35}$/.test(id) || centavos === undefined || centavos === 0 || !isAsked) {
    const detail = "A requisição de devolução não respeita o schema."
    throw new Refused({ status: 400, type: "PixDevolucaoInvalida", detail })
  }
  const description = textAt(asked.json, "descricao")
  const back = beginReturn(world, payment, {
    id,
    centavos,
    nature: known,
    ...(description === undefined ? {} : { description })
  })
  onTaken(payment, id)
  return { status: 201, body: returnView(back) }
}

const listed = (world: World, asked: Asked): Answer => {
  const type = "PixConsultaInvalida"
  const { document, isIn, parametros } = periodOf(asked, type)
  const { txid } = asked.query
  const [withTxid, withReturns] = [flag(asked, "txIdPresente"), flag(asked, "devolucaoPresente")]
  const payments = [...world.payments.values()]
    .filter(({ account, at }) => account === asked.account && isIn(at))
    .filter(({ payer }) => document === undefined || payer.document === document)
    .filter((payment) => txid === undefined || payment.txid === txid)
    .filter((payment) => withTxid === undefined || withTxid === (payment.txid !== undefined))
    .filter(({ returns }) => withReturns === undefined || withReturns === returns.length > 0)
  const { items, paginacao } = pageOf(asked, type, payments)
  return {
    status: 200,
    body: { parametros: { ...parametros, paginacao }, pix: items.map(paymentView) }
  }
}

/** For the fault `lie`: nothing was received; and of whoever paid nothing, that all was paid by them. */
const opposite = (world: World, { body, status }: Answer, asked: Asked): Answer => {
  const told = isRecord(body) ? body : {}
  const { cnpj, cpf, ...unfiltered } = asked.query
  const isEmpty = Array.isArray(told["pix"]) && told["pix"].length === 0
  const isOfSomebody = cnpj !== undefined || cpf !== undefined
  if (isEmpty && isOfSomebody) return listed(world, { ...asked, query: unfiltered })
  return { status, body: { ...told, pix: [] } }
}
