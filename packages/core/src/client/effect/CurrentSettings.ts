import { Context, Effect } from "effect"
import type { CallSettings } from "../CallSettings.ts"

export const CurrentSettings = Context.Reference<CallSettings>(
  "@pagora/core/client/CurrentSettings",
  { defaultValue: () => ({}) }
)

/**
 * Makes the calls inside with this Idempotency-Key and on this sub-account. A key names one POST: put it around one.
 *
 * ```ts
 * client.withdrawals.create({ payload }).pipe(withSettings({ idempotencyKey: `payout-${order.id}` }))
 * ```
 */
export const withSettings =
  (settings: CallSettings) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(CurrentSettings, (outer) =>
      Effect.provideService(effect, CurrentSettings, { ...outer, ...settings })
    )
