import type { DateTime } from "effect"
import { Result, Schema } from "effect"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { Charge } from "../charges/Charge.ts"
import { leftOf } from "../charges/ChargeRefunds.ts"
import {
  AccountId,
  BlockId,
  ChargeId,
  PspCredentialId,
  PspReturnId,
  WalletId
} from "../kernel/Ids.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { Centavos, CentavosString, max, min, minus, plus, zero } from "../kernel/Money.ts"
import { present } from "../kernel/Present.ts"
import type { Wallet } from "../ledger/Wallet.ts"
import type { Return } from "../returns/Return.ts"
import * as Kind from "../units/Kind.ts"

/** Who wants the money back: the payer by the MED (BACEN's special return mechanism), a court, or the institution. */
export const blockTypes = ["med", "judicial", "administrative"] as const
export type BlockType = (typeof blockTypes)[number]

/**
 * - `awaiting_response`: nothing was said for the merchant yet;
 * - `defended`: the merchant's defence was handed in;
 * - `approved`: the payer gets the money back, as far as the wallet has it;
 * - `rejected`: the money is the merchant's again.
 */
export const blockStatuses = ["awaiting_response", "defended", "approved", "rejected"] as const
export type BlockStatus = (typeof blockStatuses)[number]

export const defenceStatuses = ["sending", "sent", "refused"] as const

/** What the merchant says to a report of fraud, and whether its PSP has it. */
const Defence = Schema.Struct({
  answer: Schema.Literals(["agree", "disagree"]),
  text: Schema.String,
  /** `sending`: the PSP is told, however long that takes; `sent`: it has it; `refused`: it does not take it. */
  status: Schema.Literals(defenceStatuses),
  requestedAt: Schema.DateTimeUtcFromString,
  /** Since when the PSP may have it. */
  sentAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  refusal: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String }))
})
export type Defence = typeof Defence.Type

/**
 * A claim on the money of one payment. While it is undecided, and while an approved one has not got everything, it is
 * a lien on the wallet: what is there shows as held, what comes later is claimed without a write, and nothing
 * goes below zero (decision 0021).
 */
export class Block extends Schema.Class<Block>("@pagora/core/blocks/Block")({
  id: BlockId,
  account: AccountId,
  /** The wallet that the payment was credited to; the main one where that was closed when the block came, or was closed since. */
  wallet: WalletId,
  subAccount: Schema.optionalKey(Schema.String),
  charge: ChargeId,
  pspCredentialId: PspCredentialId,
  status: Schema.Literals(blockStatuses),
  blockType: Schema.Literals(blockTypes),
  /** What was asked for, whatever the wallet holds. */
  amount: CentavosString,
  /** The end-to-end id and the caller's reference of the payment. */
  e2eId: Schema.String,
  externalReference: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String),
  /** The number of the case at whoever asked for the block. */
  referenceNumber: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString,
  updatedAt: Schema.DateTimeUtcFromString,
  defendedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  resolvedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  resolutionReason: Schema.optionalKey(Schema.String),
  /** What was taken from the wallet for the payer, and in how many pieces. */
  returned: Schema.optionalKey(CentavosString),
  pieces: Schema.optionalKey(Schema.Int),
  /** What was given up because it did not come in time. */
  uncollected: Schema.optionalKey(CentavosString),
  /** What goes back of it neither by us nor out of the wallet: what its end left with the merchant, and what the operator bore. */
  released: Schema.optionalKey(CentavosString),
  /** The PSP's id of the infraction that it was opened for. */
  infraction: Schema.optionalKey(Schema.String),
  /** Until when that may be answered. */
  answerUntil: Schema.optionalKey(Schema.DateTimeUtcFromString),
  defence: Schema.optionalKey(Defence),
  /** What the PSP gave back by itself, and the wallet has borne. */
  returnedByPsp: Schema.optionalKey(CentavosString),
  /** What was taken and came back before its PSP had been told of it, because that had given it back by itself. */
  takenBack: Schema.optionalKey(CentavosString),
  /** The wallet that it claimed of until that was closed, and what was taken of that. */
  movedFrom: Schema.optionalKey(Schema.Struct({ wallet: WalletId, returned: CentavosString }))
}) {}

/** Approved, and the wallet still owes a part: stands in the column, so that such blocks are found. */
export const collecting = "collecting"

export const BlockKind: Kind.Kind<Block> = Kind.make({
  name: "balance_block",
  table: "operation",
  schema: Block,
  bornField: "createdAt",
  columns: (block) => ({
    id: block.id,
    account: block.account,
    wallet: block.wallet,
    status: isCollecting(block) ? collecting : block.status,
    amount: block.amount
  })
})

/** What the block claims of its wallet: its part of the wallet's lien. */
export const owed = (block: Block): Centavos =>
  block.status === "rejected"
    ? zero
    : minus(minus(approvable(block), gone(block)), block.uncollected ?? zero)

/** What of the block was taken from the wallet, by us or for what its PSP gave back. */
export const gone = ({
  returned = zero,
  returnedByPsp = zero,
  takenBack = zero
}: Block): Centavos => minus(plus(returned, returnedByPsp), takenBack)

/** What of the block goes back once it is approved. */
const approvable = ({ amount, released = zero }: Block): Centavos => minus(amount, released)

/** What was decided to go back, where that is not the whole block. */
export const approvedInPart = (block: Block): Centavos | undefined =>
  block.status !== "approved" || block.released === undefined ? undefined : approvable(block)

export const isCollecting = (block: Block): boolean =>
  block.status === "approved" && owed(block) > 0n

/** The transaction is not a completed payment: there is nothing that could be blocked. */
export class NotAPayment extends Schema.TaggedError<NotAPayment>()("NotAPayment", {
  id: Schema.String
}) {}

/** More than what is left of the payment after its blocks and its refunds; or than what is blocked. */
export class NotThatMuch extends Schema.TaggedError<NotThatMuch>()("NotThatMuch", {
  left: Centavos
}) {}

/** Less than what of the block is with the payer already. */
export class LessThanGone extends Schema.TaggedError<LessThanGone>()("LessThanGone", {
  gone: Centavos
}) {}

/** The PSP has given a part of the payment back by itself, and nobody has said who bears it. */
export class ReturnUndecided extends Schema.TaggedError<ReturnUndecided>()("ReturnUndecided", {
  id: BlockId,
  pspReturn: PspReturnId
}) {}

/** The block is not in a state from which it can go there. */
export class BlockNotOpen extends Schema.TaggedError<BlockNotOpen>()("BlockNotOpen", {
  id: BlockId,
  status: Schema.Literals(blockStatuses)
}) {}

export interface NewBlock {
  readonly blockType: BlockType
  /** All that is left of the payment when it is not told. */
  readonly amount?: Centavos
  readonly reason?: string
  readonly referenceNumber?: string
  /** The PSP's id of the infraction that it is opened for. */
  readonly infraction?: string
  readonly answerUntil?: DateTime.Utc
}

/** What of a payment was neither refunded, nor blocked, nor charged back. */
const blockable = ({ charge, refund }: Blockable): Centavos =>
  max(zero, minus(leftOf(charge, refund), charge.blockedAmount ?? zero))

/** What a block is decided on. */
export interface Blockable {
  readonly charge: Charge
  /** The refund that gives the payment back, where it is not given back in parts. */
  readonly refund: Return | undefined
  /** The sub-account that the payment was credited to, when it was one. */
  readonly subAccount: SubAccount | undefined
}

/** Whose money is claimed. Nothing comes to a closed wallet any more: its owner answers for it with the main one. */
const claimedOf = ({ charge, subAccount }: Blockable) =>
  subAccount === undefined || subAccount.status === "closed"
    ? { wallet: charge.account }
    : { wallet: charge.wallet, subAccount: subAccount.reference }

/** The block, and the charge that counts it: of a refund, a block and another block at once one wins (decision 0022). */
export const newBlock = (
  payment: Blockable,
  request: NewBlock,
  id: BlockId,
  now: DateTime.Utc
): Result.Result<{ readonly block: Block; readonly charge: Charge }, NotAPayment | NotThatMuch> => {
  const { charge } = payment
  if (charge.status !== "completed" || charge.e2eId === undefined) {
    return Result.fail(new NotAPayment({ id: charge.id }))
  }
  const { answerUntil, infraction, reason, referenceNumber } = request
  const left = blockable(payment)
  // An infraction is over what was paid; some of that may have gone back since.
  const amount =
    infraction === undefined ? (request.amount ?? left) : min(request.amount ?? left, left)
  if (amount <= 0n || amount > left) return Result.fail(new NotThatMuch({ left }))
  const block = new Block({
    id,
    account: charge.account,
    ...claimedOf(payment),
    charge: charge.id,
    pspCredentialId: charge.pspCredentialId,
    status: "awaiting_response",
    blockType: request.blockType,
    amount,
    e2eId: charge.e2eId,
    ...present({
      externalReference: charge.externalReference,
      reason,
      referenceNumber,
      infraction,
      answerUntil
    }),
    createdAt: now,
    updatedAt: now
  })
  return Result.succeed({ block, charge: counted(charge, undefined, block) })
}

/** The charge after a block on it changed: it knows what is claimed of it, and what went back. */
export const counted = (charge: Charge, before: Block | undefined, after: Block): Charge => {
  const claims = (block: Block | undefined) => (block === undefined || owed(block) === 0n ? 0 : 1)
  const others = (charge.claims ?? []).filter((id) => id !== after.id)
  const change = (of: (block: Block) => Centavos) =>
    minus(of(after), before === undefined ? zero : of(before))
  return new Charge({
    ...charge,
    openBlocks: (charge.openBlocks ?? 0) + claims(after) - claims(before),
    claims: claims(after) === 0 ? others : [...others, after.id],
    blockedAmount: plus(charge.blockedAmount ?? zero, change(owed)),
    chargedBack: plus(charge.chargedBack ?? zero, change(gone))
  })
}

type Moved = Result.Result<Block, BlockNotOpen>

const from = (block: Block, ...statuses: ReadonlyArray<BlockStatus>): Moved =>
  statuses.includes(block.status)
    ? Result.succeed(block)
    : Result.fail(new BlockNotOpen({ id: block.id, status: block.status }))

/** awaiting_response → defended: the claim stays, only a decision ends it. */
export const defend = (block: Block, now: DateTime.Utc): Moved =>
  Result.map(
    from(block, "awaiting_response"),
    (current) => new Block({ ...current, status: "defended", defendedAt: now, updatedAt: now })
  )

export interface BlockResolution {
  readonly outcome: "approved" | "rejected"
  /** What goes back of an approved block; all of it when it is not told. The rest is the merchant's again. */
  readonly amount?: Centavos
  readonly reason?: string
  /** Its report has ended, and no person has looked: not beside a return of the PSP that waits for one. */
  readonly isReports?: boolean
}

type Resolved = Result.Result<Block, NotThatMuch | LessThanGone>

/**
 * awaiting_response, defended → approved, rejected. An approved block claims until everything was taken. Of one that is
 * rejected, what its PSP has given back stays with the payer.
 */
export const resolve = (
  block: Block,
  { amount, outcome, reason }: BlockResolution,
  now: DateTime.Utc
): Result.Result<Block, BlockNotOpen | NotThatMuch | LessThanGone> =>
  Result.flatMap(from(block, "awaiting_response", "defended"), (current): Resolved => {
    if (outcome === "rejected") return Result.succeed(ended(current, reason, now))
    const left = approvable(current)
    const asked = amount ?? left
    if (asked > left) return Result.fail(new NotThatMuch({ left }))
    if (asked < gone(current)) return Result.fail(new LessThanGone({ gone: gone(current) }))
    return Result.succeed(
      new Block({ ...approvedOver(current, asked, now), ...present({ resolutionReason: reason }) })
    )
  })

const approvedOver = (block: Block, amount: Centavos, now: DateTime.Utc): Block =>
  new Block({
    ...block,
    status: "approved",
    ...(amount === block.amount ? {} : { released: minus(block.amount, amount) }),
    resolvedAt: now,
    updatedAt: now
  })

/** awaiting_response, defended → rejected; or approved over what is with the payer already. Nothing is claimed any more. */
export const ended = (block: Block, reason: string | undefined, now: DateTime.Utc): Block => {
  const end = gone(block) > 0n ? approvedOver(block, gone(block), now) : block
  return new Block({
    ...end,
    status: gone(block) > 0n ? "approved" : "rejected",
    ...present({ resolutionReason: reason }),
    resolvedAt: now,
    updatedAt: now
  })
}

/** Whether nobody has decided it yet. */
export const isOpen = ({ status }: Block): boolean =>
  status === "awaiting_response" || status === "defended"

/** The part of the block that the wallet can pay, when older blocks claim `ahead` of it before. */
export const covered = (
  block: Block,
  wallet: Pick<Wallet, "available">,
  ahead: Centavos
): Centavos => {
  const left = minus(wallet.available, ahead)
  return left > 0n ? min(owed(block), left) : zero
}

/** A piece was taken from the wallet. */
export const taken = (block: Block, amount: Centavos, now: DateTime.Utc): Block =>
  new Block({
    ...block,
    returned: plus(block.returned ?? zero, amount),
    pieces: (block.pieces ?? 0) + 1,
    updatedAt: now
  })

/** What is still owed is given up. */
export const waived = (block: Block, now: DateTime.Utc): Block =>
  new Block({
    ...block,
    uncollected: plus(block.uncollected ?? zero, owed(block)),
    updatedAt: now
  })

/** Blocks are covered in the order of their creation, which is that of their ids. */
export const isBefore = (one: { readonly id: Uuid }, other: { readonly id: Uuid }): boolean =>
  one.id < other.id
