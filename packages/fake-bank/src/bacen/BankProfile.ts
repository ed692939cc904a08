import type { ErrorShape } from "../door/Exchange.ts"

/** Banks that speak the Central Bank's Pix API. */
export type BankName =
  | "efi"
  | "inter"
  | "bb"
  | "bradesco"
  | "itau"
  | "santander"
  | "sicoob"
  | "sicredi"
  | "pagbank"

/** How a bank wants its tokens to be asked for. */
export interface TokenProfile {
  readonly path: string
  /** How the customer names itself: by `Authorization: Basic`, in the form, or by its id in the form and the certificate alone. */
  readonly client: "basic" | "form" | "id_only"
  readonly body: "json" | "form"
  /** Where the grant type stands. */
  readonly grantType: "body" | "query"
  readonly scope: "required" | "optional" | "not_sent"
  /** Answered besides the token. */
  readonly answers: ReadonlyArray<"refresh_token" | "client_id">
  /** How a token that lacks a scope is refused when it is used. */
  readonly missingScopeStatus: 400 | 403
}

/** What of the Central Bank's API stands elsewhere. */
export type Resource = "cob" | "cob_list" | "cob_patch" | "pix" | "webhook"

/** A bank's own ways, as data. What is only claimed can be overridden by `startFakeBank`. */
export interface BankProfile {
  readonly bank: BankName
  /** The number in the PIX network. */
  readonly ispb: string
  readonly token: TokenProfile
  /** Below the host; where a resource is elsewhere, `bases` says so. */
  readonly base: string
  readonly bases: Partial<Record<Resource, string>>
  /** Query parameters of which one must carry the application's key. */
  readonly appKeyNames: ReadonlyArray<string>
  /** Headers without which nothing is answered. */
  readonly requiredHeaders: ReadonlyArray<string>
  /** Operations that it has not. */
  readonly absent: ReadonlyArray<string>
  /** Status of what the Central Bank answers with another one. */
  readonly statuses: Readonly<Record<string, number>>
  readonly codeField: "pixCopiaECola" | "brcode"
  /** Fields that say nothing are `null` in the place of absent. */
  readonly tellsNull: boolean
  /** Fields that it does not tell, by operation. */
  readonly leavesOut: Readonly<Record<string, ReadonlyArray<string>>>
  readonly errors: ErrorShape
  /** Refuses times with fractions of a second. */
  readonly wholeSeconds: boolean
  /** What a `PUT` under a txid or a return's id that exists is: refused with this status, or held against the first. */
  readonly repeats: { readonly charge: 409 | "same"; readonly refund: 400 | 409 }
  readonly callbacks: {
    /** Added to the path of the registered URL, unless that ends in `ignorar=`. */
    readonly suffix: "/pix" | ""
    readonly retryAfterSeconds: ReadonlyArray<number>
    readonly timeoutMillis: number
  }
  /** Webhooks are tried when they are registered: once without a certificate, once with. */
  readonly triesWebhooks: boolean
}
