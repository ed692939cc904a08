import { existsSync, readdirSync } from "node:fs"
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import type { TestSpecification } from "vitest/node"
import { BaseSequencer } from "vitest/node"
import { bundlePrograms } from "./scripts/programs.ts"

// `source` first: tests run the TypeScript sources of all packages, so nothing is built for them.
// Vite itself adds `import` or `require`, as a file is loaded; named here, CommonJS packages would get `import` too.
const conditions = ["@pagora/source", "module", "node"]

const root = import.meta.dirname

const below = (folder: string) =>
  existsSync(`${root}/${folder}`)
    ? readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`)
    : []

// The files of these share what a worker has imported, which costs more than most of them take to run. Files of the others
// have a process each: they start, kill and wait for real parts.
const shared = ["postgres", "server", "testkit", "psp-bacen", "fake-bank", "psp-woovi", "core"]

/**
 * Files that take many seconds each go first, and the many small ones of core last, so that all workers end together. A
 * worker goes on with what it has imported while the next file is of the same project: those of one follow each other.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => turnOf(one) - turnOf(other))
  }
}

// A file named after crashes goes through every point at which something can die.
const turnOf = ({ moduleId, project }: TestSpecification): number =>
  moduleId.includes("crash") ? 0 : 2 + shared.indexOf(project.name)

const report = process.env["PAGORA_TEST_REPORT"]

// Every process that a test starts of the packages begins with it.
process.env["WORKSPACE_BUNDLE"] ??= await bundlePrograms()

export default defineConfig({
  root,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: "forks",
    // Many tests wait, for timers, databases or processes: two cores have four workers. More leave one core to what they start.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // V8 compiles what PGlite runs once more, for speed, only where much of it runs: a test ends before it has paid.
    execArgv: ["--wasm-tiering-budget=1000000000"],
    testTimeout: 20_000,
    // Real parts (a PostgreSQL, a server process) start in hooks.
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    sequence: { sequencer: LongestFirst },
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      ...below("packages"),
      ...below("examples"),
      "bench",
      "tools/docs",
      "tools/packaging",
      "tools/plant",
      "tools/simulate"
    ]
      .filter((folder) => existsSync(`${root}/${folder}/package.json`))
      .map((folder) => ({ folder, name: folder.replace("packages/", "") }))
      .map(({ folder, name }) => ({
        extends: true,
        test: {
          name,
          isolate: !shared.includes(name),
          include: [`${folder}/src/**/*.test.ts`, `${folder}/test/**/*.test.ts`]
        }
      }))
  }
})
