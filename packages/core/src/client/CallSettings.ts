import { Context, Effect } from "effect"

/** What one call says beside its request. */
export interface CallSettings {
  /**
   * Names what a POST does, 8 to 255 characters: the service does it once for 24 hours, however often it is
   * asked. Without one the client makes one up for each call.
   */
  readonly idempotencyKey?: string
  /** The reference of a sub-account, or `principal` for the main account. */
  readonly subAccount?: string
}

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
