import type { BankName, BankProfile, Resource } from "./bacen/BankProfile.ts"
import type { BankClient } from "./bacen/Tokens.ts"
import type { Webhook } from "./bacen/WebhookRoutes.ts"
import type { Callback } from "./callbacks/Courier.ts"
import type { RequestRecord } from "./door/Desk.ts"
import type { FaultBook } from "./door/Faults.ts"
import type { BankFinding } from "./openapi/Findings.ts"
import type { ClientIdentity } from "./tls/BankCertificates.ts"
import type { Certified } from "./tls/Certificates.ts"
import type { BankAccount, Person } from "./world/BankAccount.ts"
import type { BankClock, BankClockOptions } from "./world/BankClock.ts"
import type { Centavos } from "./world/Centavos.ts"
import type { Charge } from "./world/Charge.ts"
import type { Infraction } from "./world/Infraction.ts"
import type { Payment, PaymentReturn, ReturnNature } from "./world/Payment.ts"
import type { Paying, PayingCharge } from "./world/Payments.ts"
import type { Payout, PayoutFailure } from "./world/Payout.ts"
import type { NewPayout } from "./world/Payouts.ts"
import type { World } from "./world/World.ts"

export interface FakeBankOptions {
  readonly bank: BankName
  /** Any that is free, unless told. */
  readonly port?: number
  readonly clock?: BankClockOptions
  /** Makes ids, and the chance of faults, the same each time. Keys and certificates never are. */
  readonly seed?: number
  /** The customer's PIX key. */
  readonly pixKey?: string
  /** What is in the customer's account at the start. */
  readonly balance?: Centavos
  /** What the portal allows the customer's application; everything, unless told. */
  readonly scopes?: ReadonlyArray<string>
  /** How long a token lasts; an hour, unless told. */
  readonly tokenSeconds?: number
  /** Whether a request that is not as the Central Bank's file has it is refused; it is found in any case. Yes, unless told. */
  readonly strict?: boolean
  /** Returns and payouts end well by themselves so much later by the bank's clock; by hand alone, unless told. */
  readonly settlesAfterMillis?: number
  /** Whether customers have to show a certificate. Yes, unless told. */
  readonly mutualTls?: boolean
  /** So many days from now the customer's certificate ends. */
  readonly clientCertificateDays?: number
  /** Authorities that the bank trusts when it calls back, as PEM, besides its own. */
  readonly trustedAuthorities?: ReadonlyArray<string>
  /** Takes addresses of plain HTTP for callbacks. No bank does. */
  readonly plainCallbacks?: boolean
  /** Efí: as its sandbox, whose charges are paid and whose payouts end by their amount. */
  readonly sandboxAmounts?: boolean
  /** Inter: whether payouts wait until somebody approves them. */
  readonly payoutsNeedApproval?: boolean
  /** What of the bank's profile is otherwise than is known: for facts that are only claimed. */
  readonly profile?: Partial<Omit<BankProfile, "bank">>
}

/** Where the bank answers. */
export interface FakeBankUrls {
  /** `https://127.0.0.1:…`, without a path. */
  readonly origin: string
  readonly token: string
  /** What the paths of the Central Bank's API are below. */
  readonly api: string
  /** Below what each resource is, where a bank has them apart. */
  readonly resources: Readonly<Record<Resource, string>>
}

/** An application of the customer: who it is, and how it shows it. */
export type FakeBankClient = Omit<BankClient, "account"> & ClientIdentity

/** A bank that answers by whichever protocol, with a hand on what happens in it (decision 0109). */
export interface BankInHand extends WorldControls {
  readonly clock: BankClock
  readonly faults: FaultBook
  readonly callbacks: Pick<CallbackControls, "all" | "idle">
  /** What was asked of it, in its order. */
  readonly requests: ReadonlyArray<RequestRecord>
  readonly account: BankAccount
  /** The account's first key. */
  readonly pixKey: string
  /** Connections end, and none is taken until it comes back, at the same address. Its time goes on. */
  readonly goDown: () => Promise<void>
  readonly comeBack: () => Promise<void>
  /** Who paid whom. */
  readonly world: World
  readonly close: () => Promise<void>
}

/** A bank of the Central Bank's API. */
export interface FakeBank extends BankInHand, BankControls {
  readonly bank: BankName
  readonly profile: BankProfile
  readonly urls: FakeBankUrls
  /** The authority of the bank's server, as PEM. */
  readonly ca: string
  readonly client: FakeBankClient
  readonly callbacks: CallbackControls
  readonly certificates: CertificateControls
  /** So many requests for an operation were under way at once: `sendPayout`, of which Efí wants one at a time. */
  readonly atOnceMax: (operation: string) => number
  /** What was not as the Central Bank's file has it. A test that passes has none. */
  readonly findings: ReadonlyArray<BankFinding>
}

/** What happens at the bank without a request. */
export interface WorldControls {
  readonly charge: (txid: string) => Charge
  /** Somebody pays a charge; all of it, unless told. */
  readonly pay: (txid: string, paying?: PayingCharge) => Payment
  /** Somebody pays to a key, for no charge; to the customer's first, unless told. */
  readonly payKey: (
    paying: Paying & { readonly centavos: Centavos; readonly key?: string; readonly txid?: string }
  ) => Payment
  /** Its time is over now. */
  readonly expire: (txid: string) => Charge
  /** The bank removes it. */
  readonly remove: (txid: string) => Charge
  /** How a return ends. */
  readonly settleReturn: (
    id: string,
    outcome: "DEVOLVIDO" | "NAO_REALIZADO",
    about?: { readonly endToEndId?: string; readonly reason?: string }
  ) => PaymentReturn
  /** The bank gives a payment back by itself: all that is left, unless told. */
  readonly returnPayment: (
    endToEndId: string,
    about?: { readonly centavos?: Centavos; readonly nature?: ReturnNature }
  ) => PaymentReturn
  /** By the sender's reference, or by the bank's own id. */
  readonly payout: (name: string) => Payout
  /** The customer sends money, not by the API. */
  readonly sendPayout: (payout: NewPayout) => Payout
  readonly approvePayout: (name: string) => Payout
  /** How a payout ends; Inter's own ends are codes of a failure. */
  readonly settlePayout: (
    name: string,
    outcome: "completed" | "failed" | "reversed",
    failure?: PayoutFailure
  ) => Payout
  readonly reportInfraction: (
    endToEndId: string,
    about?: { readonly centavos?: Centavos; readonly reason?: string }
  ) => Infraction
  /** The customer answers it, not by the API. */
  readonly defendInfraction: (
    id: string,
    defence: { readonly accepts: boolean; readonly text: string }
  ) => Infraction
  readonly decideInfraction: (
    id: string,
    status: "accepted" | "rejected" | "cancelled"
  ) => Infraction
  /** Who a key of another bank belongs to. */
  readonly nameOwner: (key: string, owner: Person) => void
}

/** What happens besides at a bank that gives tokens to more customers than one. */
export interface BankControls extends WorldControls {
  /** Another customer of the same bank, with a key and perhaps an address for callbacks of its own. */
  readonly openAccount: (about: {
    readonly name?: string
    readonly document?: string
    readonly key: string
    readonly webhookUrl?: string
  }) => BankAccount
  /** All tokens end now. */
  readonly endTokens: () => void
}

export interface CallbackControls {
  /** All that there were, with what became of them. */
  readonly all: ReadonlyArray<Callback>
  /** When none is on its way any more. */
  readonly idle: () => Promise<void>
  /** The authority of the certificate that the bank shows, as PEM. */
  readonly ca: string
  /** A certificate for a receiver on this machine, which the bank trusts. */
  readonly receiver: Certified
  readonly webhooks: ReadonlyMap<string, Webhook>
  /** Sends what no bank sent: with a certificate of nobody's, with none, or with the bank's own. */
  readonly forge: (
    url: string,
    body: unknown,
    shows?: "stranger" | "nothing" | "bank"
  ) => Promise<{ readonly status: number } | { readonly failure: string }>
}

export interface CertificateControls {
  /** A new certificate for the customer; the one before still counts until it is revoked. */
  readonly renewClient: (days?: number) => Promise<ClientIdentity>
  /** What the bank takes no longer, on open connections either. */
  readonly revokeClient: (certificate: string) => void
  /** The server shows another certificate of the same authority, and open connections end. */
  readonly renewServer: (days?: number) => Promise<void>
}
