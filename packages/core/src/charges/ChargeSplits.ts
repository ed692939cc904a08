import { Effect } from "effect"
import type { Accounts, SubAccountNotFound } from "../accounts/Accounts.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { NotActive } from "../accounts/NotActive.ts"
import { mayStart } from "../accounts/NotActive.ts"
import type { WalletId } from "../kernel/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import type { NewCharge, SplitExceedsNet } from "./NewCharge.ts"

export type SplitRefused = SubAccountNotFound | NotActive | SplitExceedsNet

/** How many destinations are looked up at once. */
const lookupsMax = 5

const open = Effect.fnUntraced(function* (
  accounts: Accounts["Service"],
  acting: ActingWallet,
  reference: string
) {
  const destination = yield* accounts.acting(acting.account, reference)
  yield* Effect.fromResult(mayStart({ subAccount: destination.subAccount?.value }, "split"))
  return destination
})

/** The wallets that the legs of a new charge name, every one of them open. */
export const destinationsOf = Effect.fnUntraced(function* (
  accounts: Accounts["Service"],
  acting: ActingWallet,
  { split }: NewCharge
): Effect.fn.Return<ReadonlyArray<WalletId>, SubAccountNotFound | NotActive | StorageError> {
  if (split === undefined) return []
  const found = yield* Effect.forEach(
    split,
    ({ subAccount }) => Effect.result(open(accounts, acting, subAccount)),
    { concurrency: lookupsMax }
  )
  // The first leg that is wrong is told, whatever is wrong with it: the order shows nothing of the others.
  const destinations = yield* Effect.forEach(found, Effect.fromResult)
  return destinations.map(walletOf)
})
