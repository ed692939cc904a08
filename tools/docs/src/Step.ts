import type { Block, DirectiveName, Fault, ParsedDocument } from "./Block.ts"

/** What is done with a block. */
export type Step =
  | { readonly _tag: "Shell"; readonly block: Block; readonly with: ReadonlyArray<string> }
  | {
      /** One program of one block or of several that continue each other; the last one is `block`. */
      readonly _tag: "Program"
      readonly block: Block
      readonly blocks: ReadonlyArray<Block>
      readonly with: ReadonlyArray<string>
      readonly until: string | undefined
      /** Why it is only type-checked; undefined when it runs. */
      readonly typesOnly: string | undefined
    }
  | { readonly _tag: "Json"; readonly block: Block; readonly schema: string | undefined }
  | { readonly _tag: "Sql"; readonly block: Block }
  | { readonly _tag: "Diagram"; readonly block: Block }
  | { readonly _tag: "Output"; readonly block: Block; readonly of: Block }
  | { readonly _tag: "File"; readonly block: Block; readonly name: string }
  /** A step of a recipe, which `tools/plant/test/recipes.test.ts` follows. */
  | { readonly _tag: "Recipe"; readonly block: Block }
  | { readonly _tag: "NotRun"; readonly block: Block; readonly reason: string }

export type ProgramStep = Extract<Step, { readonly _tag: "Program" }>

export interface Plan {
  readonly path: string
  readonly steps: ReadonlyArray<Step>
  readonly faults: ReadonlyArray<Fault>
}

const programs = ["ts", "js"]

/** What goes with which kind of step; anything else would be ignored in silence. */
const fitting: Readonly<Record<Step["_tag"], ReadonlyArray<DirectiveName>>> = {
  Shell: ["with"],
  Program: ["continues", "with", "until", "types only"],
  Json: ["schema"],
  Sql: [],
  Diagram: [],
  Output: ["output"],
  File: ["file"],
  Recipe: ["change", "new"],
  NotRun: ["not run"]
}

/** What is done with every block of a document. A block without a verdict is a fault. */
export const planOf = (document: ParsedDocument): Plan => {
  const faults: Array<Fault> = [...document.faults]
  let steps: ReadonlyArray<Step> = []
  for (const block of document.blocks) {
    const step = stepOf(block, steps)
    if (typeof step === "string") {
      faults.push({ path: block.path, line: block.line, message: step })
      continue
    }
    const odd = Object.keys(block.directives).filter(
      (name) => !fitting[step._tag].includes(name as DirectiveName)
    )
    for (const name of odd) {
      const message = `"${name}" does not go with this block.`
      faults.push({ path: block.path, line: block.line, message })
    }
    const isContinued = step._tag === "Program" && step.blocks.length > 1
    steps = [...(isContinued ? steps.filter((each) => !isBegun(each, step)) : steps), step]
  }
  return { path: document.path, steps, faults }
}

/** The shorter program that this one goes on from: it is run once, as the longer one. */
const isBegun = (step: Step, whole: ProgramStep): boolean =>
  step._tag === "Program" && step.blocks.every((block, index) => block === whole.blocks[index])

const stepOf = (block: Block, before: ReadonlyArray<Step>): Step | string => {
  const { directives, language } = block
  if (directives["not run"] !== undefined)
    return { _tag: "NotRun", block, reason: directives["not run"] }
  if (directives.change !== undefined || directives.new !== undefined) return recipeOf(block)
  if (directives.file !== undefined) return { _tag: "File", block, name: directives.file }
  if (directives.output !== undefined) {
    const last = before.findLast(({ _tag }) => _tag === "Shell" || _tag === "Program")
    return last === undefined
      ? "This is the output of nothing: no block was run before it."
      : { _tag: "Output", block, of: last.block }
  }
  if (language === "sh") return { _tag: "Shell", block, with: namesOf(directives.with) }
  if (programs.includes(language)) return programOf(block, before)
  if (language === "json") return { _tag: "Json", block, schema: directives.schema }
  if (language === "sql") return { _tag: "Sql", block }
  if (language === "mermaid") return { _tag: "Diagram", block }
  return `Nothing runs a block of "${language}": write it as sh, ts, js, json, sql or mermaid, or say <!-- output -->, <!-- file: its name --> or <!-- not run: why -->.`
}

/** A recipe changes sources: it stands with those, so that nobody follows one that nothing has tried. */
const recipeOf = (block: Block): Step | string =>
  block.path.startsWith("docs/recipes/")
    ? { _tag: "Recipe", block }
    : "Only the pages of docs/recipes/ change sources: a test follows those."

const programOf = (block: Block, before: ReadonlyArray<Step>): Step | string => {
  const { directives } = block
  const rest = { until: directives.until, typesOnly: directives["types only"] }
  const names = namesOf(directives.with)
  if (directives.continues === undefined)
    return { _tag: "Program", block, blocks: [block], with: names, ...rest }
  const begun = before.findLast(
    (step): step is ProgramStep => step._tag === "Program" && step.block.language === block.language
  )
  if (begun === undefined) return "This continues nothing: no program stands before it."
  if (begun.until !== undefined)
    return `This continues the program of line ${begun.block.line}, which has ended there: say "until" here instead.`
  return {
    _tag: "Program",
    block,
    blocks: [...begun.blocks, block],
    with: [...new Set([...begun.with, ...names])],
    until: rest.until,
    typesOnly: begun.typesOnly ?? rest.typesOnly
  }
}

const namesOf = (value = ""): ReadonlyArray<string> =>
  value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")
