import { Effect, Schema } from "effect"
import type { Account } from "../accounts/Account.ts"
import type { ChosenPsp, PspGone } from "../accounts/AccountPsps.ts"
import { usualPsp } from "../accounts/AccountPsps.ts"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type { FindPspPayout, PspDirectory, PspShape } from "../ports/Psp.ts"
import type { Withdrawal } from "./Withdrawal.ts"

/** No PSP that the account uses sends money. */
export class PayoutsNotOffered extends Schema.TaggedError<PayoutsNotOffered>()(
  "PayoutsNotOffered",
  {}
) {}

const sendsMoney = ({ capabilities }: PspShape): boolean => capabilities.payouts !== "none"

/** The PSP of a new payout: the account's usual one, or the first of its others that sends money. */
export const payoutPsp = Effect.fnUntraced(function* (
  directory: PspDirectory["Service"],
  account: Account
): Effect.fn.Return<ChosenPsp, PspGone | PayoutsNotOffered> {
  const usual = yield* usualPsp(directory, account)
  if (sendsMoney(usual.psp)) return usual
  for (const id of account.psps?.allowed ?? []) {
    const psp = directory.find(id)
    if (psp !== undefined && sendsMoney(psp)) return { id, psp }
  }
  return yield* new PayoutsNotOffered()
})

/** By what its PSP is asked for a payout. */
export const askedFor = ({ pspReference, reference }: Withdrawal): FindPspPayout => ({
  reference,
  ...present({ pspReference })
})

/**
 * Whose work a payout is in its queue: that of its account, so that no account waits for another; or that of its PSP, where
 * that takes only so many at once.
 */
export const payoutGroup = (
  { account, pspCredentialId }: Pick<Withdrawal, "account" | "pspCredentialId">,
  psp: PspShape | undefined
): Uuid => (psp?.capabilities.payoutsAtOnce === undefined ? account : pspCredentialId)

/** How many payouts may be under way to each PSP that takes only so many at once, over all processes. */
export const payoutBounds = ({
  all,
  find
}: PspDirectory["Service"]): ReadonlyArray<{
  readonly group: PspCredentialId
  readonly max: number
}> =>
  all.flatMap((group) => {
    const max = find(group)?.capabilities.payoutsAtOnce
    return max === undefined ? [] : [{ group, max }]
  })
