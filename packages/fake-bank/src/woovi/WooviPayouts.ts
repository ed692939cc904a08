import type { Answer, Asked, Route } from "../door/Exchange.ts"
import { member, textAt } from "../door/Exchange.ts"
import { spendable } from "../world/BankAccount.ts"
import type { Payout } from "../world/Payout.ts"
import { approvePayout, beginPayout } from "../world/Payouts.ts"
import { isWhole } from "./WooviCharges.ts"
import type { WooviOffice } from "./WooviOffice.ts"
import { notFound, refused } from "./WooviRefusals.ts"
import { payoutShape } from "./WooviShapes.ts"

const base = "/api/v1/payment"

/** Money that is sent: a request, which moves nothing, and its approval. */
export const payoutRoutes = (office: WooviOffice): ReadonlyArray<Route> => {
  const another = (): Answer => {
    const [payout] = office.world.payouts
    if (payout === undefined) throw notFound("Pagamento")
    return { status: 200, body: payoutShape(payout) }
  }
  return [
    {
      operation: "sendPayout",
      method: "POST",
      path: base,
      handle: (asked) => {
        const payout = request(office, asked)
        const isApproved = member(asked.json, "autoApprove") === true && !office.needsApproval
        if (isApproved) approve(office, payout)
        return { status: 200, body: payoutShape(payout) }
      },
      another
    },
    {
      operation: "approvePayout",
      method: "POST",
      path: `${base}/approve`,
      handle: ({ json }) => {
        const payout = payoutNamed(office, textAt(json, "correlationID"))
        if (office.needsApproval) throw refused("O appID não pode aprovar pagamentos")
        approve(office, payout)
        return { status: 200, body: payoutShape(payout) }
      }
    },
    {
      operation: "findPayout",
      method: "GET",
      path: `${base}/:id`,
      handle: ({ params }) => ({
        status: 200,
        body: payoutShape(payoutNamed(office, params["id"]))
      }),
      another,
      lie: () => {
        throw notFound("Pagamento")
      }
    },
    {
      operation: "findBalance",
      method: "GET",
      path: "/api/v1/account/",
      handle: () => ({ status: 200, body: { accounts: accountShapes(office) } })
    }
  ]
}

/** `CompanyBankAccount`, of which a company may have several. */
const accountShapes = ({ account }: WooviOffice) => {
  const { judicial, med } = account.blocked
  const balance = {
    total: account.balance,
    blocked: judicial + med,
    available: spendable(account)
  }
  return [
    { accountId: "6286b467a7910113577e00ce", isDefault: false, balance: nothing },
    { accountId: "6290ccfd42831958a405debc", isDefault: true, balance }
  ]
}
const nothing = { total: 0, blocked: 0, available: 0 }

const payoutNamed = ({ account, world }: WooviOffice, reference = ""): Payout => {
  const payout = world.payouts.find(
    (each) => each.account === account && each.reference === reference
  )
  if (payout !== undefined) return payout
  throw notFound("Pagamento")
}

const approve = ({ settling, world }: WooviOffice, payout: Payout): void => {
  approvePayout(world, payout)
  settling.payout(payout)
}

/** A key of the test environment that nobody has (docs/test-environment). */
const nobodysKey = "pix-key-not-found@openpix.com"

/** A request for a payout. Nothing leaves by it. */
const request = (office: WooviOffice, { json }: Asked): Payout => {
  const { account, keyLookUps, world } = office
  const reference = textAt(json, "correlationID") ?? ""
  const recipientKey = textAt(json, "destinationAlias") ?? ""
  const value = member(json, "value")
  if (world.payouts.some((each) => each.reference === reference))
    throw refused("Já existe um pagamento com o correlationID fornecido")
  if (!isWhole(value) || value < 1) throw refused("Valor inválido")
  if (!keyLookUps.isOpen()) {
    const message = "You tried to consult many Pix keys that do not exist."
    throw refused(message, 429, "TOO_MANY_REQUESTS")
  }
  const isNobodys = recipientKey === nobodysKey
  keyLookUps.take(!isNobodys)
  if (isNobodys) throw refused("Chave pix informada não encontrada", 400, "PIX_KEY_INFO_NOT_FOUND")
  return beginPayout(world, account, {
    reference,
    centavos: value,
    recipientKey,
    needsApproval: true
  })
}
