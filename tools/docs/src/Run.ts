import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Block, Fault } from "./Block.ts"
import { chunksOf, isAsWritten } from "./Expected.ts"
import type { Program } from "./Programs.ts"
import { notInstalled, runProgram, unknownNames, writeProgram } from "./Programs.ts"
import type { Session } from "./Session.ts"
import { failedAt, openSession } from "./Session.ts"
import type { Plan, ProgramStep, Step } from "./Step.ts"
import { diagramFault, jsonFault, sqlFault } from "./Verdict.ts"

/** What became of one block. */
export interface Verdict {
  readonly path: string
  readonly line: number
  readonly done: string
  readonly seconds: number
  readonly faults: ReadonlyArray<Fault>
}

/** A document with a place to run it and its programs as files. */
export interface Prepared {
  readonly plan: Plan
  readonly session: Session
  readonly programs: ReadonlyMap<Step, Program>
  readonly faults: ReadonlyArray<Fault>
}

export const prepare = async (plan: Plan): Promise<Prepared> => {
  const session = openSession(
    plan.path,
    plan.steps.flatMap(({ block }) => [block.code, block.directives.until ?? ""])
  )
  const programs = new Map<Step, Program>()
  const faults: Array<Fault> = []
  for (const step of plan.steps) {
    const names = step._tag === "Program" || step._tag === "Shell" ? step.with : []
    const unknown = unknownNames(names)
    for (const name of unknown)
      faults.push(at(step.block, `There is no tools/docs/fixtures/${name}.ts to run this with.`))
    if (step._tag === "Program" && unknown.length === 0)
      programs.set(step, await writeProgram(step, session))
  }
  return { plan, session, programs, faults }
}

/** Runs the blocks of a document in order. One that a shell did not come to is a fault as well. */
export const runDocument = async (
  prepared: Prepared,
  tell: (verdict: Verdict) => void
): Promise<void> => {
  const { plan, session } = prepared
  const printed = new Map<Block, string>()
  let endedAt: number | undefined
  try {
    for (const step of plan.steps) {
      const began = Date.now()
      let faults: ReadonlyArray<Fault>
      if (step._tag === "Shell" && endedAt !== undefined) {
        faults = [at(step.block, `Not reached: the shell ended at line ${endedAt}.`)]
      } else {
        faults = await runStep(step, prepared, printed).catch((error: unknown) => [
          at(step.block, error instanceof Error ? error.message : String(error))
        ])
      }
      if (step._tag === "Shell" && faults.some(({ message }) => message.includes(shellEnded)))
        endedAt ??= step.block.line
      const seconds = (Date.now() - began) / 1_000
      tell({ path: plan.path, line: step.block.line, done: doneBy(step), seconds, faults })
    }
  } finally {
    const fault = await session.end()
    const first = plan.steps.find(({ _tag }) => _tag === "Shell")
    if (fault !== undefined && first !== undefined)
      tell(ended(plan.path, first.block.line, [at(first.block, fault)]))
  }
}

const ended = (path: string, line: number, faults: ReadonlyArray<Fault>): Verdict => ({
  path,
  line,
  done: "ended",
  seconds: 0,
  faults
})

const shellEnded = "The shell ended"

const at = (block: Block, message: string): Fault => ({
  path: block.path,
  line: block.line,
  message
})

const said = (block: Block, message: string | undefined): ReadonlyArray<Fault> =>
  message === undefined ? [] : [at(block, message)]

const doneBy = (step: Step): string => {
  switch (step._tag) {
    case "Shell":
      return "ran"
    case "Program": {
      const size = step.blocks.length === 1 ? "" : ` with ${step.blocks.length} blocks`
      return step.typesOnly === undefined ? `ran${size}` : `types only: ${step.typesOnly}`
    }
    case "NotRun":
      return `not run: ${step.reason}`
    default:
      return step._tag.toLowerCase()
  }
}

const runStep = async (
  step: Step,
  { programs, session }: Prepared,
  printed: Map<Block, string>
): Promise<ReadonlyArray<Fault>> => {
  const { block } = step
  switch (step._tag) {
    case "Shell":
      return runShell(block, step.with, session, printed)
    case "Program": {
      const program = programs.get(step)
      return program === undefined ? [] : runProgramOf(step, program, session, printed)
    }
    case "Json":
      return said(block, await jsonFault(block.code, step.schema))
    case "Sql":
      return said(block, await sqlFault(block.code, session))
    case "Diagram":
      return said(block, diagramFault(block.code))
    case "File":
      writeFileSync(join(session.folder, step.name), `${await session.adapted(block.code)}\n`)
      return []
    case "Output": {
      const written = await session.adapted(block.code)
      const text = printed.get(step.of) ?? ""
      return isAsWritten(written, text) ? [] : [at(block, `It prints something else:\n${text}`)]
    }
    case "Recipe":
    case "NotRun":
      return []
  }
}

const runShell = async (
  block: Block,
  names: ReadonlyArray<string>,
  session: Session,
  printed: Map<Block, string>
): Promise<ReadonlyArray<Fault>> => {
  const faults: Array<Fault> = []
  for (const name of names) await session.provide(name)
  for (const { commands, line, output } of chunksOf(block.code, block.line + 1)) {
    const fault = (message: string) => faults.push({ path: block.path, line, message })
    const filled = filledIn(await session.adapted(commands), {
      ...(await session.environment()),
      ...session.facts()
    })
    if (typeof filled !== "string") {
      fault(`Nothing fills ${filled.missing}.`)
      continue
    }
    const ran = await session.sh(filled, line)
    printed.set(block, `${printed.get(block) ?? ""}${ran.output}`)
    if (!ran.isFine) {
      const exact = new RegExp(`${failedAt}(\\d+)`).exec(ran.complaint)?.[1]
      const message = `${ran.output}${ran.complaint}`
      return [...faults, { path: block.path, line: Number(exact ?? line), message }]
    }
    if (output !== undefined && !isAsWritten(await session.adapted(output), ran.output))
      fault(`It prints something else:\n${ran.output}`)
  }
  return faults
}

/** Commands with `NAME=…` filled in; any other … is a thing that nobody can type. */
const filledIn = (
  commands: string,
  facts: Readonly<Record<string, string>>
): string | { readonly missing: string } => {
  const filled = commands.replaceAll(/\b([A-Z][A-Z_]*)=…/g, (whole, name: string) =>
    facts[name] === undefined ? whole : `${name}='${facts[name]}'`
  )
  const [missing] = /\S*…/.exec(filled.replaceAll(/ # .*$/gm, "")) ?? []
  return missing === undefined ? filled : { missing }
}

const runProgramOf = async (
  step: ProgramStep,
  program: Program,
  session: Session,
  printed: Map<Block, string>
): Promise<ReadonlyArray<Fault>> => {
  const missing = notInstalled(program, session).map((name) =>
    at(step.block, `It imports ${name}, which no npm install of the document brings.`)
  )
  if (step.typesOnly !== undefined) return missing
  for (const name of step.with) await session.provide(name)
  const ran = await runProgram(program, session)
  printed.set(step.block, ran.output)
  if (ran.isFine) return missing
  return [...missing, at(step.block, `The program fails:\n${ran.output}${ran.complaint}`)]
}
