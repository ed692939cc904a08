/** What every operation of a program has. It is plain data, so that a program can be kept, shrunk and repeated. */
interface Common {
  /** Names what it makes, its key and its reference. It stays the same when operations before it are left out. */
  readonly id: number
  /** Milliseconds of true time after the beginning of the one before; 0 is the same turn. */
  readonly after: number
  /** The place of the shop among those of the program. */
  readonly shop: number
  /** The wallet that is acted on: `principal`, or the reference of a sub-account. */
  readonly wallet: string
  /** The process that is asked first. */
  readonly process: number
}

/**
 * A wish for one of several things: the one at this place among those that there are when the operation begins, round and
 * round. Where there is none, nothing is done.
 */
export type Nth = number

/** The one that came to be last. */
export const newest: Nth = -1

/** Centavos. */
export type Amount = number

/** The operation whose Idempotency-Key is sent, mostly its own; without one no key is. */
interface Keyed {
  readonly key?: number
}

export const keyTypes = ["cpf", "cnpj", "email", "phone", "random"] as const
export const payings = ["right", "twice", "wrong", "late", "company"] as const
export const lookedAt = [
  "account",
  "transaction",
  "byReference",
  "byKey",
  "withdrawal",
  "endpoint",
  "return",
  "delivery",
  "operatorAccount",
  "revoked"
] as const
export const listed = [
  "transactions",
  "subAccounts",
  "projects",
  "blocks",
  "endpoints",
  "deliveries",
  "operatorAccounts",
  "operatorTransactions",
  "operatorEntries",
  "operatorBalances",
  "operatorBlocks",
  "operatorSubAccounts",
  "operatorCredentials",
  "operatorDeliveries",
  "operatorEndpoints",
  "reviews",
  "suspense",
  "discrepancies"
] as const
export const mistakes = [
  "noAmount",
  "negative",
  "decimals",
  "text",
  "badJson",
  "badKey",
  "badPixKey",
  "bothAmounts",
  "badReference",
  "unknownSubAccount",
  "unknownProject",
  "otherPsp",
  "wrongSecret",
  "wrongOperatorKey",
  "noToken",
  "noPermission",
  "unknownPath",
  "wrongMethod",
  "splitTooLarge",
  "sameWallet",
  "unknownRefund"
] as const

/** What can be done: tenants', operator's, payers' and the bank's part of a program. */
export type Operation = Common &
  (
    | ({
        readonly kind: "charge"
        readonly amount: Amount
        readonly expiresIn?: number
        readonly hasReference: boolean
        readonly payer?: boolean
        readonly project?: Nth
        readonly metadata?: boolean
        /** Percents of the amount for sub-accounts and the main one, in this order. */
        readonly split?: ReadonlyArray<{ readonly to: string; readonly percent: number }>
      } & Keyed)
    | {
        readonly kind: "pay"
        readonly charge: Nth
        readonly how: (typeof payings)[number]
        /** Only one that nobody has paid, as far as this program knows. */
        readonly isFresh: boolean
      }
    | ({ readonly kind: "cancel"; readonly charge: Nth; readonly isFresh: boolean } & Keyed)
    | ({
        readonly kind: "withdraw"
        /** Of the balance available as it was last seen; over 100 it is more than there is. */
        readonly percent: number
        /** So much instead, whatever there is. */
        readonly amount?: Amount
        readonly by: "amount" | "netAmount"
        readonly keyType: (typeof keyTypes)[number]
        readonly hasReference: boolean
        readonly holder?: boolean
        readonly project?: Nth
      } & Keyed)
    | {
        readonly kind: "settlePayout"
        readonly withdrawal: Nth
        readonly outcome: "completed" | "rejected" | "reversed"
      }
    | ({
        readonly kind: "refund"
        readonly charge: Nth
        readonly isPaid: boolean
        /** Of the charge; over 100 it is more than there is. Without it all that is left is asked for. */
        readonly percent?: number
      } & Keyed)
    | {
        readonly kind: "settleRefund"
        readonly refund: Nth
        readonly outcome: "confirmed" | "rejected"
      }
    | ({
        readonly kind: "transfer"
        readonly to: string
        readonly percent: number
        readonly hasReference: boolean
      } & Keyed)
    | ({
        readonly kind: "block"
        readonly charge: Nth
        readonly isPaid: boolean
        readonly blockType: "med" | "judicial" | "administrative"
        readonly percent?: number
      } & Keyed)
    | ({ readonly kind: "defend"; readonly block: Nth } & Keyed)
    | ({
        readonly kind: "resolve"
        readonly block: Nth
        readonly outcome: "approved" | "rejected"
        /** Of the block, where it is approved: so much goes back. */
        readonly percent?: number
      } & Keyed)
    | ({
        readonly kind: "adjust"
        readonly amount: Amount
        readonly bucket: "available" | "promotional"
      } & Keyed)
    | ({ readonly kind: "commission"; readonly amount: Amount; readonly source?: Nth } & Keyed)
    | ({ readonly kind: "openAccount" } & Keyed)
    | ({
        readonly kind: "openSubAccount"
        readonly reference: string
        /** In an account that the operator has opened beside the shop's own. */
        readonly other?: Nth
      } & Keyed)
    | {
        readonly kind: "changeSubAccount"
        readonly reference: string
        readonly change: "suspended" | "approved" | "closed" | "fees"
        readonly fee: Amount
      }
    | ({ readonly kind: "project"; readonly name: string } & Keyed)
    | {
        readonly kind: "changeAccount"
        /** One that the operator has opened beside the shop's own, and nothing is in. */
        readonly other?: Nth
        readonly change: "suspended" | "approved" | "closed" | "fees" | "limits" | "policy"
        readonly size: Amount
      }
    | ({ readonly kind: "issue"; readonly isFull: boolean } & Keyed)
    | { readonly kind: "revoke"; readonly credential: Nth }
    | ({ readonly kind: "endpoint"; readonly as: "tenant" | "operator" } & Keyed)
    | {
        readonly kind: "changeEndpoint"
        readonly as: "tenant" | "operator"
        readonly endpoint: Nth
        readonly change: "off" | "on" | "events" | "url"
      }
    | ({
        readonly kind: "rotate" | "testEndpoint" | "recover"
        readonly as: "tenant" | "operator"
        readonly endpoint: Nth
      } & Keyed)
    | {
        readonly kind: "removeEndpoint"
        readonly as: "tenant" | "operator"
        readonly endpoint: Nth
      }
    | ({
        readonly kind: "resend"
        readonly as: "tenant" | "operator"
        readonly delivery: Nth
      } & Keyed)
    /**
     * The operator looks at what waits for a person and decides one as it is at the bank; who is hasty calls failed what the bank is
     * at, too.
     */
    | ({ readonly kind: "review"; readonly review: Nth; readonly isHasty: boolean } & Keyed)
    | { readonly kind: "look"; readonly at: (typeof lookedAt)[number]; readonly nth: Nth }
    | { readonly kind: "list"; readonly what: (typeof listed)[number]; readonly limit: number }
    | { readonly kind: "audit"; readonly scope: "recent" | "complete" }
    /** What another operation sent, once more: the same, or another body with its key; of its shop, or of another wallet. */
    | {
        readonly kind: "again"
        readonly of: number
        readonly isAmended: boolean
        readonly isElsewhere: boolean
      }
    /** Somebody asks for what is another's: of another shop, or of another wallet of his. */
    | { readonly kind: "trespass"; readonly nth: Nth; readonly isOwnAccount: boolean }
    | { readonly kind: "mistake"; readonly mistake: (typeof mistakes)[number] }
  )

export type OperationKind = Operation["kind"]
export type OperationOf<Kind extends OperationKind> = Operation & { readonly kind: Kind }

/** What an operation costs, as the operator's API has it, but in centavos and hundredths of a percent. */
export interface FeeWish {
  readonly fixed?: Amount
  readonly basisPoints?: number
  readonly max?: Amount
}

/** A shop as it is before the first operation. */
export interface ProgramShop {
  readonly name: string
  readonly fees: {
    readonly payment?: FeeWish
    readonly withdrawal?: FeeWish
    readonly refund?: FeeWish
  }
  readonly limits: {
    readonly charge?: Amount
    readonly withdrawal?: Amount
    readonly daily?: Amount
  }
  readonly blocksCompanies: boolean
  /**
   * Where its charges go by rules, its default the second PSP: all to the first and to the second while that takes none, or a part
   * to each. Absent: to the deployment's usual one.
   */
  readonly routes?: "standIn" | "shares"
  readonly subAccounts: ReadonlyArray<string>
  readonly projects: ReadonlyArray<string>
  readonly endpoints: ReadonlyArray<{ readonly url: string; readonly wallet: string }>
  /** What each wallet is given, but these. */
  readonly funds: Amount
  readonly unfunded: ReadonlyArray<string>
  /** Nobody acts for it: nothing of it may ever move. */
  readonly isSpectator: boolean
}

/** Who there is, and what happens. Any operation can be left out, and the rest is a program still. */
export interface Program {
  readonly shops: ReadonlyArray<ProgramShop>
  readonly operations: ReadonlyArray<Operation>
}
