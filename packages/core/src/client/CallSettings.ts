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
