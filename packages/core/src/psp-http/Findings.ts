import { Effect } from "effect"
import type { PspFinding } from "../ports/Psp.ts"
import type { Asked } from "./Asked.ts"

export type Findings = ReadonlyArray<PspFinding>

export const finding = (name: string, state: PspFinding["state"], message: string): PspFinding => ({
  name,
  state,
  message
})

/** What a finding says to do where notifications are not set up at the PSP. */
export const toPrepare = "prepare the PSP (pagora psp setup, with --kept where it is kept)"

/** What is found where nobody could look: why, and what to do about it. */
export const orFinding =
  (name: string, state: PspFinding["state"], what: string, toDo: string) =>
  (findings: Asked<Findings>): Effect.Effect<Findings> =>
    Effect.catch(findings, (outcome) => {
      const why = outcome._tag === "Rejected" ? outcome.message : outcome.detail
      return Effect.succeed([finding(name, state, `${what} (${why}): ${toDo}.`)])
    })
