import type { Audited, AuditRule, Booking, Move } from "./AuditRule.ts"
import { amountIn, feeOfHeld } from "./AuditRule.ts"

const isRefund = ({ fields }: Audited): boolean => fields["purpose"] === "refund"

/** What a refund takes from its wallet: the promotional part of its fee, and the rest. */
const inWallet = (refund: Audited, sign: 1n | -1n): ReadonlyArray<Move> => {
  const promotional = amountIn(refund, "promotionalAmount")
  const cost = refund.amount + amountIn(refund, "feeAmount")
  return [
    { owner: refund.wallet, bucket: "available", amount: sign * (cost - promotional) },
    { owner: refund.wallet, bucket: "promotional", amount: sign * promotional },
    { owner: refund.wallet, bucket: "held", amount: -sign * cost }
  ]
}

/** A refund: its cost is held, and then it leaves with the fee beside it, or is given back. */
const refunded = (refund: Audited): ReadonlyArray<Booking> => {
  const { amount, fields, status, wallet } = refund
  const fee = amountIn(refund, "feeAmount")
  const hold: Booking = { kind: "hold", amount: amount + fee, moves: inWallet(refund, -1n) }
  if (status === "failed")
    return [hold, { kind: "release", amount: amount + fee, moves: inWallet(refund, 1n) }]
  if (status !== "confirmed") return [hold]
  const left: Booking = {
    kind: "refund",
    amount,
    moves: [
      { owner: wallet, bucket: "held", amount: -amount },
      { owner: fields["pspCredentialId"], bucket: "psp_clearing", amount }
    ]
  }
  return [hold, left, ...feeOfHeld(refund)]
}

/** A piece of a block that came to nothing is in a wallet again; of those that an older version took back, no document says so. */
const takenBack = ({ account, amount, fields }: Audited): ReadonlyArray<Booking> => {
  const owner = fields["takenBackTo"]
  if (owner === undefined) return []
  const moves: ReadonlyArray<Move> = [
    { owner: account, bucket: "equity", amount: -amount },
    { owner, bucket: "available", amount }
  ]
  return [{ kind: "adjustment", amount, moves }]
}

/** Other money leaves suspense when it is with its payer, or is given up. */
const returned = (money: Audited): ReadonlyArray<Booking> => {
  const { account, amount, fields, status } = money
  const from: Move = { owner: account, bucket: "suspense", amount: -amount }
  const toPsp: Move = { owner: fields["pspCredentialId"], bucket: "psp_clearing", amount }
  switch (status) {
    case "confirmed":
      return [{ kind: "deposit_return", amount, moves: [from, toPsp] }]
    case "failed":
      return [
        { kind: "release", amount, moves: [from, { owner: account, bucket: "equity", amount }] },
        ...takenBack(money)
      ]
    default:
      return []
  }
}

const attended = ["return", "review"]

/** Money on its way back is held in its wallet or in suspense until its end, which is booked once. */
export const returnAudit: AuditRule = {
  kind: "return",
  booked: (money) => (isRefund(money) ? refunded(money) : returned(money)),
  lines: { requested: attended, processing: attended },
  needsEvent: (money) => isRefund(money) && money.status === "confirmed",
  claiming: {
    statuses: ["requested", "processing"],
    claims: (money) =>
      isRefund(money)
        ? { held: money.amount + amountIn(money, "feeAmount") }
        : { suspense: money.amount }
  }
}
