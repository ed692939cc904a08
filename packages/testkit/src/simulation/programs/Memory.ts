import type { Asked, KnownCredential } from "./Asked.ts"
import type { ProgramShop } from "./Operation.ts"

/** Something that a shop was told of, as it was when it was last seen. */
export interface Known {
  readonly id: string
  readonly wallet: string
  /** Centavos; 0 where there is no amount. */
  readonly amount: number
  status: string
}

export interface KnownCharge extends Known {
  /** When its time ends, as it was told. */
  readonly expiresAt: number
  /** Whether somebody went to pay it. */
  isVisited: boolean
}

/** What one shop and its operator remember. */
export class KnownShop {
  readonly index: number
  readonly shop: ProgramShop
  /** The id of its account; empty until it was told. */
  id = ""
  readonly credentials: Array<KnownCredential> = []
  readonly charges: Array<KnownCharge> = []
  readonly withdrawals: Array<Known> = []
  /** Under the ids of the returns. */
  readonly refunds: Array<Known> = []
  /** Of charges, by them. */
  readonly refunded = new Map<string, string>()
  readonly transfers: Array<Known> = []
  /** Adjustments and commissions. */
  readonly bookings: Array<Known> = []
  readonly blocks: Array<Known> = []
  readonly endpoints: Array<Known> = []
  readonly deliveries: Array<Known & { readonly endpoint: string }> = []
  readonly projects: Array<Known> = []
  readonly returns: Array<Known> = []
  /** By their references. */
  readonly subAccounts = new Map<string, Known>()
  /** What each wallet had available when it was last looked at. */
  readonly available = new Map<string, number>()

  constructor(index: number, shop: ProgramShop) {
    this.index = index
    this.shop = shop
  }

  /** The credential of a request: the first one mostly, which nobody revokes. */
  credentialFor(operation: number): KnownCredential | undefined {
    const good = this.credentials.filter(({ isFull, isRevoked }) => isFull && !isRevoked)
    return operation % 4 === 3 ? good.at(-1) : good[0]
  }
}

/** The one at a place, round and round. */
export const nthOf = <A>(all: ReadonlyArray<A>, nth: number): A | undefined =>
  all.length === 0 ? undefined : all.at(nth % all.length)

/** An account that nobody has a shop in. */
export interface KnownAccount {
  readonly id: string
  /** What its owner acts with, once the operator has issued it. */
  credential?: KnownCredential
}

/** What all of them together know. */
export class Memory {
  readonly shops: ReadonlyArray<KnownShop>
  /** Accounts that were opened beside those of the shops. */
  readonly accounts: Array<KnownAccount> = []
  /** The first request of each operation, so that it can be sent again. */
  readonly sent = new Map<number, Asked>()

  constructor(shops: ReadonlyArray<ProgramShop>) {
    this.shops = shops.map((shop, index) => new KnownShop(index, shop))
  }
}
