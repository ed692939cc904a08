import type { DateTime } from "effect"
import type { WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { min, minus, plus, sum } from "../kernel/Money.ts"

/**
 * What a wallet holds. `lien` is what balance blocks claim of `available`, now or from later credits:
 * it is shown as held up to what is there, and it can be larger than what is there.
 */
export interface Wallet {
  readonly id: WalletId
  readonly available: Centavos
  readonly held: Centavos
  readonly promotional: Centavos
  readonly lien: Centavos
  readonly updatedAt: DateTime.Utc
}

/** The four figures that the API shows; `total` is their sum. */
export interface ShownBalance {
  readonly available: Centavos
  readonly held: Centavos
  readonly promotional: Centavos
  readonly total: Centavos
}

/** Moves what a lien covers from available to held, for the eye only. */
export const shown = (wallet: Wallet): ShownBalance => {
  const covered = min(wallet.lien, wallet.available)
  return {
    available: minus(wallet.available, covered),
    held: plus(wallet.held, covered),
    promotional: wallet.promotional,
    total: sum([wallet.available, wallet.held, wallet.promotional])
  }
}
