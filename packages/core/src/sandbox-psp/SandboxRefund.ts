import type { DateTime } from "effect"
import { Schema } from "effect"
import { present } from "../kernel/Present.ts"
import { EndToEndId, ReturnId } from "../kernel/EndToEndId.ts"
import { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { CentavosString } from "../kernel/Money.ts"
import * as Kind from "../units/Kind.ts"
import type { PspRefund } from "../ports/Psp.ts"

/** Not the id of our return: the simulated PSP keeps books of its own. */
const SandboxRefundId = Uuid.pipe(Schema.brand("SandboxRefundId"))
type SandboxRefundId = typeof SandboxRefundId.Type

/** A return of a payment in the books of the simulated PSP. What came of it is final. */
export class SandboxRefund extends Schema.Class<SandboxRefund>(
  "@pagora/core/sandbox-psp/SandboxRefund"
)({
  id: SandboxRefundId,
  credential: PspCredentialId,
  reference: Schema.String,
  /** The payment that goes back, and the charge it was for. */
  endToEndId: EndToEndId,
  charge: Schema.String,
  status: Schema.Literals(["processing", "confirmed", "rejected"]),
  purpose: Schema.Literals(["requested", "automatic"]),
  amount: CentavosString,
  createdAt: Schema.DateTimeUtcFromString,
  /** Whether the notice of its status was accepted. There is none of `processing`. */
  isTold: Schema.Boolean,
  returnId: Schema.optionalKey(ReturnId),
  settledAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  rejection: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String }))
}) {}

/**
 * The column `status` says `untold` while a notice has to be sent, and `automatic` of a return under way that no
 * hand has to settle, so that those can be listed.
 */
export const SandboxRefundKind: Kind.Kind<SandboxRefund> = Kind.make({
  name: "sandbox_refund",
  table: "operation",
  schema: SandboxRefund,
  columns: (refund) => ({
    id: refund.id,
    account: refund.credential,
    wallet: null,
    status: columnOf(refund),
    amount: refund.amount
  })
})

const columnOf = ({ isTold, purpose, status }: SandboxRefund): string => {
  if (status === "processing") return purpose === "automatic" ? "automatic" : status
  return isTold ? status : "untold"
}

/** How a return ends, as a hand at the controls decides it. */
export type SandboxRefundOutcome = "confirmed" | "error"

/** What has to happen for a return to end like this; undefined where it cannot any more. */
export const stepTowards = (
  refund: SandboxRefund,
  outcome: SandboxRefundOutcome
): "nothing" | "confirm" | "reject" | undefined => {
  const target = outcome === "confirmed" ? "confirmed" : "rejected"
  if (refund.status === target) return "nothing"
  if (refund.status !== "processing") return undefined
  return outcome === "confirmed" ? "confirm" : "reject"
}

export const confirm = (
  refund: SandboxRefund,
  returnId: ReturnId,
  now: DateTime.Utc
): SandboxRefund =>
  new SandboxRefund({ ...refund, status: "confirmed", returnId, settledAt: now, isTold: false })

export const reject = (refund: SandboxRefund, now: DateTime.Utc): SandboxRefund =>
  new SandboxRefund({
    ...refund,
    status: "rejected",
    settledAt: now,
    rejection: {
      code: "REFUSED_BY_PAYER_BANK",
      message: "The bank of the payer refused the return."
    },
    isTold: false
  })

/** The notice of this status was accepted. */
export const told = (refund: SandboxRefund, status: SandboxRefund["status"]): SandboxRefund =>
  refund.status === status && !refund.isTold
    ? new SandboxRefund({ ...refund, isTold: true })
    : refund

export const toPspRefund = (refund: SandboxRefund): PspRefund => ({
  reference: refund.reference,
  endToEndId: refund.endToEndId,
  status: refund.status,
  amount: refund.amount,
  ...present({
    returnId: refund.returnId,
    settledAt: refund.settledAt,
    rejection: refund.rejection
  })
})
