import type { Payment } from "./Payment.ts"
import type { Payout } from "./Payout.ts"
import { settlePayout } from "./Payouts.ts"
import { returnNamed, settleReturn } from "./Returns.ts"
import type { World } from "./World.ts"

/** What a bank does by itself with what it has taken. */
export interface Settling {
  readonly payout: (payout: Payout) => void
  readonly back: (payment: Payment, id: string) => void
}

/** Ends what is under way well, so much later; by hand alone, where no time is told. */
export const makeSettling = (world: World, millis: number | undefined): Settling => {
  if (millis === undefined) return { payout: () => undefined, back: () => undefined }
  return {
    payout: (payout) =>
      world.clock.later(millis, () => {
        if (payout.status === "processing") settlePayout(world, payout, "completed")
      }),
    back: (payment, id) =>
      world.clock.later(millis, () => {
        const { back } = returnNamed(world, id, payment.endToEndId)
        if (back.status === "EM_PROCESSAMENTO") settleReturn(world, payment, back, "DEVOLVIDO")
      })
  }
}
