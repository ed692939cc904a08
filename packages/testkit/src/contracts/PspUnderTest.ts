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
    /** Somebody pays to the key itself, for no charge: the end-to-end id. Needed unless `directPayments` are not supported. */
    readonly payKey?: () => Effect.Effect<string>
    /** The PSP gives a payment back by itself. Needed unless `ownReturns` are not supported. */
    readonly returnPayment?: (endToEndId: string) => Effect.Effect<void>
    /** Somebody reports fraud about a payment: the id of the infraction. Needed unless neither `infractions` nor `infractionLists`
     * are supported. */
    readonly reportInfraction?: (endToEndId: string) => Effect.Effect<string>
    /** The CPF or CNPJ of whoever pays, where payments do not tell it and `payerClaims` are supported. */
    readonly payerDocument?: string
    /** Where payouts go; an e-mail address of nobody by default. */
    readonly payoutKey?: PixKey.PixKey
    /**
     * The notifications that have this name in them (a reference, an end-to-end id, the id of an infraction) that the PSP has
     * sent so far, exactly as they arrived. Needed unless
     * `notifications` are not supported.
     */
    readonly notifications?: (name: string) => Effect.Effect<ReadonlyArray<RawNotification>>
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
  /** They name a return that we began by our reference; where they do not, by its payment alone. They do, unless told. */
  readonly refundNotices?: Ability
  /** Something in the headers of a notification proves who sent it. */
  readonly authenticHeaders: Ability
  /** That proof covers the body too. */
  readonly signedBodies: Ability
  /** Payments are found by their end-to-end ids: `findPayment`. */
  readonly receivedPayments: Ability
  /** Payments of a period can be listed: `listPayments`. */
  readonly paymentLists: Ability
  /** Somebody can be made to pay to the key itself: `payKey`. */
  readonly directPayments: Ability
  /** The PSP can be made to give a payment back by itself: `returnPayment`. */
  readonly ownReturns: Ability
  /** The PSP confirms who has paid: `confirmPayer`. */
  readonly payerClaims: Ability
  /** Fraud can be reported, and a notification names it: `findInfraction`, `reportInfraction`. */
  readonly infractions: Ability
  /** Infractions of a period can be listed: `listInfractions`, `reportInfraction`. */
  readonly infractionLists: Ability
  /** It tells what our account holds: `balance`. Nobody else may use the account meanwhile. */
  readonly balance: Ability
  /** The PSP looks whether it is set up: `check`. */
  readonly checks: Ability
  /** The PSP can be set up in its test environment, again and again: `prepare`. */
  readonly preparation: Ability
}

/** What a PSP may leave out of the port, declared as left out: all for one reason. */
export const leftOut = (
  reason: string
): Pick<
  PspAbilities,
  | "receivedPayments"
  | "paymentLists"
  | "directPayments"
  | "ownReturns"
  | "payerClaims"
  | "infractions"
  | "infractionLists"
  | "balance"
  | "checks"
  | "preparation"
> => ({
  receivedPayments: { no: reason },
  paymentLists: { no: reason },
  directPayments: { no: reason },
  ownReturns: { no: reason },
  payerClaims: { no: reason },
  infractions: { no: reason },
  infractionLists: { no: reason },
  balance: { no: reason },
  checks: { no: reason },
  preparation: { no: reason }
})
