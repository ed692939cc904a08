import { DateTime, Duration, Schema } from "effect"
import { EndToEndId } from "../kernel/EndToEndId.ts"
import { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { CentavosString } from "../kernel/Money.ts"
import type { PspDefence, PspInfraction } from "../ports/Psp.ts"
import * as Kind from "../units/Kind.ts"

/** A report of fraud about a payment in the books of the simulated PSP. */
export class SandboxInfraction extends Schema.Class<SandboxInfraction>(
  "@pagora/core/sandbox-psp/SandboxInfraction"
)({
  id: Uuid,
  credential: PspCredentialId,
  reference: Schema.String,
  endToEndId: EndToEndId,
  status: Schema.Literals(["open", "accepted", "rejected", "cancelled"]),
  amount: CentavosString,
  reportedAt: Schema.DateTimeUtcFromString,
  reason: Schema.String,
  /** What the receiver has said to it. */
  answer: Schema.optionalKey(Schema.Literals(["agree", "disagree"])),
  /** Whether its notice was accepted. */
  isTold: Schema.Boolean
}) {}

/** The column `status` says `untold` while a notice has to be sent, so that those can be listed. */
export const SandboxInfractionKind: Kind.Kind<SandboxInfraction> = Kind.make({
  name: "sandbox_infraction",
  table: "operation",
  schema: SandboxInfraction,
  columns: (infraction) => ({
    id: infraction.id,
    account: infraction.credential,
    wallet: null,
    status: infraction.isTold ? infraction.status : "untold",
    amount: infraction.amount
  })
})

/** Its notice was accepted. */
export const told = (infraction: SandboxInfraction): SandboxInfraction =>
  infraction.isTold ? infraction : new SandboxInfraction({ ...infraction, isTold: true })

/** The other side's bank has decided, which is told again. */
export const decided = (
  infraction: SandboxInfraction,
  status: Exclude<PspInfraction["status"], "open">
): SandboxInfraction => new SandboxInfraction({ ...infraction, status, isTold: false })

/** The receiver has answered it. */
export const answered = (
  infraction: SandboxInfraction,
  answer: PspDefence["answer"]
): SandboxInfraction => new SandboxInfraction({ ...infraction, answer })

export const toPspInfraction = (infraction: SandboxInfraction): PspInfraction => ({
  id: infraction.reference,
  endToEndId: infraction.endToEndId,
  status: infraction.status,
  amount: infraction.amount,
  reportedAt: infraction.reportedAt,
  reason: infraction.reason,
  answerUntil: DateTime.addDuration(infraction.reportedAt, answerWithin),
  isAnswered: infraction.answer !== undefined
})

/** So long a report may be answered (BACEN, MED). */
const answerWithin = Duration.days(7)

/** Whether its answer comes too late. */
export const isTooLate = ({ reportedAt }: SandboxInfraction, now: DateTime.Utc): boolean =>
  DateTime.isGreaterThan(now, DateTime.addDuration(reportedAt, answerWithin))
