import type { WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import type { Lookup } from "../ports/StorageDriver.ts"

/** By id, then the caller's reference, then the Idempotency-Key (spec, Endpoint rules 2). */
export const lookupsOf = (wallet: WalletId, name: string): ReadonlyArray<Lookup> => {
  // No name that was ever stored has a NUL, and not every storage can be asked for one.
  if (name.includes("\0")) return []
  const id = name.toLowerCase()
  return [
    ...(isUuid(id) ? [{ _tag: "Id", wallet, id } as const] : []),
    { _tag: "Ref", wallet, ref: name },
    { _tag: "IdempotencyKey", wallet, key: name }
  ]
}
