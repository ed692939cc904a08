import type { DateTime, Duration, Effect } from "effect"
import { Context, Schema } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PixKey } from "../kernel/PixKey.ts"

/**
 * What is known after a call to a PSP. Whatever is not provably definite is `Unknown`: the caller keeps its
 * holds and asks again by its own reference.
 *
 * - `Done`: the PSP did it, or answered the question.
 * - `Rejected`: the PSP will not do it and has not done it; `code` is for programs, `message` for people.
 * - `NotSent`: no byte of the request left (name not resolved, connection refused): as if never called.
 * - `Unknown`: a timeout, a broken connection, an answer nobody understands. It may have been done.
 */
export type PspOutcome<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Rejected"; readonly code: string; readonly message: string }
  | { readonly _tag: "NotSent"; readonly detail: string }
  | { readonly _tag: "Unknown"; readonly detail: string }

export const done = <A>(value: A): PspOutcome<A> => ({ _tag: "Done", value })
const rejected = (code: string, message: string): PspOutcome<never> => ({
  _tag: "Rejected",
  code,
  message
})
const notSent = (detail: string): PspOutcome<never> => ({ _tag: "NotSent", detail })
const unknown = (detail: string): PspOutcome<never> => ({ _tag: "Unknown", detail })
export const PspOutcome = { done, rejected, notSent, unknown } as const

export interface Payer {
  readonly name?: string
  /** CPF or CNPJ, digits and capital letters only. */
  readonly document?: string
}

/** One payment that the PSP received for a charge. */
export interface PspPayment {
  /** The end-to-end id of the PIX network; no two payments share one. */
  readonly endToEndId: string
  readonly amount: Centavos
  readonly paidAt: DateTime.Utc
  readonly payer?: Payer
}

/** A charge as the PSP has it. */
export interface PspCharge {
  /** Our reference: the txid, 26 to 35 letters and digits (BACEN Pix API). */
  readonly reference: string
  /** The PSP's own id of the charge. */
  readonly pspPaymentId: string
  readonly status: "active" | "paid" | "removed"
  readonly amount: Centavos
  /** The copy-and-paste code (BR Code). */
  readonly pixCopyPaste: string
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
  readonly payments: ReadonlyArray<PspPayment>
}

export interface NewPspCharge {
  readonly reference: string
  readonly amount: Centavos
  readonly expiresInSeconds: number
  readonly description?: string
  /** Sent to the PSP only when both name and document are known (BACEN Pix API, `devedor`). */
  readonly payer?: { readonly name: string; readonly document: string }
}

export interface NewPspPayout {
  /** Our reference, the same for every try; the PSP makes at most one payout under it. */
  readonly reference: string
  readonly amount: Centavos
  readonly pixKey: PixKey
  /** Who the key is expected to belong to, as far as the caller told. */
  readonly holder: { readonly name?: string; readonly document?: string }
}

/** Why a PSP did not do something: `code` is for programs, `message` for people. */
export interface PspRejection {
  readonly code: string
  readonly message: string
}

/**
 * A payout as the PSP has it. `reversed` is one that was `completed` before: the money came back. Both it and
 * `rejected` are final; `completed` can only become `reversed`.
 */
export interface PspPayout {
  readonly reference: string
  /** The PSP's own id of the payout. */
  readonly pspReference: string
  readonly status: "processing" | "completed" | "rejected" | "reversed"
  readonly amount: Centavos
  /** The end-to-end id of the PIX network, once there is one. */
  readonly endToEndId?: string
  readonly settledAt?: DateTime.Utc
  readonly recipient?: Payer
  readonly rejection?: PspRejection
  readonly reversal?: {
    /** The id of the return on the PIX network. */
    readonly returnId: string
    readonly at: DateTime.Utc
    readonly code: string
  }
}

export interface NewPspRefund {
  /** Our reference, the same for every try; the PSP makes at most one return under it. */
  readonly reference: string
  /** The payment that goes back. */
  readonly endToEndId: string
  readonly amount: Centavos
  /**
   * `requested`: the receiver asked for it. `automatic`: the service sends back money that was never credited, or
   * that was charged back.
   */
  readonly purpose: "requested" | "automatic"
  readonly reason?: string
}

/** A return of money to its payer, as the PSP has it (BACEN Pix API, `devolucao`). */
export interface PspRefund {
  readonly reference: string
  readonly endToEndId: string
  readonly status: "processing" | "confirmed" | "rejected"
  readonly amount: Centavos
  /** The id of the return on the PIX network (BACEN Pix API, `rtrId`), once there is one. */
  readonly returnId?: string
  readonly settledAt?: DateTime.Utc
  readonly rejection?: PspRejection
}

/** A notification, reduced to what it is: a reason to ask about one charge, payout or return. */
export interface PspNotice {
  readonly _tag: "Charge" | "Payout" | "Refund"
  readonly reference: string
}

export interface RawNotification {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** The notification is not from the PSP, or not readable. Nothing of it is stored. */
export class NotificationRefused extends Schema.TaggedError<NotificationRefused>()(
  "NotificationRefused",
  {
    reason: Schema.Literals(["Unauthenticated", "Malformed"])
  }
) {}

/** What a PSP can do and promises, as data. */
export interface PspCapabilities {
  /** Doing again under the same reference answers what was done first, and does nothing more. */
  readonly idempotentByReference: boolean
  /** Payments tell who paid. */
  readonly knowsPayer: boolean
  /** How long after a create was sent "not found" cannot change any more. */
  readonly notFoundIsFinalAfter: Duration.Duration
  /** How long after a charge's end a payment made in time may still become visible at the PSP. */
  readonly settlementLag: Duration.Duration
}

/** Whether the money is real; it belongs to the deployment. */
export type Environment = "production" | "sandbox"

/**
 * The door to one PSP. Methods never fail: what can go wrong is part of `PspOutcome`, and a defect of an
 * implementation counts as `Unknown`. The PSP contract suite of `@pagora/testkit` checks the laws:
 *
 * - a charge is found under its reference as soon as it was created, by whichever answer;
 * - `findCharge` answers `Done` with undefined when the PSP has no such charge;
 * - creating again under one reference answers the same charge: its terms never change, and a removed one is
 *   not revived; a malformed reference or impossible terms are never `Done`;
 * - `cancelCharge` of a paid charge changes nothing and answers the paid charge; of an unknown one it is
 *   `Rejected`;
 * - `payments` are what counts, whatever `status` says beside them;
 * - `findPayout` and `findRefund` answer `Done` with undefined when the PSP has nothing under the reference, and
 *   where `idempotentByReference`, sending again answers the first payout or return and moves no second centavo;
 * - a payout or return that the PSP took and then refused is `Done` with the status `rejected`; one that it did
 *   not even take is `Rejected`, and nothing is found under its reference;
 * - `readNotification` refuses what is not authentic, believes nothing but the reference, and reads header
 *   names in any case.
 */
export interface PspShape {
  /** The PSP's name, as responses show it. */
  readonly provider: string
  readonly environment: Environment
  readonly capabilities: PspCapabilities
  readonly createCharge: (charge: NewPspCharge) => Effect.Effect<PspOutcome<PspCharge>>
  readonly findCharge: (reference: string) => Effect.Effect<PspOutcome<PspCharge | undefined>>
  readonly cancelCharge: (reference: string) => Effect.Effect<PspOutcome<PspCharge>>
  readonly sendPayout: (payout: NewPspPayout) => Effect.Effect<PspOutcome<PspPayout>>
  readonly findPayout: (reference: string) => Effect.Effect<PspOutcome<PspPayout | undefined>>
  /** Sends a payment back, whole or in part. */
  readonly refund: (refund: NewPspRefund) => Effect.Effect<PspOutcome<PspRefund>>
  readonly findRefund: (reference: string) => Effect.Effect<PspOutcome<PspRefund | undefined>>
  readonly readNotification: (
    notification: RawNotification
  ) => Effect.Effect<ReadonlyArray<PspNotice>, NotificationRefused>
}

/**
 * The configured PSPs, all of one environment. One is the common case; of several, the operator says which an account
 * may use.
 */
export class PspDirectory extends Context.Service<
  PspDirectory,
  {
    readonly default: PspCredentialId
    /** Every id that `find` knows. */
    readonly all: ReadonlyArray<PspCredentialId>
    readonly find: (id: PspCredentialId) => PspShape | undefined
  }
>()("@pagora/core/ports/PspDirectory") {}
