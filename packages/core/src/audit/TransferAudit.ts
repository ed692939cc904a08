import type { AuditRule } from "./AuditRule.ts"

/** A transfer is its booking: from what one wallet has available to the other. */
export const transferAudit: AuditRule = {
  kind: "transfer",
  booked: ({ amount, fields, wallet }) => [
    {
      kind: "internal_transfer",
      amount,
      moves: [
        { owner: wallet, bucket: "available", amount: -amount },
        { owner: fields["destination"], bucket: "available", amount }
      ]
    }
  ]
}
