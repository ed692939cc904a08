/** Where a fact about a bank was read, and how far it is to be believed. */
export interface Source {
  /**
   * `bank`: in documents or code of the bank itself; `community`: in code of others that talks to it; `doubtful`: sources
   * contradict each other, or there is a weak one only. What is not of the bank itself is worth a look before money goes by it.
   */
  readonly mark: "bank" | "community" | "doubtful"
  readonly from: string
}

/** Where a bank answers. */
export interface BankHosts {
  /** What the paths stand below. */
  readonly api: string
  /** The whole address at which tokens are given. */
  readonly token: string
}

/**
 * How a token is asked for: of nine banks, five do it differently.
 *
 * - `client`: who we are: `basic`, id and secret in the header; `form`, both in the body; `id`, the id in the body alone, and
 *   the certificate proves the rest;
 * - `body`: what the body is written as;
 * - `grant`: where `grant_type` stands;
 * - `scope`: whether the scopes are named.
 */
export interface TokenRequest {
  readonly client: "basic" | "form" | "id"
  readonly body: "json" | "form"
  readonly grant: "body" | "query"
  readonly scope: boolean
}

/** What calls are for: each has a token of its own where the bank gives tokens by scope. */
export type ScopeSet = "pix" | "webhook" | "payouts" | "payoutWebhook" | "balance"

/** How much a bank is asked, and how long it is left alone once it said that this was too much. */
export interface Budget {
  /** Calls of one kind in a minute, by one process; as many as there are, unless told. */
  readonly callsPerMinute?: number
  /** Requests for a token in a minute, by one process. */
  readonly tokensPerMinute: number
  /** Seconds that a kind of call is left alone after a 429 that says nothing of its own. */
  readonly pauseSeconds: number
}

/** A bank, as data: whatever it does differently from the Central Bank's file (2.9.0) stands here. */
export interface BankProfile {
  /** The name that answers of Pagora show. */
  readonly name: string
  readonly production: BankHosts
  /** Left out where the bank has no test environment. */
  readonly sandbox?: BankHosts
  readonly token: TokenRequest
  /** Which scopes a set asks for, where scopes are named. */
  readonly scopes: Readonly<Partial<Record<ScopeSet, string>>>
  /** Below `api`. `cancel` is where a charge is changed, if that is not `cob`. */
  readonly paths: {
    readonly cob: string
    readonly cancel?: string
    readonly pix: string
    readonly webhook: string
  }
  /** What goes along with each call, besides the token. */
  readonly extras: {
    /** The header that takes the client id. */
    readonly clientIdHeader?: string
    /** The parameter of the query that takes `appKey`. */
    readonly appKeyQuery?: string
    /** The header that takes a fresh id of the call. */
    readonly callIdHeader?: string
    /** The header that takes `account`. */
    readonly accountHeader?: string
  }
  /** The protocol by which it sends money: the Central Bank's file has none. */
  readonly payouts: "efi" | "inter" | "none"
  readonly callbacks: {
    /** Whence callbacks come, by environment, where the bank says so. */
    readonly addresses?: { readonly production?: ReadonlyArray<string> }
    /** Whether a webhook is registered by API. */
    readonly registered: boolean
    /** The header by which the bank is told not to ask for mutual TLS. */
    readonly skipMutualTls?: string
  }
  readonly budget: Budget
  /** Where what stands above was read, by field. */
  readonly sources: Readonly<Record<string, Source>>
}
