import type { NewPspPayout } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { isPayable, isReference } from "@pagora/core/psp"

/** What no bank can be asked to send. */
export const payoutRefusal = ({
  amount,
  reference
}: NewPspPayout): PspOutcome<never> | undefined => {
  if (!isReference(reference))
    return PspOutcome.rejected(
      "invalid_reference",
      "A payout has an id of 26 to 35 letters and digits."
    )
  return isPayable(amount)
    ? undefined
    : PspOutcome.rejected("invalid_amount", "The amount cannot be sent by Pix.")
}
