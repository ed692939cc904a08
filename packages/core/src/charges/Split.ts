import { Schema } from "effect"
import { WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString, max, min, minus, sum, zero } from "../kernel/Money.ts"

/** A part of a charge that goes to another wallet of the account. */
export const SplitLeg = Schema.Struct({
  wallet: WalletId,
  /** The reference of the sub-account, or `principal`, as the caller named it. */
  reference: Schema.String,
  amount: CentavosString,
  /** What the wallet got of it; there once the charge is paid. */
  applied: Schema.optionalKey(CentavosString)
})
export type SplitLeg = typeof SplitLeg.Type

/** A leg after its charge was paid. */
export interface AppliedLeg extends SplitLeg {
  readonly applied: Centavos
}

/** What the legs ask for together. */
export const askedOf = (legs: ReadonlyArray<SplitLeg>): Centavos =>
  sum(legs.map(({ amount }) => amount))

/**
 * What each leg gets of the net amount (spec, Split; decision 0025). A leg to a closed wallet gets nothing. Where the
 * others do not fit, the first leg is cut first, to zero, then the next. The rest is the charge's owner's.
 */
export const distribute = (
  legs: ReadonlyArray<SplitLeg>,
  net: Centavos,
  closed: ReadonlySet<WalletId>
): ReadonlyArray<AppliedLeg> => {
  const open = legs.map(({ amount, wallet }) => (closed.has(wallet) ? zero : amount))
  let missing = max(minus(sum(open), net), zero)
  return legs.map((leg, index) => {
    const asked = open[index] ?? zero
    const cut = min(missing, asked)
    missing = minus(missing, cut)
    return { ...leg, applied: minus(asked, cut) }
  })
}
