import type { DateTime, Effect } from "effect"
import { Context, Duration, Schema } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PixKey } from "../kernel/PixKey.ts"

/**
 * What is known after a call to a PSP. Whatever is not provably definite is `Unknown`: the caller keeps its
 * holds and asks again by its own reference.
 *
 * - `Done`: the PSP did it, or answered the question.
 * - `Rejected`: the PSP will not do it and has not done it; `code` is for programs, `message` for people.
 * - `NotNow`: the PSP did nothing, and takes it later: it had too many requests, is closed at this hour, or takes a second
 *   transfer like one just made for a mistake. Never a refusal: it is asked again once `after` has passed, which counts for
 *   an hour at most. `needsMoney`: our account there holds too little for it; the operator is shown that it waits for that.
 * - `NotSent`: no byte of the request left (name not resolved, connection refused): as if never called.
 * - `Unknown`: a timeout, a broken connection, an answer nobody understands. It may have been done. `after`: the PSP tells what
 *   became of it no sooner, for it has too many questions.
 */
export type PspOutcome<A> =
  | { readonly _tag: "Done"; readonly value: A }
  | { readonly _tag: "Rejected"; readonly code: string; readonly message: string }
  | {
      readonly _tag: "NotNow"
      readonly detail: string
      readonly after: Duration.Duration
      readonly needsMoney?: true
    }
  | { readonly _tag: "NotSent"; readonly detail: string }
  | { readonly _tag: "Unknown"; readonly detail: string; readonly after?: Duration.Duration }

export const done = <A>(value: A): PspOutcome<A> => ({ _tag: "Done", value })
const rejected = (code: string, message: string): PspOutcome<never> => ({
  _tag: "Rejected",
  code,
  message
})
const notNow = (detail: string, after: Duration.Input): PspOutcome<never> => ({
  _tag: "NotNow",
  detail,
  after: Duration.fromInputUnsafe(after)
})
const needsMoney = (detail: string, after: Duration.Input): PspOutcome<never> => ({
  _tag: "NotNow",
  detail,
  after: Duration.fromInputUnsafe(after),
  needsMoney: true
})
const notSent = (detail: string): PspOutcome<never> => ({ _tag: "NotSent", detail })
const unknown = (detail: string, after?: Duration.Input): PspOutcome<never> => ({
  _tag: "Unknown",
  detail,
  ...(after === undefined ? {} : { after: Duration.fromInputUnsafe(after) })
})
export const PspOutcome = { done, rejected, notNow, needsMoney, notSent, unknown } as const

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

/** A payment as it stands in the account at the PSP, whatever it was for (BACEN Pix API, `Pix`). */
export interface PspReceived extends PspPayment {
  /** The reference of the charge that it pays (`txid`); none where somebody paid to the key itself. */
  readonly reference?: string
  /** What of it went back, whoever began that: we, or the PSP by itself (MED). */
  readonly returns: ReadonlyArray<PspReceivedReturn>
}

/** A return below the payment that goes back (BACEN Pix API, `devolucoes`). */
export interface PspReceivedReturn {
  /** The id that whoever began it gave it (`id`): our reference where we did. */
  readonly reference: string
  /** The id of the return on the PIX network (`rtrId`), once there is one. */
  readonly returnId?: string
  readonly status: PspRefund["status"]
  readonly amount: Centavos
  readonly settledAt?: DateTime.Utc
}

/** Asks for the payments that were made in a period, page by page. */
export interface PspPaymentsQuery {
  /** What happened at this instant is in it. */
  readonly from: DateTime.Utc
  /** What happened at this instant is not in it. */
  readonly to: DateTime.Utc
  /** The `next` of the page before; absent for the first. */
  readonly cursor?: string
}

export interface PspPaymentsPage {
  readonly payments: ReadonlyArray<PspReceived>
  /** Asks for what follows; absent on the last page. */
  readonly next?: string
}

/** A claim of who paid, to be confirmed by the PSP. */
export interface PayerClaim {
  readonly endToEndId: string
  readonly name?: string
  /** CPF or CNPJ, digits and capital letters only. */
  readonly document: string
}

/**
 * A report of fraud that was made to the Central Bank about a payment (DICT, `InfractionReport`), by which the payer's
 * PSP claims its money back (MED).
 */
export interface PspInfraction {
  readonly id: string
  readonly endToEndId: string
  /** `open`: it is to be answered; `accepted`: the money is claimed; `rejected`, `cancelled`: it is not. */
  readonly status: "open" | "accepted" | "rejected" | "cancelled"
  readonly amount: Centavos
  readonly reportedAt: DateTime.Utc
  /** In the words of whoever reported it. */
  readonly reason?: string
  /** Until when it may be answered. */
  readonly answerUntil?: DateTime.Utc
  /** An answer to it was handed in. */
  readonly isAnswered?: boolean
}

/** What the receiver says to a report of fraud. */
export interface PspDefence {
  /** The PSP's id of the infraction. */
  readonly id: string
  /** `agree`: the payer is to have the money back; `disagree`: it is not. */
  readonly answer: "agree" | "disagree"
  readonly text: string
  /** The time of the service, as of `findInfraction`. */
  readonly now?: DateTime.Utc
}

/** Asks for the infractions that were reported in a period, page by page. */
export type PspInfractionsQuery = PspPaymentsQuery

export interface PspInfractionsPage {
  readonly infractions: ReadonlyArray<PspInfraction>
  /** Asks for what follows; absent on the last page. */
  readonly next?: string
}

/** What our account at a PSP holds. */
export interface PspBalance {
  /** What can be sent from it now; below zero where the account is overdrawn. */
  readonly available: Centavos
  /** What is in it besides and cannot be sent: kept back by a court, or for a report of fraud. */
  readonly blocked: Centavos
}

/** What a PSP says of how it is set up. */
export interface PspFinding {
  /** What was looked at, in lower case and with hyphens: `webhook`, `certificate`, `scopes`. */
  readonly name: string
  /** `warning`: it works, and will not for long, or not for all; `failed`: what it is for does not work. */
  readonly state: "ok" | "warning" | "failed"
  /** What was found, and what to do about it. No secret. */
  readonly message: string
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
  /**
   * It was sent before, and nobody knows what became of that. A PSP that cannot be asked by our reference does not know which of the
   * two its refusal is about: then it is `Unknown`.
   */
  readonly isRepeat?: boolean
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

/**
 * A notification, reduced to what it is: a reason to ask about one thing.
 *
 * - `Charge`, `Payout`, `Refund`: by our reference. What a notice says of who paid is a claim (`payers`), which counts once
 *   `confirmPayer` has confirmed it;
 * - `PspPayout`: a payout by the PSP's own id of it, where its notices tell no other;
 * - `Payment`: one that is named by its end-to-end id alone: it was made to the key itself, or the PSP gives it back by itself;
 * - `Infraction`: a report of fraud, by the PSP's own id of it.
 */
export type PspNotice =
  | {
      readonly _tag: "Charge"
      readonly reference: string
      readonly payers?: ReadonlyArray<PayerClaim>
    }
  | { readonly _tag: "Payout" | "Refund"; readonly reference: string }
  | { readonly _tag: "PspPayout"; readonly pspReference: string }
  | { readonly _tag: "Payment"; readonly endToEndId: string }
  | { readonly _tag: "Infraction"; readonly id: string }

/** A notification as it came in. */
export interface RawNotification {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
  /** The parameters of the query, decoded; of a name that is given more than once, the first. */
  readonly query: Readonly<Record<string, string | undefined>>
  /** What the path has after `/webhook`: some PSPs add a part of their own to the address that they were told. */
  readonly path: "" | "/pix"
  /** Who sent it, by the socket or by what trusted proxies say; absent where the host does not tell. */
  readonly remoteAddress?: string
  /** The certificate that the sender has shown to us, or to a trusted proxy. */
  readonly clientCertificate?: ClientCertificate
}

/** The certificate of a client of TLS. */
export interface ClientCertificate {
  /** Whether it leads to an authority that the listener, or the proxy, trusts. */
  readonly verified: boolean
  /** The subject, in the form of RFC 4514: `CN=api.bank.example,O=Bank`. */
  readonly subject: string
  /** SHA-256 of the certificate, in lower-case hexadecimal digits. */
  readonly fingerprint: string
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
  /**
   * How long after something was first sent the PSP still knows its reference as one that is repeated; for good, unless told. After
   * that it is asked for and never sent again: what it is not found by then, a person decides.
   */
  readonly repeatableFor?: Duration.Duration
  /** `none`: it sends no money. Withdrawals are refused where no PSP of the account does. */
  readonly payouts?: "none"
  /** So many payouts may be under way to it at once, over all processes; as many as there are, unless told. */
  readonly payoutsAtOnce?: number
}

/** Who we are to a PSP. It is shown to the operator, so none of it is secret. */
export interface PspIdentity {
  /** What the PSP knows our credentials by: two PSPs of one provider with the same one are one and the same. */
  readonly clientId: string
  /**
   * Whose money is asked about, such as the key that charges are paid to, where the credentials tell: only others for the same
   * one go on with it.
   */
  readonly account?: string
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
 * - `readNotification` refuses what is not authentic, believes nothing but what a notice is about, and reads header
 *   names in any case. What is authentic and tells of nothing that we ask about names nothing: an empty list;
 * - `findPayment` and `listPayments` tell of one payment alike, with all of its returns; a list has each payment of its
 *   period once, over all of its pages; so do `findInfraction` and `listInfractions` of infractions;
 * - `balance` tells what is there now: what was paid is in it, and what a payout takes is not.
 *
 * Methods that may be left out are those that not every PSP can serve (decision 0101). Nothing is asked of it there.
 */
export interface PspShape {
  /** The PSP's name, as responses show it. */
  readonly provider: string
  readonly environment: Environment
  /** Who we are to it, where it tells accounts apart. */
  readonly identity?: PspIdentity | undefined
  readonly capabilities: PspCapabilities
  readonly createCharge: (charge: NewPspCharge) => Effect.Effect<PspOutcome<PspCharge>>
  readonly findCharge: (reference: string) => Effect.Effect<PspOutcome<PspCharge | undefined>>
  readonly cancelCharge: (reference: string) => Effect.Effect<PspOutcome<PspCharge>>
  readonly sendPayout: (payout: NewPspPayout) => Effect.Effect<PspOutcome<PspPayout>>
  /** `pspReference` is the PSP's own id of it, as far as it has told; some find it by no other. */
  readonly findPayout: (payout: FindPspPayout) => Effect.Effect<PspOutcome<PspPayout | undefined>>
  /** Sends a payment back, whole or in part. */
  readonly refund: (refund: NewPspRefund) => Effect.Effect<PspOutcome<PspRefund>>
  readonly findRefund: (refund: FindPspRefund) => Effect.Effect<PspOutcome<PspRefund | undefined>>
  readonly readNotification: (
    notification: RawNotification
  ) => Effect.Effect<ReadonlyArray<PspNotice>, NotificationRefused>
  /** A payment by its end-to-end id, whatever it is for; undefined where the PSP has not received it. */
  readonly findPayment?:
    | ((endToEndId: string) => Effect.Effect<PspOutcome<PspReceived | undefined>>)
    | undefined
  /** What was received in a period, for reconciliation. */
  readonly listPayments?:
    | ((query: PspPaymentsQuery) => Effect.Effect<PspOutcome<PspPaymentsPage>>)
    | undefined
  /** Whether the payment was made by whom a notice claims, as the PSP's own books say. */
  readonly confirmPayer?:
    | ((claim: Pick<PayerClaim, "endToEndId" | "document">) => Effect.Effect<PspOutcome<boolean>>)
    | undefined
  /**
   * A report of fraud by its id. Where it is found by looking through those of a period alone, that ends at `now`: the time of the
   * service, which is not the machine's where a test or a sandbox has moved it.
   */
  readonly findInfraction?:
    | ((id: string, now?: DateTime.Utc) => Effect.Effect<PspOutcome<PspInfraction | undefined>>)
    | undefined
  /**
   * Hands in what the receiver says, and answers the infraction, `isAnswered` by then or decided. `Rejected` only where it is not:
   * its time is over, or it was answered otherwise. Done again it changes nothing.
   */
  readonly defendInfraction?:
    | ((defence: PspDefence) => Effect.Effect<PspOutcome<PspInfraction>>)
    | undefined
  /** What was reported in a period, in whatever state it is by now. Where no notice tells of it, it is found by this. */
  readonly listInfractions?:
    | ((query: PspInfractionsQuery) => Effect.Effect<PspOutcome<PspInfractionsPage>>)
    | undefined
  /** What our account there holds: a payout goes to it once that covers the payout (decision 0106). */
  readonly balance?: (() => Effect.Effect<PspOutcome<PspBalance>>) | undefined
  /** Sets up at the PSP what notifications and payments need: it may be done again and again. */
  readonly prepare?:
    | ((wanted: PspPreparation) => Effect.Effect<ReadonlyArray<PspFinding>>)
    | undefined
  /**
   * Looks whether all is set up, and changes nothing. Done at each start. `wanted`: what it should be prepared for, as far as
   * whoever asks knows that.
   */
  readonly check?:
    | ((wanted?: PspPreparation) => Effect.Effect<ReadonlyArray<PspFinding>>)
    | undefined
  /** When the certificate ends by which it knows us; undefined where there is none, or it cannot be read. */
  readonly certificateEnds?: (() => Effect.Effect<DateTime.Utc | undefined>) | undefined
}

/** What a payout is asked for by. */
export type FindPspPayout = Pick<PspPayout, "reference"> & Partial<Pick<PspPayout, "pspReference">>

/** What a return is asked for by: a return lies below the payment that goes back (BACEN Pix API). */
export type FindPspRefund = Pick<PspRefund, "reference" | "endToEndId">

/** What a PSP is to be prepared for. */
export interface PspPreparation {
  /** Where it is to send its notifications: an address of ours that ends in `/webhook`. */
  readonly webhookUrl: string
}

/**
 * The PSPs of the deployment, all of one environment: those that are configured, and those that the operator keeps in the
 * service, which come and go while it runs (decision 0108). One is the common case; of several, the operator says which an
 * account may use.
 */
export class PspDirectory extends Context.Service<
  PspDirectory,
  {
    readonly default: PspCredentialId
    /** Every id that `find` knows. */
    readonly all: ReadonlyArray<PspCredentialId>
    /** The same one each time; another under the same id is taken for one that was rotated, and the former is asked no more. */
    readonly find: (id: PspCredentialId) => PspShape | undefined
  }
>()("@pagora/core/ports/PspDirectory") {}

/** Whether the deployment has this PSP, configured or kept: one that is named may have left since. */
export const hasPsp = ({ find }: Pick<PspDirectory["Service"], "find">, id: PspCredentialId) =>
  find(id) !== undefined
