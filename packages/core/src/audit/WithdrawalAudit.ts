import type { Audited, AuditRule, Booking, Move } from "./AuditRule.ts"
import { amountIn, feeOfHeld } from "./AuditRule.ts"

/** The gross, as it stands in the wallet: the promotional part of the fee, and the rest. */
const inWallet = (withdrawal: Audited, sign: 1n | -1n, owner: unknown): ReadonlyArray<Move> => {
  const promotional = amountIn(withdrawal, "promotionalAmount")
  return [
    { owner, bucket: "available", amount: sign * (withdrawal.amount - promotional) },
    { owner, bucket: "promotional", amount: sign * promotional }
  ]
}

const hold = (withdrawal: Audited): Booking => ({
  kind: "hold",
  amount: withdrawal.amount,
  moves: [
    ...inWallet(withdrawal, -1n, withdrawal.wallet),
    { owner: withdrawal.wallet, bucket: "held", amount: withdrawal.amount }
  ]
})

const release = (withdrawal: Audited): Booking => ({
  kind: "release",
  amount: withdrawal.amount,
  moves: [
    { owner: withdrawal.wallet, bucket: "held", amount: -withdrawal.amount },
    ...inWallet(withdrawal, 1n, withdrawal.wallet)
  ]
})

/** The net is at the PSP, and the fee is earned. */
const paidOut = (withdrawal: Audited): ReadonlyArray<Booking> => {
  const { amount, fields, wallet } = withdrawal
  const net = amount - amountIn(withdrawal, "feeAmount")
  const paid: Booking = {
    kind: "withdrawal",
    amount: net,
    moves: [
      { owner: wallet, bucket: "held", amount: -net },
      { owner: fields["pspCredentialId"], bucket: "psp_clearing", amount: net }
    ]
  }
  return [paid, ...feeOfHeld(withdrawal)]
}

/** The gross is back, in the wallet or, where that is closed, in the main one, whose id is the account's (decision 0024). */
const takenBack = (withdrawal: Audited): Booking => {
  const { account, amount, fields, wallet } = withdrawal
  const fee = amountIn(withdrawal, "feeAmount")
  const into = (owner: unknown): ReadonlyArray<Move> => [
    { owner: fields["pspCredentialId"], bucket: "psp_clearing", amount: fee - amount },
    { owner: account, bucket: "fee_revenue", amount: -fee },
    ...inWallet(withdrawal, 1n, owner)
  ]
  return { kind: "adjustment", amount, moves: into(wallet), or: into(account) }
}

const attended = ["payout", "review"]

/** Its gross is held until its outcome, which is booked once and told. */
export const withdrawalAudit: AuditRule = {
  kind: "withdrawal",
  booked: (withdrawal) => {
    const held = hold(withdrawal)
    switch (withdrawal.status) {
      case "completed":
        return [held, ...paidOut(withdrawal)]
      case "failed":
        return [held, release(withdrawal)]
      case "reversed":
        return [held, ...paidOut(withdrawal), takenBack(withdrawal)]
      default:
        return [held]
    }
  },
  lines: { pending: attended, processing: attended, manual_review: attended },
  needsEvent: ({ status }) => ["completed", "failed", "reversed"].includes(status),
  claiming: {
    statuses: ["pending", "processing", "manual_review"],
    claims: ({ amount }) => ({ held: amount })
  }
}
