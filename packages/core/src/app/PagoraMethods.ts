import { Api } from "./Api.ts"
import { placesOf } from "./ApiPlaces.ts"
import type { BodyOf, CallOptions, QueryOf, Send } from "./PromiseCall.ts"
import { promiseCalls } from "./PromiseCall.ts"
import { pspCredentialMethods } from "./PspCredentialMethods.ts"
import { OperatorApi } from "../operator/OperatorApi.ts"
import { SandboxApi } from "../sandbox/SandboxApi.ts"

type Tenant = typeof Api
type Operator = typeof OperatorApi
type Simulated = typeof SandboxApi

/** What answers the calls of the program. */
export interface Senders {
  readonly tenant: Send
  readonly operator: Send
  readonly sandbox: Send
  readonly operatorKey: string
}

type Calls = ReturnType<typeof callsOf>

/** What can be said beside the data of what the operator does once. */
type OnceOptions = Pick<CallOptions, "idempotencyKey">

const callsOf = ({ operator, operatorKey, sandbox, tenant }: Senders) => {
  const authorization = { authorization: `Bearer ${operatorKey}` }
  return {
    tenant: promiseCalls<Tenant>(placesOf(Api), tenant),
    operator: promiseCalls<Operator>(placesOf(OperatorApi), operator, authorization),
    sandbox: promiseCalls<Simulated>(placesOf(SandboxApi), sandbox, authorization)
  }
}

/**
 * The service as functions that take and answer plain data: the bodies of the HTTP API, so that amounts are numbers in
 * BRL (`25.9`), times are RFC 3339 texts, and what is absent is absent. They reject with `PagoraError`.
 */
export const methodsOf = (senders: Senders) => {
  const calls = callsOf(senders)
  return {
    ...customerMethods(calls),
    ...withReviews(calls, moneyMethods(calls)),
    blocks: blockMethods(calls),
    ...structureMethods(calls),
    ...careMethods(calls),
    pspCredentials: pspCredentialMethods(calls.operator),
    sandbox: sandboxMethods(calls)
  }
}

export type PagoraMethods = ReturnType<typeof methodsOf>

/** Who uses the deployment. */
const customerMethods = ({ operator, tenant }: Calls) => ({
  accounts: {
    create: (account: BodyOf<Operator, "accounts", "create">, options?: OnceOptions) =>
      operator("accounts", "create", { body: account, options }),
    /** Newest first, in pages, as every list here: give `nextCursor` as `cursor` for the next. */
    list: (query?: QueryOf<Operator, "accounts", "list">) =>
      operator("accounts", "list", { query }),
    get: (id: string) => operator("accounts", "get", { params: { id } }),
    /** Fee schedules and limits that are named are replaced whole; what is not named stays. */
    change: (id: string, change: BodyOf<Operator, "accounts", "change">) =>
      operator("accounts", "change", { params: { id }, body: change }),
    /** A correction by the operator; a negative amount takes money away, at most what is spendable. */
    adjust: (
      id: string,
      adjustment: BodyOf<Operator, "accounts", "adjust">,
      options?: OnceOptions
    ) => operator("accounts", "adjust", { params: { id }, body: adjustment, options }),
    /** What the deployment pays for business that the account has brought. */
    payCommission: (
      id: string,
      commission: BodyOf<Operator, "commissions", "pay">,
      options?: OnceOptions
    ) => operator("commissions", "pay", { params: { id }, body: commission, options }),
    /** The transactions of all its wallets. */
    transactions: (id: string, query?: QueryOf<Operator, "history", "transactions">) =>
      operator("history", "transactions", { params: { id }, query }),
    /** What the ledger has posted to its wallets. */
    entries: (id: string, query?: QueryOf<Operator, "history", "entries">) =>
      operator("history", "entries", { params: { id }, query })
  },
  credentials: {
    /** The secret is answered here and never again. */
    issue: (
      account: string,
      credential: BodyOf<Operator, "credentials", "issue">,
      options?: OnceOptions
    ) => operator("credentials", "issue", { params: { id: account }, body: credential, options }),
    /** Revoked ones included, without their secrets. */
    list: (account: string, query?: QueryOf<Operator, "credentials", "list">) =>
      operator("credentials", "list", { params: { id: account }, query }),
    /** Acts on the next request. */
    revoke: (account: string, credentialId: string): Promise<void> =>
      operator("credentials", "revoke", { params: { id: account, credentialId } })
  },
  balances: {
    /** What a wallet holds, in centavos (`amount`) and in BRL (`amountFormatted`). */
    get: async (account: string, options?: Pick<CallOptions, "subAccount">) =>
      (await tenant("accounts", "get", { account, options })).balance,
    /** Every wallet of the account: `data` has a page of them, the rest is what the main one holds. */
    list: (account: string, query?: QueryOf<Operator, "history", "balances">) =>
      operator("history", "balances", { params: { id: account }, query })
  }
})

/** What happens to money. */
const moneyMethods = ({ operator, tenant }: Calls) => ({
  charges: {
    create: (account: string, charge: BodyOf<Tenant, "charges", "create">, options?: CallOptions) =>
      tenant("charges", "create", { account, body: charge, options }),
    /** Answers the charge's transaction: cancelled, or paid by somebody who was faster. */
    cancel: (account: string, id: string, options?: CallOptions) =>
      tenant("charges", "cancel", { account, params: { id }, options })
  },
  withdrawals: {
    create: (
      account: string,
      withdrawal: BodyOf<Tenant, "withdrawals", "create">,
      options?: CallOptions
    ) => tenant("withdrawals", "create", { account, body: withdrawal, options }),
    find: (account: string, id: string, options?: CallOptions) =>
      tenant("withdrawals", "find", { account, params: { id }, options }),
    /** For one that only a person can decide. */
    resolve: (
      id: string,
      resolution: BodyOf<Operator, "withdrawals", "resolve">,
      options?: OnceOptions
    ) => operator("withdrawals", "resolve", { params: { id }, body: resolution, options })
  },
  refunds: {
    /** Pays a completed payment back to its payer: `amount` of it, or all that is left. */
    request: (
      account: string,
      transactionId: string,
      refund: BodyOf<Tenant, "refunds", "request"> = {},
      options?: CallOptions
    ) =>
      tenant("refunds", "request", {
        account,
        params: { id: transactionId },
        body: refund,
        options
      })
  },
  transactions: {
    /** Newest first, in pages: give `nextCursor` as `cursor` for the next. */
    list: (
      account: string,
      query?: QueryOf<Tenant, "transactions", "list">,
      options?: CallOptions
    ) => tenant("transactions", "list", { account, query, options }),
    /** By its id, an external reference or an idempotency key. */
    find: (account: string, id: string, options?: CallOptions) =>
      tenant("transactions", "find", { account, params: { id }, options })
  },
  transfers: {
    /** Between wallets of one account. */
    create: (
      account: string,
      transfer: BodyOf<Tenant, "transfers", "create">,
      options?: CallOptions
    ) => tenant("transfers", "create", { account, body: transfer, options })
  }
})

/** Balance blocks: money that is disputed. */
const blockMethods = ({ operator, tenant }: Calls) => ({
  list: (
    account: string,
    query?: QueryOf<Tenant, "balanceBlocks", "list">,
    options?: CallOptions
  ) => tenant("balanceBlocks", "list", { account, query, options }),
  /** Those of all wallets, with what was taken and is owed. */
  page: (account: string, query?: QueryOf<Operator, "blocks", "list">) =>
    operator("blocks", "list", { params: { id: account }, query }),
  create: (account: string, block: BodyOf<Operator, "blocks", "create">, options?: OnceOptions) =>
    operator("blocks", "create", { params: { id: account }, body: block, options }),
  defend: (id: string, options?: OnceOptions) =>
    operator("blocks", "defend", { params: { id }, options }),
  /** Tells the PSP what is said to the report of fraud that has opened the block. */
  answer: (id: string, words: BodyOf<Operator, "blocks", "answer">, options?: OnceOptions) =>
    operator("blocks", "answer", { params: { id }, body: words, options }),
  resolve: (id: string, resolution: BodyOf<Operator, "blocks", "resolve">, options?: OnceOptions) =>
    operator("blocks", "resolve", { params: { id }, body: resolution, options })
})

/** What only a person can decide, beside what happens by itself. */
const withReviews = (
  { operator }: Calls,
  { refunds, ...methods }: ReturnType<typeof moneyMethods>
) => ({
  ...methods,
  refunds: {
    ...refunds,
    /** For one that waits for a person: by its id, or the `pspRefundTransactionId` of its receipt. */
    resolve: (
      id: string,
      decision: BodyOf<Operator, "reviews", "resolveRefund">,
      options?: OnceOptions
    ) => operator("reviews", "resolveRefund", { params: { id }, body: decision, options })
  },
  /** Money on its way back to its payer that nobody asked for: deposits not credited, approved balance blocks. */
  returns: {
    find: (id: string) => operator("reviews", "findReturn", { params: { id } }),
    /** Sends anew what the PSP definitely refused; answers the return in its place. */
    retry: (id: string, words: BodyOf<Operator, "reviews", "retryReturn">, options?: OnceOptions) =>
      operator("reviews", "retryReturn", { params: { id }, body: words, options }),
    resolve: (
      id: string,
      decision: BodyOf<Operator, "reviews", "resolveReturn">,
      options?: OnceOptions
    ) => operator("reviews", "resolveReturn", { params: { id }, body: decision, options })
  },
  /** All that waits for a person, and the calls that decide it. */
  reviews: {
    list: (query?: QueryOf<Operator, "reviews", "list">) => operator("reviews", "list", { query })
  },
  /** Money that is neither credited nor back with its payer. */
  suspense: {
    list: (query?: QueryOf<Operator, "reviews", "suspense">) =>
      operator("reviews", "suspense", { query })
  },
  /** What PSPs say against what is booked. */
  discrepancies: {
    list: (query?: QueryOf<Operator, "discrepancies", "list">) =>
      operator("discrepancies", "list", { query }),
    /** Says that somebody has looked into it; moves no money. */
    resolve: (
      id: string,
      words: BodyOf<Operator, "discrepancies", "resolve">,
      options?: OnceOptions
    ) => operator("discrepancies", "resolve", { params: { id }, body: words, options })
  },
  /** The PSPs of the configuration, with what they hold and what the ledger has there. */
  psps: {
    list: () => operator("psps", "list", {})
  },
  /** What PSPs gave back by themselves. */
  pspReturns: {
    /** Says who bears one: the wallet that the payment was credited to, or the operator. */
    resolve: (
      id: string,
      decision: BodyOf<Operator, "psp-returns", "resolve">,
      options?: OnceOptions
    ) => operator("psp-returns", "resolve", { params: { id }, body: decision, options })
  }
})

/** How an account is divided. */
const structureMethods = ({ operator, tenant }: Calls) => ({
  projects: {
    create: (
      account: string,
      project: BodyOf<Tenant, "projects", "create">,
      options?: CallOptions
    ) => tenant("projects", "create", { account, body: project, options }),
    list: (account: string, query?: QueryOf<Tenant, "projects", "list">, options?: CallOptions) =>
      tenant("projects", "list", { account, query, options })
  },
  subAccounts: {
    create: (
      account: string,
      subAccount: BodyOf<Tenant, "subAccounts", "create">,
      options?: OnceOptions
    ) => tenant("subAccounts", "create", { account, body: subAccount, options }),
    list: (account: string) => tenant("subAccounts", "list", { account }),
    /** With what is agreed with them. */
    page: (account: string, query?: QueryOf<Operator, "subAccounts", "list">) =>
      operator("subAccounts", "list", { params: { id: account }, query }),
    change: (
      account: string,
      reference: string,
      change: BodyOf<Operator, "subAccounts", "change">
    ) => operator("subAccounts", "change", { params: { id: account, reference }, body: change })
  }
})

/** Webhooks, and the proof that the ledger balances. */
const careMethods = ({ operator }: Calls) => ({
  webhooks: {
    /** The signing secret is answered here and never again. */
    create: (
      account: string,
      endpoint: BodyOf<Operator, "webhooks", "create">,
      options?: OnceOptions
    ) => operator("webhooks", "create", { params: { id: account }, body: endpoint, options }),
    list: (account: string) => operator("webhooks", "list", { params: { id: account } }),
    /** Switched on again, an endpoint is sent what it missed. */
    change: (account: string, endpointId: string, change: BodyOf<Operator, "webhooks", "change">) =>
      operator("webhooks", "change", { params: { id: account, endpointId }, body: change }),
    /** Answers the new secret; the former one signs beside it for `graceSeconds`, a day unless told otherwise. */
    rotateSecret: (
      account: string,
      endpointId: string,
      rotation: BodyOf<Operator, "webhooks", "rotate"> = {},
      options?: OnceOptions
    ) =>
      operator("webhooks", "rotate", {
        params: { id: account, endpointId },
        body: rotation,
        options
      }),
    /** Sends an event that says it is a test. */
    test: (account: string, endpointId: string, options?: OnceOptions) =>
      operator("webhooks", "test", { params: { id: account, endpointId }, options }),
    /** Sends again, in the background, what was given up since an instant. */
    recover: (
      endpointId: string,
      recovery: BodyOf<Operator, "webhooks", "recover">,
      options?: OnceOptions
    ) => operator("webhooks", "recover", { params: { endpointId }, body: recovery, options }),
    remove: (account: string, endpointId: string): Promise<void> =>
      operator("webhooks", "remove", { params: { id: account, endpointId } }),
    /** What was sent, newest first, with every attempt. */
    deliveries: (account: string, query?: QueryOf<Operator, "deliveries", "list">) =>
      operator("deliveries", "list", { params: { id: account }, query }),
    delivery: (deliveryId: string) => operator("deliveries", "get", { params: { deliveryId } }),
    resend: (deliveryId: string, options?: OnceOptions) =>
      operator("deliveries", "resend", { params: { deliveryId }, options })
  },
  /**
   * Holds everything against every rule, from the postings on; with `scope: "recent"` only what is new since the last audit
   * in the background. `ok` is false and `violations` are named where something does not hold.
   */
  audit: (query: QueryOf<Operator, "ledger", "audit"> = {}) =>
    operator("ledger", "audit", { query })
})

/** The hands of payers and banks in the simulated world. Without the sandbox PSP they all reject. */
const sandboxMethods = ({ sandbox }: Calls) => ({
  /** Answers when the payment is booked. */
  pay: (chargeId: string, payment: BodyOf<Simulated, "sandbox", "pay"> = {}) =>
    sandbox("sandbox", "pay", { params: { id: chargeId }, body: payment }),
  /** Somebody pays to the key itself, for no charge. */
  payKey: (payment: BodyOf<Simulated, "sandbox", "payKey"> = {}) =>
    sandbox("sandbox", "payKey", { body: payment }),
  /** The PSP gives a payment back by itself. */
  returnPayment: (endToEndId: string, money: BodyOf<Simulated, "sandbox", "returnPayment"> = {}) =>
    sandbox("sandbox", "returnPayment", { params: { endToEndId }, body: money }),
  /** Somebody reports fraud about a payment. */
  reportInfraction: (
    endToEndId: string,
    words: BodyOf<Simulated, "sandbox", "reportInfraction"> = {}
  ) => sandbox("sandbox", "reportInfraction", { params: { endToEndId }, body: words }),
  /** The report is decided. */
  decideInfraction: (id: string, end: BodyOf<Simulated, "sandbox", "decideInfraction">) =>
    sandbox("sandbox", "decideInfraction", { params: { id }, body: end }),
  expire: (chargeId: string) => sandbox("sandbox", "expire", { params: { id: chargeId } }),
  settleWithdrawal: (id: string, settlement: BodyOf<Simulated, "withdrawals", "settle">) =>
    sandbox("withdrawals", "settle", { params: { id }, body: settlement }),
  settleRefund: (
    pspRefundTransactionId: string,
    settlement: BodyOf<Simulated, "sandboxRefunds", "settle">
  ) =>
    sandbox("sandboxRefunds", "settle", {
      params: { id: pspRefundTransactionId },
      body: settlement
    }),
  /** Moves the time of the business; what became due has been worked off when it answers. */
  advance: (by: BodyOf<Simulated, "sandbox", "advance">) =>
    sandbox("sandbox", "advance", { body: by }),
  /** What the account at the PSP holds, once it is kept. */
  balance: () => sandbox("sandbox", "balance", {}),
  /** From now on it holds this, and what comes in and goes out counts: a payout waits where there is too little. */
  setBalance: (balance: BodyOf<Simulated, "sandbox", "setBalance">) =>
    sandbox("sandbox", "setBalance", { body: balance }),
  faults: () => sandbox("sandbox", "faults", {}),
  setFaults: (faults: BodyOf<Simulated, "sandbox", "setFaults">) =>
    sandbox("sandbox", "setFaults", { body: faults })
})
