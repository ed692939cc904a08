import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Program, StaticExportEntry } from "oxc-parser"
import { parseSync } from "oxc-parser"
import type { PublishedPackage } from "./Packages.ts"
import { entriesOf } from "./Packages.ts"

/** What a name stands for: `class`, `const`, `const + type`, `interface`… */
type Names = ReadonlyMap<string, string>

interface Module {
  readonly path: string
  readonly exported: ReadonlyArray<StaticExportEntry>
  /** The local name of what is imported, with the module that it comes from. */
  readonly imported: ReadonlyMap<string, { readonly from: string; readonly name: string }>
  readonly declared: Names
}

/** The list of everything that can be imported of a package, entry by entry: the text that is kept beside it. */
export const publicNames = (published: PublishedPackage): string =>
  entriesOf(published)
    .map(({ name, source }) => {
      const names = [...namesOf(source)].sort(([left], [right]) => (left < right ? -1 : 1))
      const width = Math.max(...names.map(([exported]) => exported.length))
      const lines = names.map(([exported, kind]) => `${exported.padEnd(width)}  ${kind}`)
      return [name, ...lines.map((line) => `  ${line}`)].join("\n")
    })
    .join("\n\n") + "\n"

/** The names that a module exports, those of others that it passes on included. */
export const namesOf = (path: string): Names => {
  const module = read(path)
  const isStar = ({ exportName }: StaticExportEntry) => exportName.kind === "None"
  const [stars, named] = [
    module.exported.filter(isStar),
    module.exported.filter((entry) => !isStar(entry))
  ]
  // A name that is given wins over one that comes with all others.
  return new Map([...stars, ...named].flatMap((entry) => namesOfEntry(module, entry)))
}

const namesOfEntry = (
  module: Module,
  entry: StaticExportEntry
): ReadonlyArray<readonly [string, string]> => {
  const { exportName, importName, isType, localName, moduleRequest } = entry
  const typed = (kind: string) => (isType && !onlyTypes.has(kind) ? `${kind}, its type only` : kind)
  if (moduleRequest === null) {
    const exported = exportName.name ?? "default"
    const local = localName.name ?? exported
    const own = module.declared.get(local)
    return [[exported, own ?? typed(kindOfImported(module, local))]]
  }
  const source = moduleRequest.value
  if (!source.startsWith(".")) return [[exportName.name ?? "*", `of ${source}`]]
  const names = namesOf(join(dirname(module.path), source))
  if (importName.kind === "Name" && importName.name !== null) {
    const kind = names.get(importName.name) ?? "unknown"
    return [[exportName.name ?? importName.name, typed(kind)]]
  }
  return exportName.name === null
    ? [...names].map(([name, kind]) => [name, typed(kind)])
    : [
        [exportName.name, typed("namespace")],
        ...[...names].map(([name, kind]) => [`${exportName.name}.${name}`, typed(kind)] as const)
      ]
}

const onlyTypes = new Set(["type", "interface"])

const kindOfImported = (module: Module, local: string): string => {
  const imported = module.imported.get(local)
  return imported === undefined
    ? "unknown"
    : (namesOf(join(dirname(module.path), imported.from)).get(imported.name) ?? "unknown")
}

const modules = new Map<string, Module>()

const read = (path: string): Module => {
  const known = modules.get(path)
  if (known !== undefined) return known
  const { errors, module, program } = parseSync(path, readFileSync(path, "utf8"))
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`)
  const imported = module.staticImports.flatMap(({ entries, moduleRequest }) =>
    entries.map(
      ({ importName, localName }) =>
        [localName.value, { from: moduleRequest.value, name: importName.name ?? "*" }] as const
    )
  )
  const made: Module = {
    path,
    exported: module.staticExports.flatMap(({ entries }) => entries),
    imported: new Map(imported),
    declared: declarationsOf(program)
  }
  modules.set(path, made)
  return made
}

/** The top-level declarations of a module; a name with a value and a type has both kinds. */
const declarationsOf = (program: Program): Names => {
  const found = new Map<string, string>()
  for (const statement of program.body) {
    const declaration =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
    for (const [name, kind] of declaration === null ? [] : declared(declaration)) {
      const other = found.get(name)
      found.set(name, other === undefined ? kind : [other, kind].sort().join(" + "))
    }
  }
  return found
}

const declared = (
  statement: Program["body"][number]
): ReadonlyArray<readonly [name: string, kind: string]> => {
  switch (statement.type) {
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id }) =>
        id.type === "Identifier" ? [[id.name, statement.kind]] : []
      )
    case "FunctionDeclaration":
    case "TSDeclareFunction":
      return statement.id === null ? [] : [[statement.id.name, "function"]]
    case "ClassDeclaration":
      return statement.id === null ? [] : [[statement.id.name, "class"]]
    case "TSInterfaceDeclaration":
      return [[statement.id.name, "interface"]]
    case "TSTypeAliasDeclaration":
      return [[statement.id.name, "type"]]
    default:
      return []
  }
}
