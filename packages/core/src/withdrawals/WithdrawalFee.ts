import { Result, Schema } from "effect"
import type { FeeSchedule } from "../accounts/Fees.ts"
import { feeOn } from "../accounts/Fees.ts"
import { Centavos, bacenAmountMax, minus } from "../kernel/Money.ts"

/** What a withdrawal is asked for in: what the wallet pays, or what the recipient gets. */
export type AskedAmount = { readonly amount: Centavos } | { readonly netAmount: Centavos }

export interface GrossAndFee {
  readonly amount: Centavos
  readonly feeAmount: Centavos
}

/** The fee leaves the recipient nothing. */
export class AmountBelowFee extends Schema.TaggedError<AmountBelowFee>()("AmountBelowFee", {
  feeAmount: Centavos
}) {}

/** No gross amount leaves exactly this net: the fee takes everything, or the gross would be out of bounds. */
export class NetAmountUnreachable extends Schema.TaggedError<NetAmountUnreachable>()(
  "NetAmountUnreachable",
  {}
) {}

/**
 * Gross and fee of a withdrawal. For a net amount it is the smallest gross that leaves exactly that net.
 *
 * One centavo more of gross raises the fee by nothing or by one centavo, because no rate is over 100 %. So the net
 * grows by one or stays, never jumps, and a binary search finds every net there is.
 */
export const grossAndFee = (
  schedule: FeeSchedule | undefined,
  asked: AskedAmount
): Result.Result<GrossAndFee, AmountBelowFee | NetAmountUnreachable> => {
  if ("amount" in asked) {
    const feeAmount = feeOn(schedule, asked.amount)
    return feeAmount < asked.amount
      ? Result.succeed({ amount: asked.amount, feeAmount })
      : Result.fail(new AmountBelowFee({ feeAmount }))
  }
  const netOf = (gross: bigint) => gross - feeOn(schedule, gross as Centavos)
  let low: bigint = asked.netAmount
  let high: bigint = bacenAmountMax
  if (low > high || netOf(high) < asked.netAmount) return Result.fail(new NetAmountUnreachable())
  while (low < high) {
    const middle = (low + high) / 2n
    if (netOf(middle) >= asked.netAmount) high = middle
    else low = middle + 1n
  }
  const amount = low as Centavos
  return Result.succeed({ amount, feeAmount: minus(amount, asked.netAmount) })
}
