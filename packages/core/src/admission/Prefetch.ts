import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Accounts } from "../accounts/Accounts.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { referencePattern } from "../accounts/SubAccount.ts"
import type { Caller } from "../auth/Auth.ts"
import type { IdempotencyKeys } from "../idempotency/IdempotencyKeys.ts"
import type { BeginReads } from "../storage/BegunReads.ts"
import type { Storage } from "../storage/Storage.ts"
import { keyScope } from "./KeyScope.ts"

// What is asked for in the same turn as who is asking, before it is known how he stands now. It only reads.

/**
 * What endpoints rest on beside their caller, by method and path: it is asked for together with who is asking, whatever
 * becomes of the request then. So it only reads, and only what belongs to the wallet.
 */
export const EndpointPrefetches = Context.Reference<ReadonlyMap<string, BeginReads<unknown>>>(
  "@pagora/core/admission/EndpointPrefetches",
  { defaultValue: () => new Map() }
)

/** The wallet of X-Sub-Account, where it may be asked for. */
export const beginWallet = (
  accounts: Accounts["Service"],
  { account, credential }: Caller,
  header: string | undefined
) =>
  header === undefined || (credential.subAccountAccess && referencePattern.test(header))
    ? accounts.beginActing(account, header)
    : Effect.undefined

/** What became of the Idempotency-Key of a request. */
export const beginKey = (
  keys: IdempotencyKeys["Service"],
  request: HttpServerRequest.HttpServerRequest,
  acting: ActingWallet
) => {
  const scope = request.method === "POST" ? keyScope(request, walletOf(acting)) : undefined
  return scope === undefined
    ? Effect.undefined
    : Effect.map(keys.begin(scope), (record) => ({ wallet: scope.wallet, record }))
}

/** What the endpoint rests on; `begin` is undefined where that is its caller alone. */
export const beginReads = (
  storage: Storage["Service"],
  begin: BeginReads<unknown> | undefined,
  acting: ActingWallet
) => {
  const wallet = walletOf(acting)
  return begin === undefined
    ? Effect.undefined
    : Effect.map(begin(storage, wallet), (begun) => ({ begin, wallet, begun }))
}
