import type { Effect } from "effect"
import { Schema } from "effect"
import type { PspOutcome, PspShape } from "../ports/Psp.ts"

/** The methods of a PSP that answer an outcome. */
export type PspOperation = {
  [Name in keyof PspShape]-?: NonNullable<PspShape[Name]> extends (
    ...args: never
  ) => Effect.Effect<PspOutcome<infer _>>
    ? Name
    : never
}[keyof PspShape]

/** Centavos that were, or will be, moved. */
const Amount = Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(0n))
/**
 * Centavos of one entry among several: one of nothing is left out, and the others stand (`withoutNothing`). Below zero it may be
 * money all the same, of a layer that passes debits on with their sign: nothing of such an answer is understood.
 */
const EntryAmount = Amount
/** Centavos of a payment: there is none of nothing. */
const Paid = Schema.BigInt.check(Schema.isGreaterThanBigInt(0n))
const Name = Schema.String.check(Schema.isNonEmpty())
const Instant = Schema.DateTimeUtc

const Payer = Schema.Struct({
  name: Schema.optional(Schema.String),
  document: Schema.optional(Schema.String)
})

const Rejection = Schema.Struct({ code: Schema.String, message: Schema.String })

const Charge = Schema.Struct({
  reference: Name,
  pspPaymentId: Name,
  status: Schema.Literals(["active", "paid", "removed"]),
  amount: Amount,
  pixCopyPaste: Name,
  createdAt: Instant,
  expiresAt: Instant,
  payments: Schema.Array(
    Schema.Struct({
      endToEndId: Name,
      amount: EntryAmount,
      paidAt: Instant,
      payer: Schema.optional(Payer)
    })
  )
})

const Payout = Schema.Struct({
  reference: Name,
  pspReference: Name,
  status: Schema.Literals(["processing", "completed", "rejected", "reversed"]),
  amount: Amount,
  endToEndId: Schema.optional(Name),
  settledAt: Schema.optional(Instant),
  recipient: Schema.optional(Payer),
  rejection: Schema.optional(Rejection),
  reversal: Schema.optional(Schema.Struct({ returnId: Name, at: Instant, code: Schema.String }))
})

const RefundStatus = Schema.Literals(["processing", "confirmed", "rejected"])

const Refund = Schema.Struct({
  reference: Name,
  endToEndId: Name,
  status: RefundStatus,
  amount: Amount,
  returnId: Schema.optional(Name),
  settledAt: Schema.optional(Instant),
  rejection: Schema.optional(Rejection)
})

const received = <S extends Schema.Constraint>(amount: S) =>
  Schema.Struct({
    endToEndId: Name,
    amount,
    paidAt: Instant,
    payer: Schema.optional(Payer),
    reference: Schema.optional(Name),
    returns: Schema.Array(
      Schema.Struct({
        reference: Name,
        returnId: Schema.optional(Name),
        status: RefundStatus,
        amount: EntryAmount,
        settledAt: Schema.optional(Instant)
      })
    )
  })

const PaymentsPage = Schema.Struct({
  payments: Schema.Array(received(EntryAmount)),
  next: Schema.optional(Name)
})

const Infraction = Schema.Struct({
  id: Name,
  endToEndId: Name,
  status: Schema.Literals(["open", "accepted", "rejected", "cancelled"]),
  amount: Amount,
  reportedAt: Instant,
  reason: Schema.optional(Schema.String),
  answerUntil: Schema.optional(Instant),
  isAnswered: Schema.optional(Schema.Boolean)
})

const InfractionsPage = Schema.Struct({
  infractions: Schema.Array(Infraction),
  next: Schema.optional(Name)
})

const Balance = Schema.Struct({ available: Schema.BigInt, blocked: Amount })

const outcomeOf = <S extends Schema.Constraint>(value: S) =>
  Schema.is(
    Schema.Union([
      Schema.TaggedStruct("Done", { value }),
      Schema.TaggedStruct("Rejected", { code: Schema.String, message: Schema.String }),
      Schema.TaggedStruct("NotNow", {
        detail: Schema.String,
        after: Schema.Duration,
        needsMoney: Schema.optionalKey(Schema.Literal(true))
      }),
      Schema.TaggedStruct("NotSent", { detail: Schema.String }),
      Schema.TaggedStruct("Unknown", {
        detail: Schema.String,
        after: Schema.optionalKey(Schema.Duration)
      })
    ])
  )

const isCharge = outcomeOf(Charge)
const isPayout = outcomeOf(Payout)
const isRefund = outcomeOf(Refund)

const checks: Readonly<Record<PspOperation, (outcome: unknown) => boolean>> = {
  createCharge: isCharge,
  findCharge: outcomeOf(Schema.UndefinedOr(Charge)),
  cancelCharge: isCharge,
  sendPayout: isPayout,
  findPayout: outcomeOf(Schema.UndefinedOr(Payout)),
  refund: isRefund,
  findRefund: outcomeOf(Schema.UndefinedOr(Refund)),
  findPayment: outcomeOf(Schema.UndefinedOr(received(Paid))),
  listPayments: outcomeOf(PaymentsPage),
  confirmPayer: outcomeOf(Schema.Boolean),
  findInfraction: outcomeOf(Schema.UndefinedOr(Infraction)),
  defendInfraction: outcomeOf(Infraction),
  listInfractions: outcomeOf(InfractionsPage),
  balance: outcomeOf(Balance)
}

/**
 * Whether what a PSP layer answered is of the form that the port gives it. A layer may be written without types, or pass on
 * what its bank sent; whatever is of another form tells nothing about what was done.
 */
export const isUnderstood = (operation: PspOperation, outcome: unknown): boolean =>
  checks[operation](outcome)

type Entry = { readonly amount: bigint; readonly returns?: ReadonlyArray<Entry> }

/** What an answer has entries in: a charge its payments, a page too, and a payment its returns. */
type Listing = { readonly payments?: ReadonlyArray<Entry>; readonly returns?: ReadonlyArray<Entry> }

/**
 * An answer that is understood, without the entries that cannot be, payments and returns of nothing, and how many those
 * were. They would never be booked, and what else is in the answer was paid and given back all the same.
 */
export const withoutNothing = <A>(
  outcome: PspOutcome<A>
): { readonly outcome: PspOutcome<A>; readonly leftOut: number } => {
  const value = outcome._tag === "Done" ? (outcome.value as Listing | undefined) : undefined
  const leftOut = value === undefined || typeof value !== "object" ? 0 : impossibleIn(value)
  return leftOut === 0
    ? { outcome, leftOut }
    : { outcome: { _tag: "Done", value: possibleOf(value as Listing) as A }, leftOut }
}

const impossibleIn = ({ payments = [], returns = [] }: Listing): number =>
  [...payments, ...returns].reduce(
    (count, entry) => count + (entry.amount > 0n ? impossibleIn(entry) : 1),
    0
  )

const possibleOf = <L extends Listing>(listing: L): L => ({
  ...listing,
  ...(listing.payments && { payments: possible(listing.payments) }),
  ...(listing.returns && { returns: possible(listing.returns) })
})

const possible = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> =>
  entries.filter(({ amount }) => amount > 0n).map(possibleOf)
