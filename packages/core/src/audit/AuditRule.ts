import type { AccountId, Uuid, WalletId } from "../kernel/Ids.ts"
import type { Bucket } from "../ledger/LedgerAccount.ts"
import type { LedgerKind, LedgerTx } from "../ledger/LedgerTx.ts"

/** An entity as the audit sees it: the columns of its row, and the fields of its document as they are stored. */
export interface Audited {
  readonly id: Uuid
  readonly kind: string
  readonly account: AccountId
  readonly wallet: WalletId | null
  readonly status: string
  readonly amount: bigint
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * What an account of the ledger gets by a booking; what it gives is below zero. `own` is what a wallet has available and
 * promotional, together: a booking may take of either what there is.
 */
export interface Move {
  readonly owner: unknown
  readonly bucket: Bucket | "own"
  readonly amount: bigint
}

/** What must be in the ledger for an entity: one transaction, or `parts` of one kind that are this together. */
export interface Booking {
  readonly kind: LedgerKind
  readonly amount: bigint
  readonly moves: ReadonlyArray<Move>
  /** Another way in which it may be booked. */
  readonly or?: ReadonlyArray<Move>
  readonly leg?: number
  readonly parts?: number
}

/** What is set aside for an entity that is not over: in its wallet, as its wallet's lien, in its account's suspense. */
export interface Claims {
  readonly held?: bigint
  readonly lien?: bigint
  readonly suspense?: bigint
}

/**
 * The rules about one kind of entity. They say what must be so, and nothing of how it came to be: what the services book
 * is decided elsewhere, and held against this.
 */
export interface AuditRule {
  readonly kind: string
  /** Rule `KIND_misbooked`: this is in the ledger under the entity's id, to the bucket, and nothing else is. */
  readonly booked: (entity: Audited) => ReadonlyArray<Booking>
  /** The rule that bookings of a kind break, where it has a name of its own. */
  readonly named?: Readonly<Partial<Record<LedgerKind, string>>>
  /** What the bookings of some kinds may come to at most, whatever the document says. */
  readonly most?: {
    readonly rule: string
    readonly kinds: ReadonlyArray<LedgerKind>
    readonly amount: (entity: Audited) => bigint
  }
  /** What the document of an entity says by itself must hold. */
  readonly holds?: {
    readonly rule: string
    readonly detail: string
    readonly isSo: (entity: Audited) => boolean
  }
  /** Rule `unattended`: as long as it is in one of these states it stands in one of these lines. */
  readonly lines?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Rule `event_missing`: its account has an event under its id. */
  readonly needsEvent?: (entity: Audited) => boolean
  /**
   * Rules `held_mismatch`, `lien_missing`, `lien_unclaimed`, `suspense_mismatch`: what wallets and accounts have set aside
   * is what their entities in these states claim together.
   */
  readonly claiming?: {
    readonly statuses: ReadonlyArray<string>
    readonly claims: (entity: Audited) => Claims
  }
}

/** An amount of a document; zero where it is left out. Throws where it is none: the document is damaged. */
export const amountIn = ({ fields }: Pick<Audited, "fields">, name: string): bigint => {
  const value = fields[name]
  if (value === undefined) return 0n
  if (typeof value !== "string") throw new TypeError(`${name} is no amount`)
  return BigInt(value)
}

/** The fee of an entity, earned from what its wallet holds; none where it has none. */
export const feeOfHeld = (entity: Audited): ReadonlyArray<Booking> => {
  const { account, wallet } = entity
  const fee = amountIn(entity, "feeAmount")
  if (fee === 0n) return []
  const moves: ReadonlyArray<Move> = [
    { owner: wallet, bucket: "held", amount: -fee },
    { owner: account, bucket: "fee_revenue", amount: fee }
  ]
  return [{ kind: "fee", amount: fee, moves }]
}

/** The rules that the bookings of an entity break: of each kind of booking what is missing, wrong or too much. */
export const misbookings = (
  rule: AuditRule,
  entity: Audited,
  txs: ReadonlyArray<LedgerTx>
): ReadonlyArray<string> => {
  const expected = rule.booked(entity)
  const isOf = ({ kind, leg, parts }: Booking, tx: LedgerTx) =>
    tx.kind === kind && (parts !== undefined || tx.leg === (leg ?? 0))
  const wrong = new Set<LedgerKind>()
  for (const booking of expected) {
    const found = txs.filter((tx) => isOf(booking, tx))
    if (!isBooked(booking, found)) wrong.add(booking.kind)
  }
  for (const tx of txs) {
    if (!expected.some((booking) => isOf(booking, tx))) wrong.add(tx.kind)
  }
  const { most } = rule
  const isTooMuch =
    most !== undefined &&
    txs.reduce((sum, tx) => (most.kinds.includes(tx.kind) ? sum + tx.amount : sum), 0n) >
      most.amount(entity)
  const rules = [...wrong].map((kind) => rule.named?.[kind] ?? `${rule.kind}_misbooked`)
  return [...new Set(isTooMuch ? [...rules, most.rule] : rules)]
}

const isBooked = (
  { amount, moves, or, parts = 1 }: Booking,
  txs: ReadonlyArray<LedgerTx>
): boolean =>
  txs.length === parts &&
  txs.reduce((sum, tx) => sum + tx.amount, 0n) === amount &&
  (isMoved(moves, txs) || (or !== undefined && isMoved(or, txs)))

/** Whether transactions move this and nothing else. They are few, so that looking along a list beats any index. */
const isMoved = (moves: ReadonlyArray<Move>, txs: ReadonlyArray<LedgerTx>): boolean => {
  const isOwn = moves.some(({ bucket }) => bucket === "own")
  const left: Array<{ readonly owner: unknown; readonly bucket: string; size: bigint }> = []
  const add = (owner: unknown, of: string, size: bigint) => {
    const bucket = isOwn && (of === "available" || of === "promotional") ? "own" : of
    const known = left.find((one) => one.bucket === bucket && one.owner === owner)
    if (known === undefined) left.push({ owner, bucket, size })
    else known.size += size
  }
  for (const { amount, bucket, owner } of moves) add(owner, bucket, amount)
  for (const { postings } of txs)
    for (const { account, amount } of postings) add(account.owner, account.bucket, -amount)
  return left.every(({ size }) => size === 0n)
}
