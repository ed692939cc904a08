import { Context, Duration } from "effect"

/** What may be chosen, in days. An endpoint that fails is switched off after five, and what it missed must be there then. */
export const deliveriesKeptDays = { min: 7, max: 36_500, default: 90 } as const

/** How long a delivery is kept from when it was made, with all that was tried; one that is not over is kept longer. */
export const DeliveriesKept = Context.Reference<Duration.Duration>(
  "@pagora/core/workers/DeliveriesKept",
  { defaultValue: () => Duration.days(deliveriesKeptDays.default) }
)
