import { DateTime, Duration, Effect } from "effect"
import type {
  FindPspPayout,
  FindPspRefund,
  NewPspCharge,
  NewPspPayout,
  NewPspRefund,
  PspCapabilities,
  PspCharge,
  PspNotice,
  PspOutcome,
  PspPayment,
  PspPayout,
  PspRefund,
  PspShape,
  RawNotification
} from "../ports/Psp.ts"
import { NotificationRefused } from "../ports/Psp.ts"

/** The same value with times as RFC 3339 texts and amounts as `bigint` centavos. */
export type PlainPsp<A> = A extends DateTime.Utc
  ? string
  : A extends bigint
    ? bigint
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<PlainPsp<Item>>
      : A extends object
        ? { readonly [Name in keyof A]: PlainPsp<A[Name]> }
        : A

/** Aborted when nobody waits for the answer any more: at the deadline of 15 seconds, or when the service stops. */
export interface PspCallOptions {
  readonly signal: AbortSignal
}

type Answer<A> = Promise<PspOutcome<PlainPsp<A>>>

/**
 * A PSP as plain async functions: `PspShape` for teams who know no Effect, with the same laws. What a function throws is
 * an unknown outcome: it may have been done, and is asked for again. Answer `PspOutcome.rejected` only where the PSP said
 * that it did nothing, and `PspOutcome.notSent` only where no byte left.
 */
export interface PromisePsp {
  readonly provider: string
  readonly environment: "sandbox" | "production"
  /** Times as texts such as `"1 minute"`, or as milliseconds. */
  readonly capabilities: Pick<PspCapabilities, "idempotentByReference" | "knowsPayer"> & {
    readonly notFoundIsFinalAfter: Duration.Input
    readonly settlementLag: Duration.Input
  }
  readonly createCharge: (charge: NewPspCharge, options: PspCallOptions) => Answer<PspCharge>
  readonly findCharge: (reference: string, options: PspCallOptions) => Answer<PspCharge | undefined>
  readonly cancelCharge: (reference: string, options: PspCallOptions) => Answer<PspCharge>
  readonly sendPayout: (payout: NewPspPayout, options: PspCallOptions) => Answer<PspPayout>
  readonly findPayout: (
    payout: FindPspPayout,
    options: PspCallOptions
  ) => Answer<PspPayout | undefined>
  readonly refund: (refund: NewPspRefund, options: PspCallOptions) => Answer<PspRefund>
  readonly findRefund: (
    refund: FindPspRefund,
    options: PspCallOptions
  ) => Answer<PspRefund | undefined>
  /** The notices in it, or why it is refused. What it throws is a 500, so that the PSP sends it again. */
  readonly readNotification: (
    notification: RawNotification
  ) =>
    | Promise<ReadonlyArray<PspNotice> | "Unauthenticated" | "Malformed">
    | ReadonlyArray<PspNotice>
    | "Unauthenticated"
    | "Malformed"
}

/** A PSP of plain async functions as the service wants it. */
export const pspFromPromises = (psp: PromisePsp): PspShape => ({
  provider: psp.provider,
  environment: psp.environment,
  capabilities: {
    ...psp.capabilities,
    notFoundIsFinalAfter: Duration.fromInputUnsafe(psp.capabilities.notFoundIsFinalAfter),
    settlementLag: Duration.fromInputUnsafe(psp.capabilities.settlementLag)
  },
  createCharge: (charge) => asked((options) => psp.createCharge(charge, options), chargeOf),
  findCharge: (reference) =>
    asked((options) => psp.findCharge(reference, options), ifThere(chargeOf)),
  cancelCharge: (reference) => asked((options) => psp.cancelCharge(reference, options), chargeOf),
  sendPayout: (payout) => asked((options) => psp.sendPayout(payout, options), payoutOf),
  findPayout: (payout) => asked((options) => psp.findPayout(payout, options), ifThere(payoutOf)),
  refund: (refund) => asked((options) => psp.refund(refund, options), refundOf),
  findRefund: (refund) => asked((options) => psp.findRefund(refund, options), ifThere(refundOf)),
  readNotification: (notification) =>
    Effect.flatMap(
      Effect.promise(async () => psp.readNotification(notification)),
      (read) =>
        typeof read === "string"
          ? Effect.fail(new NotificationRefused({ reason: read }))
          : Effect.succeed(read)
    )
})

/** A defect of it, or an answer that is none, is told by `callPsp` and counts as unknown. */
const asked = <A>(
  call: (options: PspCallOptions) => Answer<A>,
  read: (value: PlainPsp<A>) => A
): Effect.Effect<PspOutcome<A>> =>
  Effect.map(
    Effect.promise(async (signal) => call({ signal })),
    (outcome): PspOutcome<A> => {
      switch (outcome?._tag) {
        case "Done":
          return { _tag: "Done", value: read(outcome.value) }
        case "Rejected":
        case "NotNow":
        case "NotSent":
        case "Unknown":
          return outcome
        default:
          throw new TypeError(
            "The PSP answered no outcome: answer PspOutcome.done(value), rejected, notNow, notSent or unknown."
          )
      }
    }
  )

const ifThere =
  <A>(read: (value: PlainPsp<A>) => A) =>
  (value: PlainPsp<A | undefined>): A | undefined =>
    value === undefined ? undefined : read(value as PlainPsp<A>)

const instant = (name: string, text: unknown): DateTime.Utc => {
  const at = typeof text === "string" ? DateTime.make(text) : undefined
  if (at?._tag !== "Some")
    throw new TypeError(`The PSP answered no time as ${name}: give a text of RFC 3339.`)
  return DateTime.toUtc(at.value)
}

const money = <A extends bigint>(amount: bigint): A => {
  if (typeof amount !== "bigint")
    throw new TypeError("The PSP answered no amount: give centavos as a bigint.")
  return amount as A
}

const settled = (settledAt: string | undefined) =>
  settledAt === undefined ? {} : { settledAt: instant("settledAt", settledAt) }

const paymentOf = ({ amount, paidAt, ...payment }: PlainPsp<PspPayment>): PspPayment => ({
  ...payment,
  amount: money(amount),
  paidAt: instant("paidAt", paidAt)
})

const chargeOf = (charge: PlainPsp<PspCharge>): PspCharge => ({
  ...charge,
  amount: money(charge.amount),
  createdAt: instant("createdAt", charge.createdAt),
  expiresAt: instant("expiresAt", charge.expiresAt),
  payments: charge.payments.map(paymentOf)
})

const payoutOf = ({ amount, reversal, settledAt, ...payout }: PlainPsp<PspPayout>): PspPayout => ({
  ...payout,
  amount: money(amount),
  ...settled(settledAt),
  ...(reversal === undefined
    ? {}
    : { reversal: { ...reversal, at: instant("reversal.at", reversal.at) } })
})

const refundOf = ({ amount, settledAt, ...refund }: PlainPsp<PspRefund>): PspRefund => ({
  ...refund,
  amount: money(amount),
  ...settled(settledAt)
})
