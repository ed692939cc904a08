import type { WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Lookup } from "../ports/StorageDriver.ts"

/** By id, then the caller's reference, then the Idempotency-Key (spec, Endpoint rules 2); undefined for what is no name. */
export const lookupOf = (wallet: WalletId, name: string): Lookup | undefined => {
  // No name that was ever stored has a NUL, and not every storage can be asked for one.
  if (name.includes("\0")) return undefined
  const id = name.toLowerCase()
  return { _tag: "Name", wallet, name, ...(isUuid(id) ? { id } : {}) }
}
