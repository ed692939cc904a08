import { succeed } from "./Run.ts"

export interface Load {
  readonly modules: number
  readonly kilobytes: number
  readonly millis: number
  readonly effectModules: number
}

/** How many modules importing an entry may load, and how many of them may be Effect's. */
export interface LoadLimit {
  readonly entry: string
  readonly modulesMax: number
  readonly effectMax: number
}

/** What an entry loads beyond its limits, a sentence each. */
export const loadFaults = ({ effectMax, entry, modulesMax }: LoadLimit, load: Load) => [
  ...(load.modules > modulesMax
    ? [`${entry} loads ${load.modules} modules; ${modulesMax} are allowed.`]
    : []),
  ...(load.effectModules > effectMax
    ? [`${entry} loads ${load.effectModules} modules of effect; ${effectMax} are allowed.`]
    : [])
]

/** What importing an entry loads and how long that takes, in a process of its own. */
export const loadOf = async (entry: string, folder: string): Promise<Load> => {
  const code = measure(entry)
  return JSON.parse(
    await succeed(process.execPath, ["--input-type=module", "--eval", code], { folder })
  ) as Load
}

const measure = (entry: string) => `
import { registerHooks } from "node:module"
import { statSync } from "node:fs"
import { fileURLToPath } from "node:url"
const files = []
registerHooks({ load: (url, context, next) => {
  if (url.startsWith("file:")) files.push(fileURLToPath(url))
  return next(url, context)
} })
const started = performance.now()
await import(${JSON.stringify(entry)})
const millis = Math.round(performance.now() - started)
const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
const effectModules = files.filter((file) => /node_modules.effect./.test(file)).length
console.log(JSON.stringify({ modules: files.length, kilobytes: Math.round(bytes / 1024), millis, effectModules }))
`
