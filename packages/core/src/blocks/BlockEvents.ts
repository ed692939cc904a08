import type { Environment } from "../ports/Psp.ts"
import { toBrlNumber } from "../kernel/Money.ts"
import type { NewEvent } from "../webhooks/NewEvent.ts"
import { ownerOf, instant } from "../webhooks/NewEvent.ts"
import type { Block } from "./Block.ts"
import { approvedInPart } from "./Block.ts"

type BlockEventType = "balance_block_created" | "balance_block_approved" | "balance_block_rejected"

/** Spec, events of balance blocks; it leaves their data open. What is undefined is not in the JSON. */
const blockEvent =
  (type: BlockEventType) =>
  (block: Block, environment: Environment): NewEvent => {
    const approved = approvedInPart(block)
    return {
      type,
      eventId: `${type}_${block.id}`,
      ...ownerOf(block),
      data: {
        balanceBlockId: block.id,
        transactionId: block.charge,
        environment,
        amount: toBrlNumber(block.amount),
        currency: "BRL",
        blockType: block.blockType,
        status: block.status,
        reason: block.reason,
        referenceNumber: block.referenceNumber,
        e2eId: block.e2eId,
        externalReference: block.externalReference,
        createdAt: instant(block.createdAt),
        defenseSubmittedAt: instant(block.defendedAt),
        resolvedAt: instant(block.resolvedAt),
        resolutionReason: block.resolutionReason,
        approvedAmount: approved && toBrlNumber(approved)
      }
    }
  }

export const blockCreated = blockEvent("balance_block_created")
export const blockApproved = blockEvent("balance_block_approved")
const blockRejected = blockEvent("balance_block_rejected")

/** What tells how a block has ended. */
export const endOf = ({ status }: Block): ReturnType<typeof blockEvent> =>
  status === "approved" ? blockApproved : blockRejected
