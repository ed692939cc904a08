import type { Audited, AuditRule, Move } from "./AuditRule.ts"
import { amountIn } from "./AuditRule.ts"

/** All that goes to the payer once it is approved. */
const approved = (block: Audited): bigint => block.amount - amountIn(block, "released")

/** What was taken from its wallet, or borne by it, and is not there again. */
const gone = (block: Audited): bigint =>
  amountIn(block, "returned") + amountIn(block, "returnedByPsp") - amountIn(block, "takenBack")

/** What its pieces were taken of: its wallet; before that one closed, and it claimed of the main one, the other. */
const takenOf = (block: Audited): ReadonlyArray<Move> => {
  const { movedFrom = {} } = block.fields as { readonly movedFrom?: Audited["fields"] }
  const before = amountIn({ fields: movedFrom }, "returned")
  const after = amountIn(block, "returned") - before
  return [
    { owner: movedFrom["wallet"], bucket: "available", amount: -before },
    { owner: block.wallet, bucket: "available", amount: -after }
  ]
}

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
        moves: [...takenOf(block), { owner: block.account, bucket: "suspense", amount: returned }]
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
