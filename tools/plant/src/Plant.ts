import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** A change of one file of the workspace: a text that stands in it once, and what comes in its place. */
export interface Edit {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** `port`: they speak our port, and no protocol of a bank. */
export type PlantedBank = "port" | "efi" | "inter" | "woovi"

/** A bug that a tired engineer could write. In the ordinary case the service goes on working with it. */
export interface Plant {
  readonly name: string
  /** What is taken away, and what money does then. */
  readonly what: string
  /** Over which storage it shows. */
  readonly storage: "memory" | "pglite"
  /** Behind the protocol of which bank it shows; `port` unless told. */
  readonly bank?: PlantedBank
  /** The item of the issue "Mend what was found" whose mend it takes back. */
  readonly since?: number
  readonly edits: ReadonlyArray<Edit>
}

/** A fault that nobody can see from outside of the service, or hardly ever, and the test that would. */
export interface Guard {
  /** Of the issue "Mend what was found". */
  readonly item?: number
  readonly what: string
  readonly file: string
  readonly title: string
  /** Of a test of several cases, what the title of the one has that sees it; any of them unless told. */
  readonly case?: string
  /** Puts the fault there, so that it shows whether the test fails. */
  readonly edits?: ReadonlyArray<Edit>
}

/** A guard whose fault can be put there. */
export interface Proved extends Guard {
  readonly edits: ReadonlyArray<Edit>
}

export const isProved = (guard: Guard): guard is Proved => guard.edits !== undefined

/** A test of the core, and the edits that put its fault there. */
export const proved = (
  what: string,
  file: string,
  title: string,
  ...edits: ReadonlyArray<Edit>
): Proved => ({ what, file: `packages/core/${file}`, title, edits })

export const inCore = (path: string, find: string, replace: string): Edit => ({
  file: `packages/core/src/${path}`,
  find,
  replace
})

export const inPostgres = (path: string, find: string, replace: string): Edit => ({
  file: `packages/postgres/src/${path}`,
  find,
  replace
})

export const inBacen = (path: string, find: string, replace: string): Edit => ({
  file: `packages/psp-bacen/src/${path}`,
  find,
  replace
})

export const inWoovi = (path: string, find: string, replace: string): Edit => ({
  file: `packages/psp-woovi/src/${path}`,
  find,
  replace
})

/** The text with the change in it. Nobody could say which of several places was meant. */
const changed = (text: string, { file, find, replace }: Edit): string => {
  const parts = text.split(find)
  const [before, after] = parts
  if (before === undefined || after === undefined || parts.length > 2)
    throw new Error(`What is to be replaced stands ${parts.length - 1} times in ${file}:\n${find}`)
  return `${before}${replace}${after}`
}

/** Plants a bug in the sources below a folder, all of it or nothing, and answers what takes it out again. */
export const plantIn = (folder: string, { edits }: Pick<Plant, "edits">): (() => void) => {
  const before = new Map<string, Buffer>()
  const after = new Map<string, string>()
  for (const edit of edits) {
    const path = join(folder, edit.file)
    const bytes = before.get(path) ?? readFileSync(path)
    before.set(path, bytes)
    after.set(path, changed(after.get(path) ?? bytes.toString("utf8"), edit))
  }
  for (const [path, text] of after) writeFileSync(path, text)
  return () => {
    for (const [path, bytes] of before) writeFileSync(path, bytes)
  }
}
