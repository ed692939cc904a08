import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** How stable Effect declares a module (`DateTime`), or a member of one (`Schema`, `Cookie`). */
export interface Stability {
  readonly module: (name: string) => string
  readonly member: (module: string, name: string) => string
}

const marker = /@stability (\w+)/
// A doc comment, and what it stands before.
const documented = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*([^\n]*)/g

/** Reads the `@stability` markers of an installed Effect; what has no marker counts as stable. */
export const readStability = (dist: string): Stability => {
  const modules = new Map<string, string>()
  for (const [, comment = "", code = ""] of declarations(join(dist, "index.d.ts")) ?? []) {
    const name = /^export \* as (\w+)/.exec(code)?.[1]
    if (name !== undefined) modules.set(name, marker.exec(comment)?.[1] ?? "stable")
  }
  const members = new Map<string, ReadonlyMap<string, string>>()
  const membersOf = (module: string) => {
    const known = members.get(module) ?? readMembers(join(dist, `${module}.d.ts`))
    members.set(module, known)
    return known
  }
  return {
    module: (name) => modules.get(name) ?? "stable",
    member: (module, name) => membersOf(module).get(name) ?? "stable"
  }
}

const declarations = (file: string) =>
  existsSync(file) ? readFileSync(file, "utf8").matchAll(documented) : []

const readMembers = (file: string) => {
  const members = new Map<string, string>()
  for (const [, comment = "", code = ""] of declarations(file)) {
    const declared =
      /^export (?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/
    const name = declared.exec(code)?.[1]
    const stability = marker.exec(comment)?.[1]
    // A name may be declared twice, as a type and as a value: one stable declaration is enough.
    if (name !== undefined && stability !== undefined && members.get(name) !== "stable") {
      members.set(name, stability)
    }
  }
  return members
}
