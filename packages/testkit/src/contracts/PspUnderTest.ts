import type { Duration, Effect } from "effect"
import { Context } from "effect"
import type { Centavos, PixKey, PspShape, RawNotification } from "@pagora/core"

/** How a payout ends; `reversed`, after it was completed. */
export type PayoutEnd = "completed" | "failed" | "reversed"

/** How a return ends. */
export type RefundEnd = "confirmed" | "error"

/** What the author of a PSP gives to the suite: the PSP, and the hands of those around it. */
export class PspUnderTest extends Context.Service<
  PspUnderTest,
  {
    readonly psp: PspShape
    /** Somebody pays the charge, by default what it asks for. Needed unless `payments` is not supported. */
    readonly pay?: (reference: string, amount?: Centavos) => Effect.Effect<void>
    /** The bank of the receiver ends the payout like this. Needed unless `settledPayouts` are not supported. */
    readonly settlePayout?: (reference: string, end: PayoutEnd) => Effect.Effect<void>
    /** The bank of the payer ends the return like this. Needed unless `settledRefunds` are not supported. */
    readonly settleRefund?: (reference: string, end: RefundEnd) => Effect.Effect<void>
    /** Where payouts go; an e-mail address of nobody by default. */
    readonly payoutKey?: PixKey.PixKey
    /**
     * The notifications about this charge, payout or return that the PSP has sent so far, exactly as they arrived. Needed unless
     * `notifications` are not supported.
     */
    readonly notifications?: (reference: string) => Effect.Effect<ReadonlyArray<RawNotification>>
    /** How long a payment, an end or a notification may take to show; 5 seconds by default. */
    readonly patience?: Duration.Input
  }
>()("@pagora/testkit/PspUnderTest") {}

/** Whether something can be done, and if not, why: the reason shows beside each law that it skips. */
export type Ability = true | { readonly no: string }

/** What a PSP can do, and what its test environment lets us do. Nothing is skipped that is not declared here. */
export interface PspAbilities {
  /** Doing again under a reference answers what was done first: `capabilities.idempotentByReference`. */
  readonly repeatedCreate: Ability
  /** A charge that nobody paid can be removed. */
  readonly cancel: Ability
  /** Somebody can be made to pay: `pay`. */
  readonly payments: Ability
  /** A charge can be paid twice. */
  readonly repeatedPayments: Ability
  /** A charge can be paid with another amount than it asks for. */
  readonly otherAmounts: Ability
  /** Payments tell who paid: `capabilities.knowsPayer`. */
  readonly payer: Ability
  /** Money can be sent. */
  readonly payouts: Ability
  /** Payouts can be made to complete and to fail: `settlePayout`. */
  readonly settledPayouts: Ability
  /** Completed payouts can be made to come back: `settlePayout`. */
  readonly reversals: Ability
  /** Payments can be given back. */
  readonly refunds: Ability
  /** Returns can be made to be confirmed and to fail: `settleRefund`. */
  readonly settledRefunds: Ability
  /** Notifications can be caught: `notifications`. */
  readonly notifications: Ability
  /** Something in the headers of a notification proves who sent it. */
  readonly authenticHeaders: Ability
  /** That proof covers the body too. */
  readonly signedBodies: Ability
}
