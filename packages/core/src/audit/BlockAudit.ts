import type { Audited, AuditRule } from "./AuditRule.ts"
import { amountIn } from "./AuditRule.ts"

/** All that goes to the payer once it is approved. */
const approved = (block: Audited): bigint => block.amount - amountIn(block, "released")

/** What was taken from its wallet, or borne by it, and is not there again. */
const gone = (block: Audited): bigint =>
  amountIn(block, "returned") + amountIn(block, "returnedByPsp") - amountIn(block, "takenBack")

/** What a block has not got is a lien on its wallet; what it has taken is booked, in pieces, once it was approved. */
export const blockAudit: AuditRule = {
  kind: "balance_block",
  booked: (block) => {
    const returned = amountIn(block, "returned")
    if (returned === 0n) return []
    return [
      {
        kind: "chargeback",
        amount: returned,
        parts: Number(block.fields["pieces"] ?? 0),
        moves: [
          { owner: block.wallet, bucket: "available", amount: -returned },
          { owner: block.account, bucket: "suspense", amount: returned }
        ]
      }
    ]
  },
  most: {
    rule: "block_overdrawn",
    kinds: ["chargeback"],
    amount: (block) =>
      block.status === "approved" || block.status === "collecting"
        ? approved(block) + amountIn(block, "takenBack") - amountIn(block, "returnedByPsp")
        : 0n
  },
  lines: { collecting: ["block"] },
  claiming: {
    statuses: ["awaiting_response", "defended", "collecting"],
    claims: (block) => ({
      lien: approved(block) - gone(block) - amountIn(block, "uncollected")
    })
  }
}
