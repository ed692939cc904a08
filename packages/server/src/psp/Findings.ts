import type { PspFinding } from "@pagora/core"
import { Effect } from "effect"
import { CommandFailed } from "../commands/CommandFailed.ts"
import { printJson, printTable } from "../commands/Printer.ts"
import type { Column } from "../commands/Table.ts"
import { withoutSecrets } from "../Secretless.ts"

/** What was found of one part of a deployment. */
export interface Finding extends PspFinding {
  /** `settings`, `database`, or the id of a PSP. */
  readonly part: string
}

export const unlooked = (part: string): Finding => ({
  part,
  name: "check",
  state: "ok",
  message: "Its layer looks at nothing (check of PspShape)."
})

const columns: ReadonlyArray<Column<Finding>> = [
  { title: "STATE", of: ({ state }) => state },
  { title: "PART", of: ({ part }) => part },
  { title: "CHECK", of: ({ name }) => name },
  { title: "FOUND", of: ({ message }) => message }
]

/** Prints what was found, without a secret, and fails where something does not work. */
export const printFindings = Effect.fnUntraced(function* (
  all: ReadonlyArray<Finding>,
  { json: isJson }: { readonly json: boolean }
) {
  const told = all.map((finding) => ({ ...finding, message: withoutSecrets(finding.message) }))
  yield* isJson ? printJson({ findings: told }) : printTable(columns, told)
  const failed = told.filter(({ state }) => state === "failed").length
  if (failed === 0) return
  return yield* new CommandFailed({
    message: `${failed} of ${told.length} checks failed: what to do is said beside each.`
  })
})
