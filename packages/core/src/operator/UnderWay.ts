import { DateTime } from "effect"

/** Why something cannot be called failed yet; `says` is how it is by the PSP's own word. */
export const underWay = (
  resource: "withdrawal" | "refund" | "return",
  code: `${string}_UNDER_WAY`,
  { says, until }: { readonly until: DateTime.Utc; readonly says?: string }
) => {
  const value = DateTime.formatIso(until)
  const message =
    says === undefined
      ? `The PSP was told of this ${resource} so lately that it may still do it. Call it failed after ${value}, if it is not at the PSP then.`
      : `The PSP says that this ${resource} is ${says}, and it ends by what the PSP says. Call it failed after ${value}, if the PSP is still wrong then.`
  return { message, code, details: { resource, field: "sentAt", value } }
}
