import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import type { SimulateOptions } from "./Options.ts"
import { hashOfSources } from "./Sources.ts"

/** What a run of many seeds has come to so far, as a file keeps it: all seeds from the first one on, so many. */
export interface Report {
  /** Which seeds of which worlds they are, and of which sources (`questionOf`). */
  readonly question: Question
  readonly seeds: number
  readonly seconds: number
  readonly operations: number
  readonly faults: number
  readonly steps: number
  /** One hash of the traces of all of them, in their order. */
  readonly traces: string
  readonly failed: ReadonlyArray<{
    readonly seed: number
    readonly violations: ReadonlyArray<string>
  }>
  readonly coverage: Readonly<Record<string, number>>
}

type Question = Readonly<Record<string, unknown>>

/** What decides how a seed goes: a run is gone on with only where none of this is other than it was. */
export const questionOf = ({
  bank,
  isComparing,
  plan,
  seed,
  storage
}: SimulateOptions): Question => ({
  seed,
  storage,
  bank,
  isComparing,
  ...plan,
  sources: hashOfSources()
})

/** Whole at any time, however the process ends. */
export const writeReport = (file: string, report: Report): void => {
  const next = `${file}.next`
  writeFileSync(next, `${JSON.stringify(report, undefined, 2)}\n`)
  renameSync(next, file)
}

/** What a file keeps of the same question; a sentence where it keeps another one, or nothing that can be read. Undefined: no file. */
export const readReport = (file: string, question: Question): Report | string | undefined => {
  if (!existsSync(file)) return undefined
  let report: Report
  try {
    report = JSON.parse(readFileSync(file, "utf8")) as Report
  } catch (error) {
    return `${file} cannot be gone on with: ${error instanceof Error ? error.message : String(error)}`
  }
  const other = [...new Set([...Object.keys(question), ...Object.keys(report.question)])].filter(
    (name) => JSON.stringify(question[name]) !== JSON.stringify(report.question[name])
  )
  return other.length === 0
    ? report
    : `${file} answers another question: ${other.join(" and ")} differ. Without --resume it is written anew.`
}
