import { Schema } from "effect"
import { WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString, min, sum } from "../kernel/Money.ts"

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

const zero = 0n as Centavos

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
  const excess = sum(open) - net
  let missing = (excess > 0n ? excess : 0n) as Centavos
  return legs.map((leg, index) => {
    const asked = open[index] ?? zero
    const cut = min(missing, asked)
    missing = (missing - cut) as Centavos
    return { ...leg, applied: (asked - cut) as Centavos }
  })
}
