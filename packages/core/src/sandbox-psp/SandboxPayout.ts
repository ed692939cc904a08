import type { DateTime } from "effect"
import { Schema } from "effect"
import { present } from "../kernel/Present.ts"
import { EndToEndId, ReturnId } from "../kernel/EndToEndId.ts"
import { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { CentavosString } from "../kernel/Money.ts"
import { PixKey } from "../kernel/PixKey.ts"
import * as Kind from "../units/Kind.ts"
import type { PspPayout } from "../ports/Psp.ts"

/** Not the id of our withdrawal: the simulated PSP keeps books of its own. */
const SandboxPayoutId = Uuid.pipe(Schema.brand("SandboxPayoutId"))
type SandboxPayoutId = typeof SandboxPayoutId.Type

/** A payout in the books of the simulated PSP: the truth of what was sent. Its status only moves forward. */
export class SandboxPayout extends Schema.Class<SandboxPayout>(
  "@pagora/core/sandbox-psp/SandboxPayout"
)({
  id: SandboxPayoutId,
  credential: PspCredentialId,
  reference: Schema.String,
  status: Schema.Literals(["processing", "completed", "rejected", "reversed"]),
  amount: CentavosString,
  pixKey: PixKey,
  recipient: Schema.Struct({ name: Schema.String, document: Schema.String }),
  createdAt: Schema.DateTimeUtcFromString,
  /** Whether the notice of its status was accepted. There is none of `processing`. */
  isTold: Schema.Boolean,
  endToEndId: Schema.optionalKey(EndToEndId),
  settledAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  rejection: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
  reversal: Schema.optionalKey(
    Schema.Struct({
      returnId: ReturnId,
      at: Schema.DateTimeUtcFromString,
      code: Schema.String
    })
  )
}) {}

/** The column `status` says `untold` while a notice has to be sent, so that those payouts can be listed. */
export const SandboxPayoutKind: Kind.Kind<SandboxPayout> = Kind.make({
  name: "sandbox_payout",
  table: "operation",
  schema: SandboxPayout,
  columns: (payout) => ({
    id: payout.id,
    account: payout.credential,
    wallet: null,
    status: payout.status === "processing" || payout.isTold ? payout.status : "untold",
    amount: payout.amount
  })
})

/** How a payout ends, as a hand at the controls decides it. `reversed`: completed, and then the money came back. */
export type SandboxPayoutOutcome =
  | { readonly _tag: "completed" }
  | { readonly _tag: "failed"; readonly reason?: string }
  | { readonly _tag: "reversed"; readonly reason?: string }

/** What has to happen next for a payout to end like this; undefined where it cannot any more. */
export const stepTowards = (
  payout: SandboxPayout,
  outcome: SandboxPayoutOutcome["_tag"]
): "nothing" | "complete" | "reject" | "reverse" | undefined => {
  if (payout.status === statuses[outcome]) return "nothing"
  if (payout.status === "processing") return outcome === "failed" ? "reject" : "complete"
  return payout.status === "completed" && outcome === "reversed" ? "reverse" : undefined
}

const statuses = { completed: "completed", failed: "rejected", reversed: "reversed" } as const

export const complete = (
  payout: SandboxPayout,
  endToEndId: EndToEndId,
  now: DateTime.Utc
): SandboxPayout =>
  new SandboxPayout({ ...payout, status: "completed", endToEndId, settledAt: now, isTold: false })

export const reject = (
  payout: SandboxPayout,
  reason: string | undefined,
  now: DateTime.Utc
): SandboxPayout =>
  new SandboxPayout({
    ...payout,
    status: "rejected",
    settledAt: now,
    rejection: {
      code: "REFUSED_BY_RECEIVER",
      message: reason ?? "The bank of the receiver refused the payment."
    },
    isTold: false
  })

export const reverse = (
  payout: SandboxPayout,
  reversal: NonNullable<SandboxPayout["reversal"]>
): SandboxPayout => new SandboxPayout({ ...payout, status: "reversed", reversal, isTold: false })

/** The notice of this status was accepted. That of an earlier one says nothing about what came after it. */
export const told = (payout: SandboxPayout, status: SandboxPayout["status"]): SandboxPayout =>
  payout.status === status && !payout.isTold
    ? new SandboxPayout({ ...payout, isTold: true })
    : payout

export const toPspPayout = (payout: SandboxPayout): PspPayout => ({
  reference: payout.reference,
  pspReference: payout.id,
  status: payout.status,
  amount: payout.amount,
  recipient: payout.recipient,
  ...present({
    endToEndId: payout.endToEndId,
    settledAt: payout.settledAt,
    rejection: payout.rejection,
    reversal: payout.reversal
  })
})
