import { Effect } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { PspInfraction, PspShape } from "../ports/Psp.ts"
import { nothingThere, spoiled } from "./SandboxAnswers.ts"
import type { SandboxBook } from "./SandboxBooks.ts"
import { forEachListed, makeBook } from "./SandboxBooks.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import type { SandboxInfraction } from "./SandboxInfraction.ts"
import { SandboxInfractionKind, told, toPspInfraction } from "./SandboxInfraction.ts"
import type { SandboxNotice, UntoldNotices } from "./SandboxNotices.ts"
import { writeInfraction } from "./SandboxNotification.ts"

/** The reports of fraud that the simulated PSP knows of. */
export type SandboxInfractions = SandboxBook<SandboxInfraction>

export const makeInfractions = (credential: PspCredentialId) =>
  makeBook({ credential, kind: SandboxInfractionKind, space: "sandbox_infraction" })

/** The call about infractions, which the faults may spoil. */
export const makeInfractionCalls = (
  infractions: SandboxInfractions,
  faults: SandboxFaults
): Pick<PspShape, "findInfraction"> => {
  const find = (id: string) =>
    Effect.map(infractions.find(id), (found) =>
      found === undefined ? undefined : toPspInfraction(found.value)
    )
  return {
    findInfraction: Effect.fn("SandboxPsp.findInfraction")((id) =>
      spoiled<PspInfraction | undefined>(faults, "findInfraction", find(id), nothingThere)
    )
  }
}

/** The notice that somebody reported one. */
export const noticeOf = (
  infractions: SandboxInfractions,
  infraction: SandboxInfraction
): SandboxNotice => ({
  amount: infraction.amount,
  write: (amount) => writeInfraction({ ...infraction, amount }),
  accepted: infractions.change(infraction.reference, (now) => Effect.succeed({ entry: told(now) }))
})

/** Of every infraction whose notice was not accepted yet. */
export const untoldOf =
  (infractions: SandboxInfractions): UntoldNotices =>
  (send) =>
    forEachListed(infractions, "untold", (page) =>
      send(page.map(({ value }) => noticeOf(infractions, value)))
    )
