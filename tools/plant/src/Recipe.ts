import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Edit } from "./Plant.ts"
import { plantIn } from "./Plant.ts"

/** A page that says which sources to change, and how: as each of its steps, `change` or `new`, stands above a block. */
export interface Recipe {
  readonly edits: ReadonlyArray<Edit>
  readonly created: ReadonlyArray<{ readonly file: string; readonly text: string }>
}

const step = /^<!-- (change|new): (\S+) -->\n\n```\w+\n([\s\S]*?\n)```$/gm

/** A part of a change: lines that stand there together, with those that go and those that come. */
const editOf = (file: string, hunk: string): Edit => {
  const lines = hunk.replace(/\n$/, "").split("\n")
  const of = (marks: string) =>
    lines
      .filter((line) => line === "" || marks.includes(line.charAt(0)))
      .map((line) => `${line.slice(1)}\n`)
      .join("")
  const odd = lines.find((line) => !/^([ +-]|$)/.test(line))
  if (odd !== undefined) throw new Error(`A line of a change begins with a space, + or -: ${odd}`)
  return { file, find: of(" -"), replace: of(" +") }
}

export const recipeOf = (page: string): Recipe => {
  const steps = [...page.matchAll(step)]
  return {
    edits: steps.flatMap(([, kind, file = "", text = ""]) =>
      kind === "change" ? text.split(/^@@\n/m).map((hunk) => editOf(file, hunk)) : []
    ),
    created: steps.flatMap(([, kind, file = "", text = ""]) =>
      kind === "new" ? [{ file, text }] : []
    )
  }
}

/** Does what the page says in the sources below a folder, all of it or nothing. */
export const follow = (folder: string, { created, edits }: Recipe): void => {
  plantIn(folder, { edits })
  for (const { file, text } of created) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: "wx" })
  }
}
