import { DateTime } from "effect"
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

/** Whose event it is. */
export const ownerOf = ({
  subAccount,
  wallet
}: {
  readonly wallet: WalletId
  readonly subAccount?: string | undefined
}): Pick<NewEvent, "wallet" | "subAccount"> => ({ wallet, subAccount: subAccount ?? null })

/** A time as events tell it. */
export const instant = (at: DateTime.Utc | undefined): string | undefined =>
  at === undefined ? undefined : DateTime.formatIso(at)
