import { DateTime } from "effect"

/** Why something cannot be called failed yet. */
export const underWay = (
  resource: "withdrawal" | "refund" | "return",
  code: `${string}_UNDER_WAY`,
  until: DateTime.Utc
) => ({
  message: `The PSP was told of this ${resource} so lately that it may still do it. Call it failed after ${DateTime.formatIso(until)}, if it is not at the PSP then.`,
  code,
  details: { resource, field: "sentAt", value: DateTime.formatIso(until) }
})
