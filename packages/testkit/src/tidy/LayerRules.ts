import { posix } from "node:path"
import { withoutComments } from "./SourceFile.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Stability } from "./Stability.ts"
import type { Remark } from "./Tidy.ts"

const core = "packages/core/src/"
const outerFolders = ["http", "admission", "contract", "node", "app", "client", "webhook"]
/** What every slice stands on. */
const foundations: ReadonlyArray<string> = [
  "kernel",
  "ledger",
  "units",
  "ports",
  "psp-calls",
  "audit",
  "storage",
  "storage-memory",
  "time"
]

/** The folder of core's inner rings that a source file lies in: a foundation or a slice. */
const innerFolder = (path: string): string | undefined => {
  if (!path.startsWith(core) || /\.(test|test-data)\.ts$/.test(path)) return undefined
  const [folder, file] = path.slice(core.length).split("/")
  return file === undefined || folder === undefined || outerFolders.includes(folder)
    ? undefined
    : folder
}

const isWiring = (path: string) => /(Api|Handlers|[a-z]Wire)\.ts$/.test(path)

/** Below the HTTP ring only what Effect promises to keep is used: a minor release breaks no rule of money (decision 0002). */
export const effectStability = (file: SourceFile, stability: Stability): Array<Remark> => {
  if (innerFolder(file.path) === undefined || isWiring(file.path)) return []
  const code = withoutComments(file.text)
  const remarks: Array<Remark> = []
  const remark = (index: number, name: string, grade: string) => {
    const message = `${name} is ${grade} in Effect: below the HTTP ring use stable modules only`
    remarks.push({ line: code.slice(0, index).split("\n").length, message })
  }
  for (const { name, local, index } of rootImports(code)) {
    const grade = stability.module(name)
    if (grade !== "stable") remark(index, name, grade)
    for (const use of grade === "stable" ? code.matchAll(usesOf(local)) : []) {
      const member = use[1] ?? ""
      const memberGrade = stability.member(name, member)
      if (memberGrade !== "stable") remark(use.index, `${name}.${member}`, memberGrade)
    }
  }
  return remarks
}

/** The names that `import { Schema, Array as Arr } from "effect"` brings. */
const rootImports = (code: string) =>
  Array.from(code.matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"effect"/g)).flatMap(
    (statement) =>
      (statement[1] ?? "")
        .split(",")
        .map((text) => text.trim().replace(/^type\s+/, ""))
        .filter((text) => text !== "")
        .map((text) => text.split(/\s+as\s+/))
        .map(([name = "", local = name]) => ({ name, local, index: statement.index }))
  )

const usesOf = (local: string) => new RegExp(String.raw`(?<![\w.$])${local}\.(\w+)`, "g")

const declaresService = (text: string) => /\bextends Context\.Service\s*</.test(text)
const usesEffect = (code: string) =>
  rootImports(code).some(({ name }) => ["Effect", "Layer", "Context"].includes(name))

/**
 * Foundations, models, events and HTTP contracts never import a slice's service. The linter
 * sees names only; here a file is a service when it declares one, and a model when it does without
 * `Effect`, `Layer` and `Context`.
 */
export const servicesStayAbove = (files: ReadonlyArray<SourceFile>) => {
  const isSliceService = ({ path, text }: SourceFile) => {
    const folder = innerFolder(path)
    return (
      folder !== undefined &&
      !foundations.includes(folder) &&
      declaresService(withoutComments(text))
    )
  }
  const services = new Set(files.filter(isSliceService).map(({ path }) => path))

  return (file: SourceFile): Array<Remark> => {
    const folder = innerFolder(file.path)
    if (folder === undefined || file.path.endsWith("Handlers.ts")) return []
    const code = withoutComments(file.text)
    const isBelow = foundations.includes(folder) || /(Api|Events)\.ts$/.test(file.path)
    if (!isBelow && usesEffect(code)) return []
    return Array.from(code.matchAll(/\bfrom\s+"(\.[^"]+)"/g)).flatMap((statement) => {
      const target = posix.join(posix.dirname(file.path), statement[1] ?? "")
      if (!services.has(target)) return []
      const line = code.slice(0, statement.index).split("\n").length
      return [
        { line, message: `${target.slice(core.length)} is a service, and this file is below it` }
      ]
    })
  }
}
