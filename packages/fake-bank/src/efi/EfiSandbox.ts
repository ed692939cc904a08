import type { Charge } from "../world/Charge.ts"
import { isPayable } from "../world/Charges.ts"
import type { Payout } from "../world/Payout.ts"
import { payCharge } from "../world/Payments.ts"
import { returnPayout, settlePayout } from "../world/Payouts.ts"
import type { World } from "../world/World.ts"
import { unlessRefused } from "../world/World.ts"

// What Efí's sandbox does by the amount (EFI-HOOK and its developers' page on Pix-out): a charge of up to 10.00 is paid, another
// stays active; a Pix-out of up to 10.00 is done, one of up to 20.00 is refused by callback, a larger one at once; of 4.00 two
// parts come back, of 5.00 one.

const paysUpTo = 1000
const refusesUpTo = 2000

/** The sandbox takes a moment for what it does. */
const momentMillis = 1000

export interface EfiSandbox {
  readonly onCharge: (charge: Charge) => void
  readonly onPayout: (payout: Payout) => void
  readonly refusesAtOnce: (centavos: number) => boolean
}

export const efiSandbox = (world: World): EfiSandbox => ({
  onCharge: (charge) => {
    if (charge.terms.centavos > paysUpTo) return
    world.clock.later(momentMillis, () => {
      // The settings may take no money of whoever pays here.
      if (isPayable(world, charge)) unlessRefused(() => payCharge(world, charge))
    })
  },
  onPayout: (payout) => {
    world.clock.later(momentMillis, () => {
      if (payout.status === "processing") settleByAmount(world, payout)
    })
  },
  refusesAtOnce: (centavos) => centavos > refusesUpTo
})

const settleByAmount = (world: World, payout: Payout) => {
  const { centavos } = payout
  if (centavos > paysUpTo) return settlePayout(world, payout, "failed")
  settlePayout(world, payout, "completed")
  const parts = centavos === 400 ? [200, 200] : centavos === 500 ? [500] : []
  parts.forEach((part) => returnPayout(world, payout, part))
}
