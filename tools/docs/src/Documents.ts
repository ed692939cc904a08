import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import type { Fault } from "./Block.ts"
import { parse } from "./Block.ts"
import { typeFaults } from "./Programs.ts"
import type { Prepared, Verdict } from "./Run.ts"
import { prepare, runDocument } from "./Run.ts"
import { root } from "./Session.ts"
import { planOf } from "./Step.ts"

/** A document; its path names it, relative to the root of the workspace. */
export interface Text {
  readonly path: string
  readonly text: string
}

const skipped = new Set(["node_modules", "dist", "coverage", ".git", ".pagora"])

/** Every document of the workspace. */
export const readDocuments = (): ReadonlyArray<Text> => {
  const paths: Array<string> = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name)) walk(path)
      if (entry.isFile() && entry.name.endsWith(".md")) paths.push(path)
    }
  }
  walk("")
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
}

/** Runs every block of documents, and answers what is wrong with them. */
export const runDocuments = async (
  documents: ReadonlyArray<Text>,
  tell: (verdict: Verdict) => void = () => undefined
): Promise<ReadonlyArray<Fault>> => {
  const plans = documents.map(({ path, text }) => planOf(parse(path, text)))
  const faults: Array<Fault> = plans.flatMap((plan) => plan.faults)
  const prepared: Array<Prepared> = []
  for (const plan of plans.filter(({ steps }) => steps.length > 0))
    prepared.push(await prepare(plan))
  faults.push(...prepared.flatMap((each) => each.faults))
  const programs = prepared.flatMap((each) => [...each.programs.values()])
  const [first] = prepared
  if (first !== undefined) faults.push(...(await typeFaults(first.session.folder, programs)))
  // Those that take longest first, so that all end together.
  const waiting = prepared.toSorted((one, other) => other.plan.steps.length - one.plan.steps.length)
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await runDocument(next, (verdict) => {
        faults.push(...verdict.faults)
        tell(verdict)
      })
    }
  }
  // Most of what they do is to wait for programs to start and to end.
  await Promise.all(Array.from({ length: Math.max(4, availableParallelism()) }, work))
  return faults
}
