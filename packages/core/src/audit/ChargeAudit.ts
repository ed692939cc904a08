import type { Audited, AuditRule, Booking } from "./AuditRule.ts"
import { amountIn } from "./AuditRule.ts"

/** What came in for a charge and is not its receiver's: it waits in suspense for its way back. */
const toSuspense = ({ account, amount, fields }: Audited): Booking => ({
  kind: "deposit",
  amount,
  moves: [
    { owner: fields["pspCredentialId"], bucket: "psp_clearing", amount: -amount },
    { owner: account, bucket: "suspense", amount }
  ]
})

/** A completed charge: its whole amount, less the fee that its document names, less what the legs of its split got. */
const settled = (charge: Audited): ReadonlyArray<Booking> => {
  const { account, amount, fields, wallet } = charge
  const fee = amountIn(charge, "feeAmount")
  const legs = (fields["split"] ?? []) as ReadonlyArray<Record<string, unknown>>
  return [
    {
      kind: "payment",
      amount,
      moves: [
        { owner: fields["pspCredentialId"], bucket: "psp_clearing", amount: -amount },
        { owner: wallet, bucket: "available", amount }
      ]
    },
    ...(fee === 0n
      ? []
      : [
          {
            kind: "fee",
            amount: fee,
            moves: [
              { owner: wallet, bucket: "own", amount: -fee },
              { owner: account, bucket: "fee_revenue", amount: fee }
            ]
          } as const
        ]),
    ...legs.flatMap((fieldsOfLeg, leg): ReadonlyArray<Booking> => {
      const applied = amountIn({ fields: fieldsOfLeg }, "applied")
      const to = fieldsOfLeg["wallet"]
      if (applied === 0n || to === wallet) return []
      const moves = [
        { owner: wallet, bucket: "available", amount: -applied },
        { owner: to, bucket: "available", amount: applied }
      ] as const
      return [{ kind: "internal_transfer", leg, amount: applied, moves }]
    })
  ]
}

/** What was paid for a charge is booked once; before it was, a worker looks after the charge. */
export const chargeAudit: AuditRule = {
  kind: "charge",
  booked: (charge) => {
    if (charge.status === "completed") return settled(charge)
    const isBlocked = charge.status === "failed" && charge.fields["blockedReason"] !== undefined
    return isBlocked ? [toSuspense(charge)] : []
  },
  named: { payment: "charge_without_payment" },
  most: {
    rule: "charge_overspent",
    kinds: ["fee", "internal_transfer"],
    amount: ({ amount }) => amount
  },
  holds: {
    rule: "charge_overclaimed",
    detail: "gives more back, or has more claimed of it, than was paid",
    isSo: (charge) => {
      const parts = amountIn(charge, "refundedInParts")
      const claimed = amountIn(charge, "chargedBack") + amountIn(charge, "blockedAmount")
      return parts >= 0n && parts + claimed <= charge.amount
    }
  },
  lines: { creating: ["charge"], pending: ["charge"] },
  needsEvent: ({ status }) => status === "completed"
}

/** Money that is no charge's: booked to suspense, from where its return takes it. */
export const depositAudit: AuditRule = {
  kind: "deposit",
  booked: (deposit) => [toSuspense(deposit)]
}
