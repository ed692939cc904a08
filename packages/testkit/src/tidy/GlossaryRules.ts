import { sectionOf } from "./Prose.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

const glossary = "docs/concepts/glossary.md"
const unit = "packages/core/src/units/Unit.ts"

/** The queues of the code: those that workers take from, and what the type adds to them. */
const queuesIn = (text: string): ReadonlyArray<string> => {
  const [, type = ""] = /export type Queue =([^\n]*(?:\n {2}[^\n]*)*)/.exec(text) ?? []
  const [, list = ""] = /export const workQueues = \[([^\]]*)\]/.exec(text) ?? []
  return Array.from(`${type} ${list}`.matchAll(/["`]([a-z]+)/g), ([, name = ""]) => name)
}

/** Every queue stands in the glossary, and only what is one. */
export const queuesTold = (files: ReadonlyArray<SourceFile>) => {
  const code = files.find(({ path }) => path === unit)
  return (file: SourceFile): Array<Remark> => {
    if (file.path !== glossary || code === undefined) return []
    const queues = queuesIn(code.text)
    const rows = sectionOf(file, "Queues").flatMap(({ line, text }) => {
      const name = /^\| `([a-z]+)/.exec(text)?.[1]
      return name === undefined ? [] : [{ line, name }]
    })
    return [
      ...rows
        .filter(({ name }) => !queues.includes(name))
        .map(({ line, name }) => ({ line, message: `${unit} has no queue ${name}` })),
      ...queues
        .filter((queue) => rows.filter(({ name }) => name === queue).length !== 1)
        .map((queue) => ({ line: 1, message: `the queue ${queue} does not stand here once` }))
    ]
  }
}
