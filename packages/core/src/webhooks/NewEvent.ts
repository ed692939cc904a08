import type { WalletId } from "../kernel/Ids.ts"

/** An event as a slice decides it, before it has a body. `data` is JSON as it goes over the wire. */
export interface NewEvent {
  readonly type: string
  readonly eventId: string
  readonly wallet: WalletId
  /** The reference of the sub-account it came from, null for the main account. */
  readonly subAccount: string | null
  readonly data: Readonly<Record<string, unknown>>
}
