import { DateTime, Result, Schema } from "effect"
import { BlockId } from "../kernel/Ids.ts"
import type { PspDefence, PspRejection } from "../ports/Psp.ts"
import { Block, isOpen } from "./Block.ts"
import type { Defence } from "./Block.ts"

/**
 * - `no_infraction`: no report of fraud has opened the block;
 * - `not_offered`: its PSP cannot be told an answer;
 * - `under_way`: an answer is on its way, or was handed in;
 * - `too_late`: the time to answer is over.
 */
const notAnswerable = ["no_infraction", "not_offered", "under_way", "too_late"] as const

/** The report behind the block cannot be answered, or not any more. */
export class NotAnswerable extends Schema.TaggedError<NotAnswerable>()("NotAnswerable", {
  id: BlockId,
  reason: Schema.Literals(notAnswerable)
}) {}

/** The merchant's answer, which its PSP is to be told. One that was refused may be given again. */
export const answering = (
  block: Block,
  { answer, text }: Pick<PspDefence, "answer" | "text">,
  { isOffered, now }: { readonly isOffered: boolean; readonly now: DateTime.Utc }
): Result.Result<Block, NotAnswerable> => {
  const { answerUntil, defence, id, infraction } = block
  const refuse = (reason: NotAnswerable["reason"]) => Result.fail(new NotAnswerable({ id, reason }))
  if (infraction === undefined) return refuse("no_infraction")
  if (!isOffered) return refuse("not_offered")
  if (defence?.status === "sending" || defence?.status === "sent") return refuse("under_way")
  if (!isOpen(block) || (answerUntil !== undefined && DateTime.isGreaterThan(now, answerUntil)))
    return refuse("too_late")
  return Result.succeed(
    withDefence(block, { answer, text, status: "sending", requestedAt: now }, now)
  )
}

/** It is about to be told: from here on the PSP may have it. */
export const sendingOf = (block: Block, defence: Defence, now: DateTime.Utc): Block =>
  withDefence(block, { ...defence, sentAt: now }, now)

/** The PSP has it. */
export const handedIn = (block: Block, defence: Defence, now: DateTime.Utc): Block => {
  const next = withDefence(block, { ...defence, status: "sent" }, now)
  return block.status === "awaiting_response"
    ? new Block({ ...next, status: "defended", defendedAt: now })
    : next
}

/** The PSP does not take it. */
export const refusedBy = (
  block: Block,
  { sentAt: _, ...defence }: Defence,
  { code, message }: PspRejection,
  now: DateTime.Utc
): Block => withDefence(block, { ...defence, status: "refused", refusal: { code, message } }, now)

const withDefence = (block: Block, defence: Defence, now: DateTime.Utc): Block =>
  new Block({ ...block, defence, updatedAt: now })
