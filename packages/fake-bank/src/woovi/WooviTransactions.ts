import type { Answer, Asked, Route } from "../door/Exchange.ts"
import type { Payment } from "../world/Payment.ts"
import type { WooviOffice } from "./WooviOffice.ts"
import { notFound, refused } from "./WooviRefusals.ts"
import { disputeShape, payoutReturnShape, paymentShape, returnShape } from "./WooviShapes.ts"

const base = "/api/v1/transaction"

/** Money that moved, and what somebody says of it. */
export const transactionRoutes = (office: WooviOffice): ReadonlyArray<Route> => {
  const list = {
    method: "GET",
    path: base,
    handle: (asked: Asked) => listed(office, asked),
    lie: (): Answer => pageOf(office, {}, [])
  } as const
  return [
    // The first that fits is taken.
    { ...list, operation: "listPaymentsOfCharge", query: "charge" },
    { ...list, operation: "listReturnsOfPayout", query: "withdrawal" },
    { ...list, operation: "listPayments" },
    {
      operation: "findPayment",
      method: "GET",
      path: `${base}/:id`,
      handle: ({ params }) => {
        const payment = paymentNamed(office, params["id"])
        return { status: 200, body: { transaction: paymentShape(office.world, payment) } }
      },
      lie: () => {
        throw notFound("Transação")
      }
    },
    {
      operation: "findInfraction",
      method: "GET",
      path: "/api/v1/dispute/:id",
      handle: ({ params }) => {
        const infraction = office.world.infractions.get(params["id"] ?? "")
        if (infraction === undefined) throw refused("Dispute not found")
        return { status: 200, body: { dispute: disputeShape(infraction) } }
      },
      lie: () => {
        throw refused("Dispute not found")
      }
    }
  ]
}

export const paymentNamed = (
  { account, world }: WooviOffice,
  endToEndId: string | undefined
): Payment => {
  const payment = world.payments.get(endToEndId ?? "")
  if (payment?.account === account) return payment
  throw notFound("Transação")
}

const listed = (office: WooviOffice, { query }: Asked): Answer => {
  const { charge, type, withdrawal } = query
  const start = new Date(query["start"] ?? 0)
  const end = new Date(query["end"] ?? 8.64e15)
  const all = transactionsIn(office)
    .filter((one) => charge === undefined || one.charge === charge)
    .filter((one) => withdrawal === undefined || one.payout === withdrawal)
    .filter(({ shape }) => type === undefined || shape.type === type)
    .filter(({ shape }) => new Date(shape.time) >= start && new Date(shape.time) <= end)
    .toSorted((one, two) => two.shape.time.localeCompare(one.shape.time))
    .map(({ shape }) => shape)
  return pageOf(office, query, all)
}

const pageOf = (
  { pageMax }: WooviOffice,
  query: Asked["query"],
  all: ReadonlyArray<unknown>
): Answer => {
  const skip = Number(query["skip"] ?? 0)
  const limit = Math.min(pageMax, Number(query["limit"] ?? pageMax))
  const pageInfo = {
    skip,
    limit,
    totalCount: all.length,
    hasPreviousPage: skip > 0,
    hasNextPage: skip + limit < all.length
  }
  return { status: 200, body: { pageInfo, transactions: all.slice(skip, skip + limit) } }
}

/** All that moved, with the charge or the payout that it belongs to. */
const transactionsIn = ({ world }: WooviOffice) => {
  const payments = [...world.payments.values()]
  const received = payments.map((payment) => ({
    charge: payment.txid,
    payout: undefined,
    shape: paymentShape(world, payment)
  }))
  const given = payments.flatMap(({ returns, txid }) =>
    returns.map((back) => ({ charge: txid, payout: undefined, shape: returnShape(back) }))
  )
  const cameBack = world.payouts.flatMap((payout) =>
    payout.returns.map((back) => ({
      charge: undefined,
      payout: payout.endToEndId,
      shape: payoutReturnShape(payout, back)
    }))
  )
  return [...received, ...given, ...cameBack]
}
