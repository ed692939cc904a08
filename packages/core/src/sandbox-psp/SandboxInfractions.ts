import { DateTime, Effect } from "effect"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { idsAt, isUuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import type {
  PspDefence,
  PspInfraction,
  PspInfractionsPage,
  PspInfractionsQuery,
  PspOutcome,
  PspShape
} from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import { nothingThere, reject, spoiled } from "./SandboxAnswers.ts"
import type { SandboxBook } from "./SandboxBooks.ts"
import { forEachListed, makeBook, pageMax } from "./SandboxBooks.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import type { SandboxInfraction } from "./SandboxInfraction.ts"
import {
  answered,
  isTooLate,
  SandboxInfractionKind,
  told,
  toPspInfraction
} from "./SandboxInfraction.ts"
import type { SandboxNotice, UntoldNotices } from "./SandboxNotices.ts"
import { writeInfraction } from "./SandboxNotification.ts"

/** The reports of fraud that the simulated PSP knows of. */
export type SandboxInfractions = SandboxBook<SandboxInfraction>

export const makeInfractions = (credential: PspCredentialId) =>
  makeBook({ credential, kind: SandboxInfractionKind, space: "sandbox_infraction" })

/** The calls about infractions, each of which the faults may spoil. */
export const makeInfractionCalls = (
  infractions: SandboxInfractions,
  faults: SandboxFaults
): Pick<PspShape, "findInfraction" | "listInfractions" | "defendInfraction"> => {
  const find = (id: string) =>
    Effect.map(infractions.find(id), (found) =>
      found === undefined ? undefined : toPspInfraction(found.value)
    )
  return {
    findInfraction: Effect.fn("SandboxPsp.findInfraction")((id) =>
      spoiled<PspInfraction | undefined>(faults, "findInfraction", find(id), nothingThere)
    ),
    defendInfraction: Effect.fn("SandboxPsp.defendInfraction")((defence) =>
      spoiled<PspInfraction>(faults, "defendInfraction", defendIn(infractions)(defence))
    ),
    listInfractions: Effect.fn("SandboxPsp.listInfractions")((query) =>
      spoiled<PspInfractionsPage>(faults, "listInfractions", listIn(infractions)(query), emptyPage)
    )
  }
}

const defendIn = (infractions: SandboxInfractions) =>
  Effect.fnUntraced(function* ({ answer, id }: PspDefence) {
    const next = yield* infractions.change(id, (infraction, now) => {
      if (infraction.answer === answer) return Effect.succeed({ entry: infraction })
      return infraction.status !== "open" || infraction.answer !== undefined
        ? reject("ANSWERED", "The infraction was answered, or decided.")
        : isTooLate(infraction, now)
          ? reject("TOO_LATE", "The time to answer the infraction is over.")
          : Effect.succeed({ entry: answered(infraction, answer) })
    })
    if (next === undefined) return yield* reject("UNKNOWN", "There is no such infraction.")
    return toPspInfraction(next.value)
  })

const listIn = (infractions: SandboxInfractions) =>
  Effect.fnUntraced(function* ({ cursor, from, to }: PspInfractionsQuery) {
    if (cursor !== undefined && !isUuid(cursor))
      return yield* reject("INVALID_CURSOR", "The cursor is none that a page has named.")
    const page = yield* infractions.list(undefined, cursor ?? idsAt(from).first)
    const inTime = page.filter(({ value }) => DateTime.isLessThan(value.reportedAt, to))
    const next: Uuid | undefined = inTime.length === pageMax ? inTime.at(-1)?.value.id : undefined
    return {
      infractions: inTime.map(({ value }) => toPspInfraction(value)),
      ...present({ next })
    }
  })

/** The lie that nothing was reported. */
const emptyPage = ({
  infractions
}: PspInfractionsPage): PspOutcome<PspInfractionsPage> | undefined =>
  infractions.length === 0 ? undefined : done({ infractions: [] })

/** The notice that somebody reported one, or that it was decided. */
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
