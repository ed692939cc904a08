/** Something that a document gets wrong, at the line where it stands. */
export interface Fault {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** The words of a comment before a block that say how it is run. */
const directiveNames = [
  "continues",
  "with",
  "until",
  "output",
  "file",
  "schema",
  "types only",
  "change",
  "new",
  "not run"
] as const
export type DirectiveName = (typeof directiveNames)[number]

/** Those that stand alone; every other one says something after a colon. */
const isBare = (name: DirectiveName): boolean => name === "continues" || name === "output"

/** A fenced block of a document. */
export interface Block {
  readonly path: string
  /** The line of its opening fence. Its code begins on the next one. */
  readonly line: number
  readonly language: string
  readonly code: string
  readonly directives: Readonly<Partial<Record<DirectiveName, string>>>
}

export interface ParsedDocument {
  readonly path: string
  readonly blocks: ReadonlyArray<Block>
  readonly faults: ReadonlyArray<Fault>
}

const fencePattern = /^( *)(`{3,}|~{3,})\s*(.*)$/
const commentPattern = /^\s*<!--\s*([a-z][a-z ]*?)(?::\s*(.*?))?\s*-->\s*$/

/** The blocks of a document and the comments that belong to them. */
export const parse = (path: string, text: string): ParsedDocument => {
  const lines = text.split("\n")
  const blocks: Array<Block> = []
  const faults: Array<Fault> = []
  let waiting: Array<Comment> = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ""
    const comment = commentAt(line, at + 1)
    if (comment !== undefined) {
      waiting.push(comment)
      continue
    }
    const fence = fencePattern.exec(line)
    if (fence !== null) {
      const [, indent = "", ticks = "", language = ""] = fence
      const end = lines.findIndex((other, index) => index > at && other.trim() === ticks)
      if (end === -1) {
        faults.push({ path, line: at + 1, message: "The block has no end." })
        break
      }
      const code = lines.slice(at + 1, end).map((other) => other.replace(indent, ""))
      const known = waiting.filter(({ name }) => isDirective(name))
      const directives = Object.fromEntries(known.map(({ name, value }) => [name, value]))
      blocks.push({ path, line: at + 1, language, code: code.join("\n"), directives })
      faults.push(...waiting.flatMap((each) => faultOf(path, each)))
      waiting = []
      at = end
    } else if (line.trim() !== "") {
      faults.push(...waiting.map(({ line: where, name }) => lonely(path, where, name)))
      waiting = []
    }
  }
  faults.push(...waiting.map(({ line, name }) => lonely(path, line, name)))
  return { path, blocks, faults }
}

interface Comment {
  readonly line: number
  readonly name: DirectiveName
  readonly value: string
}

const isDirective = (name: string): name is DirectiveName =>
  (directiveNames as ReadonlyArray<string>).includes(name)

const commentAt = (text: string, line: number): Comment | undefined => {
  const [, name = "", value = ""] = commentPattern.exec(text) ?? []
  return name === "" ? undefined : { line, name: name as DirectiveName, value }
}

const faultOf = (path: string, { line, name, value }: Comment): ReadonlyArray<Fault> => {
  if (!isDirective(name)) {
    const message = `No block is run by "${name}": a comment says ${directiveNames.join(", ")}.`
    return [{ path, line, message }]
  }
  if (isBare(name) === (value === "")) return []
  const message = isBare(name)
    ? `"${name}" stands alone.`
    : `"${name}" says something after its colon.`
  return [{ path, line, message }]
}

const lonely = (path: string, line: number, name: string): Fault => ({
  path,
  line,
  message: `"${name}" belongs right before a block, and there is none.`
})
