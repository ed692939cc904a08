import { Effect, Schema } from "effect"
import type { Accounts, SubAccountNotFound } from "../accounts/Accounts.ts"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import { feeOn } from "../accounts/Fees.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { StorageError } from "../units/Refused.ts"
import type { SplitLeg } from "./Split.ts"
import { askedOf } from "./Split.ts"

/** A leg as a caller asks for it: to a sub-account's reference or to `principal`. */
export interface NewSplitLeg {
  readonly subAccount: string
  readonly amount: Centavos
}

/** A wallet that a leg names may not be paid into any more, or not at the moment. */
export class SplitDestinationNotActive extends Schema.TaggedError<SplitDestinationNotActive>()(
  "SplitDestinationNotActive",
  { reference: Schema.String, status: Schema.String }
) {}

/** The legs together are more than what the charge brings in after its fee of now. */
export class SplitExceedsNet extends Schema.TaggedError<SplitExceedsNet>()("SplitExceedsNet", {
  asked: Schema.BigInt,
  fee: Schema.BigInt,
  net: Schema.BigInt
}) {}

export type SplitRefused = SubAccountNotFound | SplitDestinationNotActive | SplitExceedsNet

/** How many destinations are looked up at once. */
const lookupsMax = 5

const open = Effect.fnUntraced(function* (
  accounts: Accounts["Service"],
  acting: ActingWallet,
  reference: string
) {
  const destination = yield* accounts.acting(acting.account, reference)
  const subAccount = destination.subAccount?.value
  return subAccount === undefined || subAccount.status === "approved"
    ? destination
    : yield* new SplitDestinationNotActive(subAccount)
})

/** The wallets that the legs of a new charge name, every one of them open, and the legs fitting into the charge. */
export const splitFor = Effect.fnUntraced(function* (
  accounts: Accounts["Service"],
  acting: ActingWallet,
  request: { readonly amount: Centavos; readonly split?: ReadonlyArray<NewSplitLeg> }
): Effect.fn.Return<ReadonlyArray<SplitLeg> | undefined, SplitRefused | StorageError> {
  if (request.split === undefined) return undefined
  const found = yield* Effect.forEach(
    request.split,
    ({ subAccount }) => Effect.result(open(accounts, acting, subAccount)),
    { concurrency: lookupsMax }
  )
  // The first leg that is wrong is told, whatever is wrong with it: the order shows nothing of the others.
  const destinations = yield* Effect.forEach(found, Effect.fromResult)
  const legs = request.split.map(({ amount, subAccount: reference }, index) => ({
    wallet: walletOf(destinations[index] ?? acting),
    reference,
    amount
  }))
  const fees = acting.subAccount?.value.fees.payment ?? acting.account.value.fees.payment
  const fee = feeOn(fees, request.amount)
  const asked = askedOf(legs)
  const net = request.amount - fee
  return asked > net ? yield* new SplitExceedsNet({ asked, fee, net }) : legs
})
